package import Foundation
import Glibc
package import HubKit
import SQLite
package import ThreadKit

/// The hub's one store: venues, guidance, load events with their outbox, sessions, settings and credentials in one
/// SQLite file.
///
/// ## File Format
/// `offpeak.sqlite` in WAL mode with `synchronous=FULL`: what a transaction committed is on disk before the call returns
/// (https://www.sqlite.org/pragma.html#pragma_synchronous). Times are seconds since 1970, identifiers upper-case text.
///
/// ## Thread Safety
/// All calls run one after the other on the database's own thread.
package final class HubStore: Sendable {
    /// The database.
    let database: Database
    /// The folder everything is in.
    package let folder: URL
    /// What a person should know about how the store was opened, such as a database set aside.
    package let notices: [String]
    /// The store's thread, for tasks that do little but call the store: such calls cost them no change of thread.
    package var thread: ThreadPreference { database.preference }
    let clock: any HubClock
    let watch: WriteWatch
    let backupWatch: BackupWatch
    private let lock: Locked<FolderLock?>
    private let file: FileIdentity?
    /// What belongs to the database: its journal, which has what was committed last, and that one's index.
    private let companions: [String]

    /// Opens or creates the store.
    ///
    /// A database that is malformed, empty, missing or another program's is set aside where there is something to set
    /// aside, and the newest good backup takes its place (field case R-1).
    /// - Parameters:
    ///   - folder: where it is kept; created with mode 0700 where missing.
    ///   - clock: the hub's time.
    ///   - log: where notices go too.
    ///   - use: what it is opened for.
    /// - Throws: `HubError` that says what is wrong with the folder or file and how to mend it.
    package init(
        folder: URL, clock: any HubClock, log: HubLog, use: StoreUse = .hub
    ) async throws(HubError) {
        if use != .reader { try FolderLock.prepare(folder) }
        lock = Locked(use == .hub ? try FolderLock(folder) : nil)
        self.folder = folder
        self.clock = clock
        watch = WriteWatch(clock: clock, log: log)
        backupWatch = BackupWatch(log: log)
        let opened = try await StoreOpening(folder: folder, now: clock.now, use: use).open()
        database = opened.database
        let place = folder.appendingPathComponent("offpeak.sqlite").path
        file = FileIdentity(URL(fileURLWithPath: place))
        companions = ["-wal", "-shm"].map { place + $0 }.filter { access($0, F_OK) == 0 }
        notices = opened.notices
        // It is only faster with it.
        if use == .hub { try? await database.reserveJournal() }
        for notice in opened.notices { log.labelled("store").warning(notice) }
    }

    /// Closes the database and lets go of the folder; nothing may be called after that.
    package func close() async {
        await database.close()
        lock.withLock { $0 = nil }
    }

    /// Runs a transaction and says in the hub's words what went wrong.
    func write<Result: Sendable>(_ body: @escaping @Sendable (borrowing Connection) throws -> Result) async throws
        -> Result
    {
        do {
            try requireFile()
            let result = try await database.transaction(body)
            watch.noteSuccess()
            return result
        } catch let error as SQLiteError {
            watch.note(error)
            throw HubError(storage: error)
        }
    }

    /// What is written into a file that has lost its name is gone at the next start, whatever SQLite says.
    private func requireFile() throws(SQLiteError) {
        // Only whether they are there: asking for more makes each commit write the journal's times too, which takes longer.
        let lost = file.flatMap { $0.isStillThere ? nil : $0.path } ?? companions.first { access($0, F_OK) != 0 }
        guard let lost else { return }
        throw SQLiteError(
            extendedCode: SQLiteError.Code.lost.rawValue,
            message: "the file was removed, moved or emptied while the hub runs", path: lost)
    }

    /// Reads, and says in the hub's words what went wrong.
    func read<Result: Sendable>(_ body: @escaping @Sendable (borrowing Connection) throws -> Result) async throws
        -> Result
    {
        do {
            return try await database.read(body)
        } catch let error as SQLiteError {
            throw HubError(storage: error)
        }
    }
}

/// What a store is opened for.
package enum StoreUse: Sendable {
    /// The hub itself, which holds the folder and mends what is broken.
    case hub
    /// Changes from outside, also while a hub uses the folder: SQLite itself keeps two writers apart, and nothing is set
    /// aside or restored.
    case guest
    /// Reading from outside, also where nothing can be written, as in a copy on a read-only disk.
    case reader
}

extension HubError {
    /// A fault of the database: a full disk passes once someone frees space, a broken file does not.
    init(storage error: SQLiteError) {
        let passes = [.inputOutput, .noMemory].contains(error.code) || error.isBusy
        let retry: RetryClass = passes ? .transient : error.isOfTheFile ? .needsPerson : .permanent
        self.init(.storage, error.plainText, retry: retry)
    }
}
