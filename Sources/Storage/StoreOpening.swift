import Foundation
import Glibc
import HubKit
import SQLite

/// Opens the database file, and mends what can be mended: a file that is malformed, empty, missing or another program's
/// is set aside and the newest good backup takes its place.
///
/// Only where there is neither file nor backup is it a first start.
struct StoreOpening {
    let folder: URL
    let now: Date
    let use: StoreUse

    struct Opened {
        var database: Database
        var notices: [String]
    }

    /// Something other than a malformed file that a backup is better than.
    private struct Loss: Error {
        /// Completes "the database …".
        var words: String
    }

    private var mayRecover: Bool { use == .hub }

    private var file: URL { folder.appendingPathComponent("offpeak.sqlite") }
    private var backups: BackupFolder { BackupFolder(in: folder) }

    func open() async throws(HubError) -> Opened {
        do {
            if let loss = try lossBeforeOpening() { throw loss }
            if use == .reader, Self.size(of: file) == nil {
                throw HubError(
                    .storage, "there is no database in \(folder.path) yet; start the hub, or make a token first",
                    retry: .needsPerson)
            }
            if use == .reader, !isWritable { return Opened(database: try await openForReading(), notices: []) }
            return Opened(
                database: try await openChecked(isFirst: try backups.candidates(at: now).isEmpty), notices: [])
        } catch let loss as Loss {
            guard mayRecover else { throw Self.guestError(loss.words, folder) }
            return try await recover(from: loss.words)
        } catch let error as SQLiteError where error.isCorrupt && mayRecover {
            return try await recover(from: "was malformed (\(error.message))")
        } catch {
            throw hubError(error)
        }
    }

    /// What is seen without opening: SQLite would fill an empty file and throw the journal beside it away.
    private func lossBeforeOpening() throws -> Loss? {
        let size = Self.size(of: file)
        guard (size ?? 0) == 0 else { return nil }
        let isFirst =
            try backups.candidates(at: now).isEmpty && (Self.size(of: Self.beside(file, "-wal")) ?? 0) == 0
            && (use == .hub || !FolderLock.isHeld(folder))
        return isFirst ? nil : Loss(words: size == nil ? "was missing" : "was empty")
    }

    private var isWritable: Bool {
        access(folder.path, W_OK | X_OK) == 0 && access(file.path, W_OK) == 0
    }

    /// Opens the file where nothing can be written; one of an older version stays as it is, and unread.
    private func openForReading() async throws -> Database {
        let database = try await openReadOnly()
        do {
            switch try await StoreContent.look(at: database) {
            case .hub: break
            case .empty: throw Loss(words: "was empty")
            case .foreign(let odd): throw Loss(words: "was not a hub's (\(odd))")
            }
            let version = try await database.read { try $0.scalarInt64("PRAGMA user_version") ?? 0 }
            guard version >= Schema.migrations.count else {
                throw HubError(
                    .storage,
                    "\(file.path) is of an older version of Offpeak and can't be brought up to date here, where nothing can be written; copy it to a folder that can",
                    retry: .needsPerson)
            }
            try await database.migrate(Schema.migrations)
            return database
        } catch {
            await database.close()
            throw error
        }
    }

    private func openReadOnly() async throws(SQLiteError) -> Database {
        do {
            return try await Database(path: file.path, configuration: DatabaseConfiguration(isReadOnly: true))
        } catch {
            // SQLite wants to put its journal's index beside the file, unless it is told that nobody writes.
            guard error.code == .cannotOpen || error.code == .readOnly,
                (Self.size(of: Self.beside(file, "-wal")) ?? 0) == 0
            else { throw error }
            var configuration = DatabaseConfiguration(isReadOnly: true)
            configuration.isImmutable = true
            return try await Database(path: file.path, configuration: configuration)
        }
    }

    /// Opens the file, looks at every page, and brings the tables up to date.
    /// - Parameter isFirst: whether an empty file is as it should be.
    private func openChecked(isFirst: Bool) async throws -> Database {
        let database = try await Database(path: file.path)
        do {
            // A quick look at every page; a full check would take minutes with years of events.
            let faults = try await database.read { connection in
                try connection.query("PRAGMA quick_check(1)", []) { try $0.text(0) }
            }
            guard faults == ["ok"] else {
                throw SQLiteError(
                    extendedCode: SQLiteError.Code.corrupt.rawValue, message: faults.joined(separator: "; "),
                    path: file.path)
            }
            switch try await StoreContent.look(at: database) {
            case .hub: break
            case .empty where isFirst: break
            case .empty: throw Loss(words: "was empty")
            case .foreign(let odd): throw Loss(words: "was not a hub's (\(odd))")
            }
            try await database.migrate(Schema.migrations)
            return database
        } catch {
            await database.close()
            throw error
        }
    }

