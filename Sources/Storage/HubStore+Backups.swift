package import Foundation
import HubKit
import SQLite
import ThreadKit

/// Says once that a backup failed, and once that one is good again.
final class BackupWatch: Sendable {
    private struct State {
        var reason: String?
        var fault = StandingFault(reminderSeconds: 86_400)
    }

    private let state = Locked(State())
    private let log: HubLog

    init(log: HubLog) { self.log = log.labelled("store") }

    var reason: String? { state.withLock { $0.reason } }

    func failed(_ reason: String, at now: Date) {
        let line = state.withLock { state in
            state.reason = reason
            return state.fault.failed("\(reason); tried again in an hour", at: now)
        }
        if let line { log.error(line) }
    }

    func succeeded(at now: Date) {
        let line = state.withLock { state in
            state.reason = nil
            return state.fault.ended("the database was backed up again", at: now)
        }
        if let line { log.notice(line) }
    }
}

extension HubStore {
    /// Whether the newest good copy in `backups` is older than this, or there is none.
    ///
    /// A folder that can't be read needs a backup too: the attempt says what is wrong with it.
    /// - Parameter seconds: the age.
    package func isBackupDue(after seconds: TimeInterval) -> Bool {
        guard clock.isBelievable else { return false }
        guard let newest = try? BackupFolder(in: folder).newest(at: clock.now) else { return true }
        return clock.now.timeIntervalSince(newest) >= seconds
    }

    /// Copies the database into `backups` and looks whether the copy is good; only then are old ones removed.
    ///
    /// The newest seven stay, and those of the last seven days. A failure is told in the log and shown by `health`.
    /// - Throws: `HubError` that says what kept it from being written, or what is wrong with the copy; there is no copy then.
    package func backUp() async throws {
        let backups = BackupFolder(in: folder)
        do {
            try FileManager.default.createDirectory(at: backups.folder, withIntermediateDirectories: true)
            try await backUp(to: backups.place(at: clock.now).path)
            try backups.prune(at: clock.now)
            backupWatch.succeeded(at: clock.now)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            let remedy = error is HubError ? "" : "; see that it is a folder in which this user may write"
            let reason =
                "the database could not be backed up to \(backups.folder.path): \(plainWords(of: error))\(remedy)"
            backupWatch.failed(reason, at: clock.now)
            throw HubError(.storage, reason)
        }
    }

    /// Copies the database to a file while it is in use; the file is there only when the copy is good.
    /// - Throws: what kept it from being written, or `HubError` that says what is wrong with the copy.
    package func backUp(to path: String) async throws {
        // Another name until it is known to be good, so that nobody takes it for a backup.
        let unchecked = path + ".unchecked"
        defer {
            for suffix in ["", "-journal", ".partial"] {
                try? FileManager.default.removeItem(atPath: unchecked + suffix)
            }
        }
        do {
            try await database.backup(to: unchecked)
            let faults = try await Self.faults(inCopy: unchecked)
            guard faults.isEmpty else {
                throw HubError(
                    .storage,
                    "the copy is malformed (\(faults.prefix(3).joined(separator: "; "))), so \(folder.appendingPathComponent("offpeak.sqlite").path) is; the earlier backups stay: restart the hub, which sets the database aside and restores the newest"
                )
            }
        } catch let error as SQLiteError {
            throw HubError(storage: error)
        }
        guard rename(unchecked, path) == 0 else {
            throw HubError(.storage, "\(path) can't be written (\(String(cString: strerror(errno))))")
        }
    }

    /// What is wrong with a copy; empty where it is good.
    private static func faults(inCopy path: String) async throws -> [String] {
        // On a thread of its own, so that nothing waits for the check.
        let copy = try await Database(path: path, configuration: DatabaseConfiguration(isReadOnly: true))
        do {
            var faults = try await copy.integrityCheck()
            if faults.isEmpty, try await StoreContent.look(at: copy) != .hub { faults = ["tables are missing"] }
            await copy.close()
            return faults
        } catch {
            await copy.close()
            if let error = error as? SQLiteError, error.isCorrupt { return [error.message] }
            throw error
        }
    }

    /// What the database says is wrong with itself; empty where nothing is.
    /// - Throws: what kept it from being read.
    package func integrityFaults() async throws -> [String] { try await database.integrityCheck() }
}
