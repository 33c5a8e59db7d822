import EnergyKit
import Foundation
import HubKit
import SQLite
import TestSupport
import Testing

@testable import Storage

@Suite("Events in the store")
struct StoredEventTests {
    @Test("a batch is on disk with its queue places, recorder and sessions; a repeat adds nothing")
    func batch() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        try await store.register(sink: "a", withHistory: false)
        let (venue, session) = (UUID(), UUID())
        let summary = SessionSummary(
            id: session, venueID: venue, deviceID: "car", kind: "ev", direction: "imported", began: noon,
            lastEventAt: noon)
        let rows = [row(.begin, 0, session: session), row(.active, 10, session: session)]
        let batch = EventBatch(venueID: venue, events: rows, recorders: [("car", "state")], sessions: [summary])
        #expect(try await store.append(batch, sinks: ["a"]) == SubmissionReceipt(accepted: 2, duplicates: 0))
        #expect(try await store.append(batch, sinks: ["a"]) == SubmissionReceipt(accepted: 0, duplicates: 2))
        await store.close()

        let copy = try TemporaryFolder()
        let again = try await reopen(store, folder, as: copy)
        #expect(try await again.events(limit: 10).events.map(\.event) == rows.map(\.event))
        #expect(try await again.depth(sink: "a").waiting == 2)
        #expect(try await again.recorder(device: "car") == "state")
        #expect(try await again.session(session) == summary)
        _ = try await again.append(EventBatch(venueID: venue, events: [], recorders: [("car", nil)]), sinks: ["a"])
        #expect(try await again.recorder(device: "car") == nil)
    }

    /// Opens the folder again when the first store has let go of it.
    private func reopen(
        _ store: consuming HubStore, _ folder: TemporaryFolder, as copy: TemporaryFolder
    ) async throws -> HubStore {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasPrefix("offpeak") {
            try FileManager.default.copyItem(at: folder.file(name), to: copy.file(name))
        }
        return try await newStore(copy)
    }

    @Test("a batch that fails in the middle leaves nothing behind")
    func allOrNothing() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let rows = (0..<10).map { row(.active, Double($0)) }
        let poison = rows[7].event.id.uuidString
        try await store.write { connection in
            try connection.execute(
                "CREATE TRIGGER block BEFORE INSERT ON events WHEN new.id = '\(poison)' BEGIN SELECT RAISE(ABORT, 'no'); END"
            )
        }
        await #expect(throws: HubError.self) {
            _ = try await store.append(
                EventBatch(venueID: UUID(), events: rows, recorders: [("car", "state")]), sinks: ["a"])
        }
        #expect(try await store.events(limit: 100).events.isEmpty)
        #expect(try await store.depth(sink: "a").waiting == 0)
        #expect(try await store.recorder(device: "car") == nil)
    }

    @Test("R-2 what was changed is in the files at once, without a close")
    func onDiskAtOnce() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let kept = row()
        _ = try await store.append(EventBatch(venueID: UUID(), events: [kept]), sinks: ["a"])
        let device: DeviceID = "car"
        try await store.keep(setting: "solar", key: "mode", device: device)
        // As after a kill: only what the files hold counts.
        let copy = try TemporaryFolder()
        let found = try await reopen(store, folder, as: copy)
        #expect(try await found.events(limit: 10).events.map(\.event.id) == [kept.event.id])
        #expect(try await found.setting("mode", device: device) == "solar")
        #expect(try await store.setting("mode", device: device) == "solar")
    }

    @Test("R-3 fifty writers at once: none sees 'locked', nothing is lost or doubled")
    func fiftyWriters() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let venue = UUID()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<50 {
                group.addTask {
                    for number in 0..<10 {
                        let new = row(.active, Double(number), device: "car\(writer)")
                        _ = try await store.append(EventBatch(venueID: venue, events: [new]), sinks: ["a"])
                        _ = try await store.events(device: "car\(writer)", limit: 5)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.events(limit: 1000).events.count == 500)
        #expect(try await store.depth(sink: "a").waiting == 500)
    }

    @Test(
        "pages hold every event once, whatever their size, and the last has no cursor", arguments: [1, 3, 7, 25, 100])
    func pages(limit: Int) async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        // Later events happened earlier: the order of pages is that of acceptance.
        let rows = (0..<25).map { row(.active, Double(-$0), device: $0 % 5 == 0 ? "pump" : "car") }
        _ = try await store.append(EventBatch(venueID: UUID(), events: rows), sinks: [])
        for (device, since) in [(nil, nil), ("car", nil), ("car", noon.addingTimeInterval(-12))] as [(String?, Date?)] {
            var found: [UUID] = []
            var cursor: Int64?
            repeat {
                let page = try await store.events(after: cursor, device: device, since: since, limit: limit)
                #expect(page.events.count <= limit)
                found += page.events.map(\.event.id)
                cursor = page.next
            } while cursor != nil
            let wanted = rows.map(\.event).filter { event in
                (device == nil || event.deviceID == device) && (since.map { event.timestamp >= $0 } ?? true)
            }
            #expect(found == wanted.map(\.id))
        }
    }

    @Test("an event comes back as it went in, whole seconds or not")
    func content() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let rows = [row(.begin, 0), row(.active, 0.123456), row(.end, -0.000_001)]
        _ = try await store.append(EventBatch(venueID: UUID(), events: rows), sinks: [])
        #expect(try await store.events(limit: 10).events.map(\.event) == rows.map(\.event))
        #expect(try await store.events(ids: [rows[1].event.id, UUID()]).map(\.event) == [rows[1].event])
    }

    @Test("a session's facts are its first begin, its end, its bounds")
    func facts() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let (id, venue) = (UUID(), UUID())
        #expect(try await store.sessionFacts(id) == nil)
        let rows = [row(.active, 50, session: id), row(.end, 100, session: id), row(.begin, 10, session: id)]
        _ = try await store.append(EventBatch(venueID: venue, events: rows), sinks: [])
        let facts = try #require(try await store.sessionFacts(id))
        #expect(facts.venueID == venue && facts.deviceID == "car")
        #expect(facts.begin?.at == noon.addingTimeInterval(10) && facts.end?.at == noon.addingTimeInterval(100))
        #expect(facts.first.at == noon.addingTimeInterval(10) && facts.last.at == noon.addingTimeInterval(100))
        #expect(
            try await store.events(session: id).map(\.event.timestamp)
                == [10, 50, 100].map { noon.addingTimeInterval($0) })
    }
}