    private func recover(from fault: String) async throws(HubError) -> Opened {
        do {
            let aside = try setAside()
            var notices = ["the database \(fault)" + (aside.map { " and was set aside as \($0)" } ?? "")]
            for backup in try backups.candidates(at: now) {
                try restore(backup)
                if let database = try? await openChecked(isFirst: false) {
                    let rest =
                        aside == nil ? "what came after it is lost" : "what came after it is in the file set aside"
                    notices.append("the backup \(backup.lastPathComponent) took its place; \(rest)")
                    return Opened(database: database, notices: notices)
                }
            }
            removeAll()
            notices.append("there was no good backup; the hub starts with an empty database")
            return Opened(database: try await openChecked(isFirst: true), notices: notices)
        } catch {
            throw hubError(error)
        }
    }

    // MARK: - Files

    /// Moves what is left of the database away, its journal too: beside a backup that would be taken for the backup's.
    /// - Returns: the name that the file, or its journal, has now; nothing where there was none.
    private func setAside() throws -> String? {
        let stamp = "offpeak.sqlite.broken-\(Int(now.timeIntervalSince1970))"
        let names = [stamp] + (2...99).map { "\(stamp)-\($0)" }
        let isTaken = { (name: String) in
            ["", "-wal", "-shm"].contains { Self.exists(folder.appendingPathComponent(name + $0)) }
        }
        let name = names.first { !isTaken($0) } ?? stamp
        let aside = folder.appendingPathComponent(name)
        var moved: String?
        for suffix in ["", "-wal", "-shm"] where Self.exists(Self.beside(file, suffix)) {
            try FileManager.default.moveItem(at: Self.beside(file, suffix), to: Self.beside(aside, suffix))
            moved = moved ?? name + suffix
        }
        return moved
    }

    /// Puts a copy of the backup into the database's place; it is there only when it is whole and on the disk.
    private func restore(_ backup: URL) throws {
        removeAll()
        let partial = Self.beside(file, ".restoring")
        try? FileManager.default.removeItem(at: partial)
        try FileManager.default.copyItem(at: backup, to: partial)
        let handle = try FileHandle(forWritingTo: partial)
        try handle.synchronize()
        try handle.close()
        try FileManager.default.moveItem(at: partial, to: file)
    }

    private func removeAll() {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(at: Self.beside(file, suffix)) }
    }

    private static func beside(_ file: URL, _ suffix: String) -> URL { URL(fileURLWithPath: file.path + suffix) }

    private static func exists(_ file: URL) -> Bool { FileManager.default.fileExists(atPath: file.path) }

    /// In bytes; nothing where there is no such file.
    private static func size(of file: URL) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes?[.size] as? NSNumber)?.intValue
    }

    // MARK: - Errors

    private static func guestError(_ fault: String, _ folder: URL) -> HubError {
        HubError(
            .storage,
            "the database \(fault.replacing("was ", with: "is ", maxReplacements: 1)) in \(folder.path); start the hub, which restores the newest backup"
        )
    }

    private func hubError(_ error: any Error) -> HubError {
        if let error = error as? HubError { return error }
        // SQLite can't make its files on a full disk, and calls that an error of input and output.
        if let error = error as? SQLiteError, error.code == .inputOutput, let free = Self.freeBytes(folder),
            free < 1 << 20
        {
            return HubError(
                .storage, "\(file.path): the disk is full; free space on it and start the hub again",
                retry: .needsPerson)
        }
        if let error = error as? SQLiteError { return HubError(storage: error) }
        return HubError(.storage, "the database could not be opened: \(plainWords(of: error))")
    }

    /// What unprivileged programs may still write to the disk of a folder, in bytes.
    private static func freeBytes(_ folder: URL) -> UInt64? {
        var status = statvfs()
        guard statvfs(folder.path, &status) == 0 else { return nil }
        return UInt64(status.f_bavail) * UInt64(status.f_frsize)
    }
}
