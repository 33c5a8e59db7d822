import CSQLite
import Glibc

extension Handle {
    /// Pages in the journal at which they are moved into the file: twice SQLite's own number, since pages that many
    /// commits change are moved once for all.
    static let checkpointPages = 2000

    /// Opens the file and brings the connection into the mode of `configuration`.
    func open(_ configuration: DatabaseConfiguration) throws(SQLiteError) {
        try open(readOnly: configuration.isReadOnly, isImmutable: configuration.isImmutable)
        do {
            try wait(for: configuration.busyMilliseconds)
            try run("PRAGMA foreign_keys = \(configuration.enforcesForeignKeys ? "ON" : "OFF")")
            try run("PRAGMA synchronous = \(configuration.synchronous.rawValue)")
            // A schema in a file that someone else wrote may not run functions with side effects.
            try run("PRAGMA trusted_schema = OFF")
            try run("PRAGMA cell_size_check = ON")
            try retryingWhenBusy(for: configuration.busyMilliseconds) { () throws(SQLiteError) in
                try run("SELECT count(*) FROM sqlite_schema")
                if !configuration.isReadOnly { try useWriteAheadLog() }
            }
            if !configuration.isReadOnly {
                try run("PRAGMA wal_autocheckpoint = \(Self.checkpointPages)")
            }
        } catch {
            close()
            throw error
        }
    }

    /// Sets how long statements wait for another connection.
    func wait(for milliseconds: Int32) throws(SQLiteError) {
        sqlite3_busy_timeout(try opened(), milliseconds)
    }

    private func useWriteAheadLog() throws(SQLiteError) {
        guard path != ":memory:" else { return }
        guard try pragma("PRAGMA journal_mode") != "wal" else { return }
        let mode = try pragma("PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw SQLiteError(
                extendedCode: SQLITE_CANTOPEN, message: "the journal stays in mode '\(mode ?? "")' and not in WAL",
                path: path)
        }
    }

    private func pragma(_ sql: String) throws(SQLiteError) -> String? {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? try Row(statement).optionalText(0) : nil
    }

    /// Tries again while another connection holds the file: SQLite itself does not wait to change the journal mode.
    private func retryingWhenBusy(for milliseconds: Int32, _ body: () throws(SQLiteError) -> Void) throws(SQLiteError) {
        let deadline = ContinuousClock.now + .milliseconds(Int64(milliseconds))
        while true {
            do {
                return try body()
            } catch {
                guard error.isBusy, ContinuousClock.now < deadline else { throw error }
                usleep(10_000)
            }
        }
    }
}
