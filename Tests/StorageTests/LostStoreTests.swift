import EnergyKit
import Foundation
import HubKit
import SQLite
import TestSupport
import Testing

@testable import Storage

/// Field case R-1 where the file is not malformed, and yet not the hub's database any more.
@Suite("A database that is missing, empty or another program's")
struct LostStoreTests {
    enum Loss: String, CaseIterable, Sendable {
        case missing, journalOnly, zeroBytes, zeroBytesWithJournal, noTables, otherProgram, otherProgramWithVersion
        case tableDropped, laterTableDropped

        var isFileThere: Bool { self != .missing }
        /// Whether nothing at all tells that there was a database.
        var isLikeFirstStart: Bool { [.missing, .zeroBytes, .noTables].contains(self) }
    }

    /// What happens to the file while the hub has it open.
    @Test(arguments: [
        "rm -f offpeak.sqlite*", "mv offpeak.sqlite away", "truncate -s 0 offpeak.sqlite",
        "cp offpeak.sqlite x && mv x offpeak.sqlite", "rm offpeak.sqlite-wal", "mv offpeak.sqlite-wal away",
        "rm offpeak.sqlite-shm",
    ])
    func whatWouldBeGoneAtTheNextStartIsNotAccepted(loss: String) async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        _ = try await store.append(EventBatch(venueID: UUID(), events: [row()]), sinks: [])
        let outcome = try await ChildProcess.run("/bin/sh", ["-c", loss], workingDirectory: folder.url)
        try #require(outcome.status == 0, "\(outcome.standardError)")
        let error = await #expect(throws: HubError.self) {
            try await store.append(EventBatch(venueID: UUID(), events: [row()]), sinks: [])
        }
        #expect(error?.message.contains("restart the hub") == true)
        #expect(await !store.currentHealth().isWritable)
    }

    @Test(arguments: Loss.allCases)
    func theNewestGoodBackupTakesItsPlace(loss: Loss) async throws {
        let folder = try TemporaryFolder()
        let kept = try await backedUp(folder)
        try await lose(folder, loss)
        let store = try await newStore(folder, at: noon.addingTimeInterval(3600))
        #expect(try await store.events(limit: 10).events.map(\.event.id) == [kept])
        #expect(try await store.integrityFaults().isEmpty)
        #expect(store.notices.count == 2 && store.notices[1].contains("took its place"), "\(store.notices)")
        let aside = try names(folder).filter { $0.hasPrefix("offpeak.sqlite.broken-") }
        #expect(aside.isEmpty == !loss.isFileThere, "\(aside)")
        await store.close()
        // It is mended for good.
        let again = try await newStore(folder, at: noon.addingTimeInterval(7200))
        #expect(again.notices.isEmpty)
        #expect(try await again.events(limit: 10).events.map(\.event.id) == [kept])
    }

    @Test(arguments: Loss.allCases)
    func withoutABackupWhatIsThereIsSetAsideAndItIsToldUnlessItIsAFirstStart(loss: Loss) async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        _ = try await store.append(EventBatch(venueID: UUID(), events: [row()]), sinks: [])
        await store.close()
        try await lose(folder, loss)
        let opened = try await newStore(folder)
        #expect(try await opened.events(limit: 10).events.isEmpty)
        #expect(opened.notices.isEmpty == loss.isLikeFirstStart, "\(opened.notices)")
        #expect(try names(folder).contains { $0.contains("broken") } == !loss.isLikeFirstStart)
        #expect(try await opened.append(EventBatch(venueID: UUID(), events: [row()]), sinks: []).accepted == 1)
    }

    @Test(arguments: Loss.allCases)
    func aGuestTouchesNothingAndSaysWhatRestoresIt(loss: Loss) async throws {
        let folder = try TemporaryFolder()
        _ = try await backedUp(folder)
        try await lose(folder, loss)
        let error = await #expect(throws: HubError.self) {
            _ = try await HubStore(folder: folder.url, clock: StandingClock(), log: .silent, use: .guest)
        }
        #expect(error?.message.contains("start the hub") == true, "\(error?.message ?? "")")
        #expect(try !names(folder).contains { $0.contains("broken") })
        let store = try await newStore(folder)
        #expect(try await store.events(limit: 10).events.count == 1)
    }

    @Test("a backup that is empty, another program's or cut short is passed over for the one before", arguments: 0..<3)
    func uselessBackups(kind: Int) async throws {
        let folder = try TemporaryFolder()
        let kept = try await backedUp(folder)
        let newer = folder.file("backups/offpeak-\(Int(noon.timeIntervalSince1970) + 60).sqlite")
        switch kind {
        case 0: try Data().write(to: newer)
        case 1: try await makeForeign(newer.path, version: 0)
        default:
            let good = folder.file("backups/offpeak-\(Int(noon.timeIntervalSince1970)).sqlite")
            try Data(contentsOf: good).prefix(8192).write(to: newer)
        }
        try FileManager.default.removeItem(at: folder.file("offpeak.sqlite"))
        let store = try await newStore(folder, at: noon.addingTimeInterval(3600))
        #expect(try await store.events(limit: 10).events.map(\.event.id) == [kept])
    }

    @Test("two databases set aside in one second both stay")
    func twiceInOneSecond() async throws {
        let folder = try TemporaryFolder()
        for text in ["no database at all", "nor this"] {
            try folder.write(text, to: "offpeak.sqlite")
            for suffix in ["-wal", "-shm"] {
                try? FileManager.default.removeItem(at: folder.file("offpeak.sqlite" + suffix))
            }
            await (try newStore(folder)).close()
        }
        #expect(try names(folder).filter { $0.contains("broken") }.count == 2)
    }

    // MARK: - Making it

    /// A store with one event that is in a backup and one that is not, closed.
    private func backedUp(_ folder: TemporaryFolder) async throws -> UUID {
        let store = try await newStore(folder)
        let kept = row()
        _ = try await store.append(EventBatch(venueID: UUID(), events: [kept]), sinks: [])
        try await store.backUp()
        _ = try await store.append(EventBatch(venueID: UUID(), events: [row()]), sinks: [])
        await store.close()
        return kept.event.id
    }

    private func lose(_ folder: TemporaryFolder, _ loss: Loss) async throws {
        let file = folder.file("offpeak.sqlite")
        let journal = folder.file("offpeak.sqlite-wal")
        switch loss {
        case .missing: try FileManager.default.removeItem(at: file)
        case .journalOnly:
            try FileManager.default.removeItem(at: file)
            try Data(repeating: 7, count: 5000).write(to: journal)
        case .zeroBytes: try Data().write(to: file)
        case .zeroBytesWithJournal:
            try Data().write(to: file)
            try Data(repeating: 7, count: 5000).write(to: journal)
        case .noTables:
            try FileManager.default.removeItem(at: file)
            await (try Database(path: file.path)).close()
        case .otherProgram, .otherProgramWithVersion:
            try FileManager.default.removeItem(at: file)
            try await makeForeign(file.path, version: loss == .otherProgram ? 0 : 3)
        case .tableDropped: try await drop("events", file.path)
        case .laterTableDropped: try await drop("sources", file.path)
        }
    }

    private func makeForeign(_ path: String, version: Int) async throws {
        let database = try await Database(path: path)
        try await database.transaction { connection in
            try connection.executeScript("CREATE TABLE songs (name TEXT); PRAGMA user_version = \(version)")
        }
        await database.close()
    }

    private func drop(_ table: String, _ path: String) async throws {
        let database = try await Database(path: path)
        try await database.transaction { try $0.executeScript("DROP TABLE \(table)") }
        await database.close()
    }

    private func names(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }
}
