import EnergyKit
import Foundation
import HubKit
import TestSupport
import Testing

@testable import Storage

@Suite("Opening the store")
struct StoreOpeningTests {
    @Test(
        "R-1 a malformed database is set aside, and the newest good backup takes its place", arguments: [true, false])
    func malformed(isBackedUp: Bool) async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let venue = UUID()
        let kept = row()
        _ = try await store.append(EventBatch(venueID: venue, events: [kept]), sinks: [])
        if isBackedUp { try await store.backUp() }
        _ = try await store.append(EventBatch(venueID: venue, events: [row()]), sinks: [])
        await store.close()
        try await damage(folder)

        let opened = try await reopened(folder)
        #expect(opened.notices.count == 2)
        #expect(opened.notices[0].contains("set aside as offpeak.sqlite.broken-"))
        let events = try await opened.store.events(limit: 10).events
        #expect(events.map(\.event.id) == (isBackedUp ? [kept.event.id] : []))
        #expect(try await opened.store.integrityFaults().isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.contains { $0.hasPrefix("offpeak.sqlite.broken-") })
    }

    @Test("R-1 a backup that is malformed too is passed over for the one before")
    func malformedBackup() async throws {
        let folder = try TemporaryFolder()
        let first = try await newStore(folder)
        let kept = row()
        _ = try await first.append(EventBatch(venueID: UUID(), events: [kept]), sinks: [])
        try await first.backUp()
        await first.close()
        try Data("this is no database at all, but long enough to look at".utf8)
            .write(to: folder.file("backups/offpeak-\(Int(noon.timeIntervalSince1970) + 60).sqlite"))
        try await damage(folder)
        let opened = try await reopened(folder)
        #expect(try await opened.store.events(limit: 10).events.map(\.event.id) == [kept.event.id])
    }

    /// Overwrites pages in the middle of the file.
    private func damage(_ folder: TemporaryFolder) async throws {
        let file = folder.file("offpeak.sqlite")
        var bytes = try Data(contentsOf: file)
        #expect(bytes.count > 8192)
        for place in stride(from: 100, to: bytes.count, by: 3) { bytes[place] = UInt8(truncatingIfNeeded: place &* 31) }
        try bytes.write(to: file)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
    }

    private func reopened(_ folder: TemporaryFolder) async throws -> (store: HubStore, notices: [String]) {
        let store = try await newStore(folder, at: noon.addingTimeInterval(3600))
        return (store, store.notices)
    }

    @Test("a file that was cut short, or is something else, does not stop the hub", arguments: ["", "short", "text"])
    func otherFiles(kind: String) async throws {
        let folder = try TemporaryFolder()
        let content = kind == "text" ? String(repeating: "no database. ", count: 5000) : kind
        try folder.write(content, to: "offpeak.sqlite")
        let store = try await newStore(folder)
        #expect(try await store.append(EventBatch(venueID: UUID(), events: [row()]), sinks: []).accepted == 1)
    }

    @Test("a second hub on the same folder is refused, and told why; after the first has gone it may start")
    func secondHub() async throws {
        let folder = try TemporaryFolder()
        var first: HubStore? = try await newStore(folder)
        for _ in 0..<20 {
            let error = await #expect(throws: HubError.self) { _ = try await newStore(folder) }
            #expect(error?.code == .inUse)
        }
        // The refusals left the first one's files alone.
        #expect(try await first?.append(EventBatch(venueID: UUID(), events: [row()]), sinks: []).accepted == 1)
        await first?.close()
        first = nil
        _ = try await newStore(folder)
    }

    @Test("a guest reads and writes beside the hub, and never sets a database aside")
    func guest() async throws {
        let folder = try TemporaryFolder()
        let hub = try await newStore(folder)
        let guest = try await HubStore(folder: folder.url, clock: StandingClock(), log: .silent, use: .guest)
        _ = try await hub.append(EventBatch(venueID: UUID(), events: [row()]), sinks: [])
        _ = try await guest.append(EventBatch(venueID: UUID(), events: [row()]), sinks: [])
        #expect(try await hub.events(limit: 10).events.count == 2)
        await guest.close()
        await hub.close()
        try await damage(folder)
        await #expect(throws: HubError.self) {
            _ = try await HubStore(folder: folder.url, clock: StandingClock(), log: .silent, use: .guest)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.contains("broken") })
    }

    @Test("a folder that can't be made says what to do")
    func impossibleFolder() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a file", to: "data")
        let place = folder.file("data/inside")
        let error = await #expect(throws: HubError.self) {
            _ = try await HubStore(folder: place, clock: StandingClock(), log: .silent)
        }
        #expect(error?.code == .storage)
        #expect(error?.message.contains("choose another with 'data:'") == true)
    }

    @Test("a read-only folder says what to do", .enabled(if: geteuid() != 0, "root may write everywhere"))
    func readOnlyFolder() async throws {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o500)
        defer { chmod(folder.path, 0o700) }
        let error = await #expect(throws: HubError.self) { _ = try await newStore(folder) }
        #expect(error?.message.contains("mend its permissions") == true)
    }

    @Test("what is in the folder is the owner's alone")
    func permissions() async throws {
        let folder = try TemporaryFolder()
        let place = folder.file("new/data")
        let store = try await HubStore(folder: place, clock: StandingClock(), log: .silent)
        let attributes = try FileManager.default.attributesOfItem(atPath: place.path)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        await store.close()
    }
}
