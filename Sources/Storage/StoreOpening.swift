import Foundation
import HubKit
import SQLite

/// Opens the database file, and mends what can be mended: a malformed file is set aside and the newest good backup
/// takes its place.
struct StoreOpening {
    let folder: URL
    let now: Date
    let mayRecover: Bool

    struct Opened {
        var database: Database
        var notices: [String]
    }

    private var file: URL { folder.appendingPathComponent("offpeak.sqlite") }

    func open() async throws(HubError) -> Opened {
        do {
            return Opened(database: try await openChecked(), notices: [])
        } catch let error as SQLiteError where error.isCorrupt && mayRecover {
            return try await recover(from: error)
        } catch {
            throw StoreOpening.hubError(error)
        }
    }

    private func openChecked() async throws -> Database {
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
            try await database.migrate(Schema.migrations)
            return database
        } catch {
            await database.close()
            throw error
        }
    }

    private func recover(from error: SQLiteError) async throws(HubError) -> Opened {
        let aside = folder.appendingPathComponent("offpeak.sqlite.broken-\(Int(now.timeIntervalSince1970))")
        var notices = ["the database was malformed (\(error.message)) and was set aside as \(aside.lastPathComponent)"]
        do {
            try FileManager.default.moveItem(at: file, to: aside)
            for suffix in ["-wal", "-shm"] {
                let side = URL(fileURLWithPath: file.path + suffix)
                if FileManager.default.fileExists(atPath: side.path) {
                    try FileManager.default.moveItem(at: side, to: URL(fileURLWithPath: aside.path + suffix))
                }
            }
            for backup in try StoreOpening.backups(in: folder) {
                try? FileManager.default.removeItem(at: file)
                try FileManager.default.copyItem(at: backup, to: file)
                if let database = try? await openChecked() {
                    notices.append(
                        "the backup \(backup.lastPathComponent) took its place; what came after it is in the file set aside"
                    )
                    return Opened(database: database, notices: notices)
                }
            }
            try? FileManager.default.removeItem(at: file)
            notices.append("there was no good backup; the hub starts with an empty database")
            return Opened(database: try await openChecked(), notices: notices)
        } catch {
            throw StoreOpening.hubError(error)
        }
    }

    /// The backups, newest first.
    static func backups(in folder: URL) throws -> [URL] {
        let backups = folder.appendingPathComponent("backups")
        guard FileManager.default.fileExists(atPath: backups.path) else { return [] }
        return try FileManager.default.contentsOfDirectory(at: backups, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "sqlite" }.sorted { $0.lastPathComponent > $1.lastPathComponent }
    }

    private static func hubError(_ error: any Error) -> HubError {
        if let error = error as? HubError { return error }
        if let error = error as? SQLiteError { return HubError(storage: error) }
        return HubError(.storage, "the database could not be opened: \(plainWords(of: error))")
    }
}
