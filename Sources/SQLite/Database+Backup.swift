import CSQLite
import Glibc

extension Database {
    /// Copies the database to another file while it stays in use.
    ///
    /// Between two steps of 256 pages other transactions run; what this connection writes meanwhile is copied too. The
    /// copy appears at `path`, in the place of an older one, only when it is complete and on the disk.
    /// - Parameters:
    ///   - path: where the copy goes; its folder must exist.
    ///   - progress: called after each step with the pages that remain and all pages.
    /// - Throws: a `SQLiteError`, or `CancellationError`; a partial copy is removed.
    package func backup(
        to path: String, progress: @Sendable (_ remaining: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws {
        let partial = path + ".partial"
        unlink(partial)
        let copy = Handle(path: partial, statementCacheSize: 1)
        do {
            try copy.open(readOnly: false)
            try await copyPages(to: copy, progress)
            // One self-contained file, that can be read from a read-only folder too.
            try copy.run("PRAGMA journal_mode = DELETE")
            copy.close()
            try Self.rename(partial, to: path)
        } catch {
            copy.close()
            for suffix in ["", "-wal", "-shm", "-journal"] { unlink(partial + suffix) }
            throw error
        }
    }

    private func copyPages(
        to copy: Handle, _ progress: @Sendable (_ remaining: Int, _ total: Int) -> Void
    ) async throws {
        let target = try copy.opened()
        guard let backup = sqlite3_backup_init(target, "main", try handle.opened(), "main") else {
            throw SQLiteError(database: target, sql: nil, path: copy.path)
        }
        var isFinished = false
        defer { if !isFinished { sqlite3_backup_finish(backup) } }
        var attempts = 0
        while true {
            let result = sqlite3_backup_step(backup, 256)
            progress(Int(sqlite3_backup_remaining(backup)), Int(sqlite3_backup_pagecount(backup)))
            switch result {
            case SQLITE_DONE:
                isFinished = true
                guard sqlite3_backup_finish(backup) == SQLITE_OK else {
                    throw SQLiteError(database: target, sql: nil, path: copy.path)
                }
                return
            case SQLITE_OK: await Task.yield()
            case SQLITE_BUSY where attempts < 100, SQLITE_LOCKED where attempts < 100:
                attempts += 1
                try await Task.sleep(for: .milliseconds(50))
            default:
                throw SQLiteError(
                    extendedCode: result, message: String(cString: sqlite3_errstr(result)), path: copy.path)
            }
            try Task.checkCancellation()
            _ = try handle.opened()
        }
    }

    /// Moves a finished copy into its place and waits until the folder knows.
    private static func rename(_ partial: String, to path: String) throws(SQLiteError) {
        guard Glibc.rename(partial, path) == 0 else {
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN,
                message: "the copy cannot be moved here: \(String(cString: strerror(errno)))",
                path: path)
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        Glibc.close(descriptor)
    }
}
