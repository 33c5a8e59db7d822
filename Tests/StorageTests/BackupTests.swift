import Foundation
import HubKit
import SQLite
import TestSupport
import Testing

@testable import Storage

@Suite("Backups")
struct BackupTests {
    private static let day: TimeInterval = 86_400

    private func seconds(_ folder: TemporaryFolder, at now: Date = .distantFuture) throws -> [Int] {
        try BackupFolder(in: folder.url).copies(at: now)
            .map { Int(($0.madeAt.timeIntervalSince(noon) / Self.day).rounded()) }
    }

    private func backUp(_ folder: TemporaryFolder, atDay day: Double) async throws {
        let store = try await newStore(folder, at: noon.addingTimeInterval(day * Self.day))
        try await store.backUp()
        await store.close()
    }

    @Test("of daily backups the newest seven stay")
    func daily() async throws {
        let folder = try TemporaryFolder()
        for day in 0..<9 { try await backUp(folder, atDay: Double(day)) }
        #expect(try seconds(folder) == [8, 7, 6, 5, 4, 3, 2])
    }

    @Test("backups that came soon after each other do not push the last week out")
    func oftenInADay() async throws {
        let folder = try TemporaryFolder()
        for day in 0..<6 { try await backUp(folder, atDay: Double(day)) }
        for hour in 1...12 { try await backUp(folder, atDay: 5 + Double(hour) / 48) }
        #expect(Set(try seconds(folder)) == [0, 1, 2, 3, 4, 5])
        try await backUp(folder, atDay: 7.5)
        #expect(try !seconds(folder).contains(0))
        #expect(try seconds(folder).contains(1))
    }

    @Test("a backup is due by the age of the newest on disk, also after restarts, and whatever a wrong clock made")
    func due() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a person's own", to: "backups/before-update.sqlite")
        #expect(try await isDue(folder, afterHours: 0))
        try await backUp(folder, atDay: 0)
        #expect(try await !isDue(folder, afterHours: 0.1))
        #expect(try await !isDue(folder, afterHours: 23.9))
        #expect(try await isDue(folder, afterHours: 24))
        try await backUp(folder, atDay: 4000)
        #expect(try await !isDue(folder, afterHours: 23.9))
        #expect(try await isDue(folder, afterHours: 24))
        // What the wrong clock made takes nobody's place, and is the last to be restored.
        for day in 1..<12 { try await backUp(folder, atDay: Double(day)) }
        let now = noon.addingTimeInterval(12 * Self.day)
        #expect(try seconds(folder, at: now) == [11, 10, 9, 8, 7, 6, 5, 4000])
        #expect(try BackupFolder(in: folder.url).candidates(at: now).last?.lastPathComponent == "before-update.sqlite")
    }

    private func isDue(_ folder: TemporaryFolder, afterHours hours: Double) async throws -> Bool {
        let store = try await newStore(folder, at: noon.addingTimeInterval(hours * 3600))
        let isDue = store.isBackupDue(after: Self.day)
        await store.close()
        return isDue
    }

    @Test("a malformed copy is no backup, takes no good one's place, and is told with place and remedy")
    func malformedCopy() async throws {
        let folder = try TemporaryFolder()
        let log = CollectingLog()
        for day in 0..<8 { try await backUp(folder, atDay: Double(day) - 8) }
        let before = try seconds(folder)
        let store = try await HubStore(folder: folder.url, clock: StandingClock(), log: log.log)
        for _ in 0..<40 {
            let rows = (0..<50).map { _ in row() }
            _ = try await store.append(EventBatch(venueID: UUID(), events: rows), sinks: [])
        }
        try await store.database.emptyJournal()
        // What it remembers of the file would hide the damage.
        _ = try await store.database.read { try $0.query("PRAGMA shrink_memory", []) { _ in 0 } }
        try damage(folder.file("offpeak.sqlite"))
        for _ in 0..<3 {
            let error = await #expect(throws: HubError.self) { try await store.backUp() }
            #expect(error?.message.contains("malformed") == true, "\(error?.message ?? "")")
        }
        await #expect(throws: HubError.self) { try await store.backUp(to: folder.file("own.sqlite").path) }
        #expect(try seconds(folder) == before)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("backups").path)
        #expect(files.count == before.count, "\(files)")
        #expect(!FileManager.default.fileExists(atPath: folder.file("own.sqlite").path))
        let fault = try #require(store.health.backupFault)
        #expect(fault.contains("offpeak.sqlite") && fault.contains("restart the hub"), "\(fault)")
        #expect(store.isBackupDue(after: Self.day))
        #expect(log.texts(from: .error).count == 1, "\(log.texts())")
    }

    @Test("a backup that can't be written is told with place and remedy until one is good again")
    func unwritable() async throws {
        let folder = try TemporaryFolder()
        let log = CollectingLog()
        let store = try await HubStore(folder: folder.url, clock: StandingClock(), log: log.log)
        try folder.write("in the way", to: "backups")
        await #expect(throws: HubError.self) { try await store.backUp() }
        let fault = try #require(store.health.backupFault)
        #expect(fault.contains(folder.file("backups").path) && fault.contains("may write"), "\(fault)")
        #expect(store.isBackupDue(after: Self.day))
        await store.tryToRecover()
        #expect(store.health.backupFault != nil)
        try FileManager.default.removeItem(at: folder.file("backups"))
        try await store.backUp()
        #expect(store.health.backupFault == nil)
        #expect(!store.isBackupDue(after: Self.day))
        #expect(log.texts().last?.contains("backed up again") == true, "\(log.texts())")
    }

    /// Overwrites the end of every page beyond the first few, as a card that fails does.
    private func damage(_ file: URL) throws {
        let handle = try FileHandle(forUpdating: file)
        let pages = try handle.seekToEnd() / 4096
        #expect(pages > 40)
        for page in stride(from: 30, to: pages, by: 3) {
            try handle.seek(toOffset: page * 4096)
            try handle.write(contentsOf: Data((0..<64).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }))
        }
        try handle.close()
    }
}
