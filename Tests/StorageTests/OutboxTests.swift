import EnergyKit
import Foundation
import HubKit
import TestSupport
import Testing

@testable import Storage

@Suite("The queues of sinks that come and go, and what is forgotten")
struct OutboxTests {
    private let venue = UUID()

    private func append(_ rows: [EventRow], _ store: HubStore, sinks: [String] = []) async throws
        -> [StoredEvent]
    {
        try await store.appendNew(EventBatch(venueID: venue, events: rows), sinks: sinks)
    }

    private func waiting(_ sink: String, _ store: HubStore) async throws -> [UUID] {
        try await store.nextBatch(sink: sink, limit: 1000).map(\.event.id)
    }

    @Test("a sink that is away for a while keeps its queue and gets what was accepted meanwhile")
    func awaySink() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        try await store.register(sink: "a", withHistory: false)
        let before = [row(), row()]
        _ = try await append(before, store, sinks: ["a"])
        // Twice, as at two starts without it: the first one counts.
        #expect(try await store.pauseSinks(except: ["b"]).map(\.name) == ["a"])
        let during = [row()]
        _ = try await append(during, store)
        #expect(try await store.pauseSinks(except: ["b"]).isEmpty)
        let more = [row()]
        _ = try await append(more, store)
        try await store.register(sink: "a", withHistory: false)
        #expect(try await waiting("a", store) == (before + during + more).map(\.event.id))
        // Being there, nothing is added again.
        let all = try await store.nextBatch(sink: "a", limit: 10)
        try await store.acknowledge(sink: "a", sequences: all.map(\.sequence))
        try await store.register(sink: "a", withHistory: false)
        #expect(try await waiting("a", store).isEmpty)
    }

    @Test(
        "a sink is given the past, all or from a moment on, each event once, and not what it refused")
    func history() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let rows = (0..<6).map { row(.active, Double($0) * 60) }
        let stored = try await append(rows, store, sinks: ["a"])
        try await store.acknowledge(sink: "a", sequences: stored.prefix(3).map(\.sequence))
        try await store.bury(sink: "a", sequence: stored[0].sequence, reason: "no")
        #expect(try await store.enqueueHistory(sink: "a", since: noon.addingTimeInterval(120)) == 1)
        #expect(try await waiting("a", store) == rows.dropFirst(2).map(\.event.id))
        #expect(try await store.enqueueHistory(sink: "a", since: nil) == 1)
        #expect(try await waiting("a", store) == rows.dropFirst(1).map(\.event.id))
        #expect(try await store.enqueueHistory(sink: "b", since: nil) == 6)
        #expect(try await store.oldestWaiting(sink: "b") == noon)
        #expect(try await store.oldestWaiting(sink: "c") == nil)
    }

    @Test(
        "sessions of long ago are forgotten as a whole; what a sink still waits for or refused keeps its session"
    )
    func pruning() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let ids = (0..<5).map { _ in UUID() }
        func session(_ index: Int, from start: Double) -> [EventRow] {
            [row(.begin, start, session: ids[index]), row(.end, start + 600, session: ids[index])]
        }
        let old = session(0, from: -5000)
        let queued = session(1, from: -4000)
        let refused = session(2, from: -3000)
        let acrossTheMoment = session(3, from: -300)
        let young = session(4, from: 300)
        _ = try await append(old, store)
        let inQueue = try await append(queued, store, sinks: ["a"])
        try await store.acknowledge(sink: "a", sequences: [inQueue[0].sequence])
        let dead = try await append(refused, store, sinks: ["a"])
        try await store.bury(sink: "a", sequence: dead[1].sequence, reason: "no")
        try await store.acknowledge(sink: "a", sequences: [dead[0].sequence])
        _ = try await append(acrossTheMoment + young, store)
        try await store.keep(
            ids.map { id in
                SessionSummary(
                    id: id, venueID: venue, deviceID: "car", kind: "ev", direction: "imported", began: noon,
                    lastEventAt: noon)
            }, acknowledging: [], sink: "local")

        #expect(try await store.pruneEvents(before: noon) == 2)
        let kept = try await store.events(limit: 100).events.map(\.event.id)
        #expect(kept == (queued + refused + acrossTheMoment + young).map(\.event.id))
        #expect(Set(try await store.sessions(limit: 10).map(\.id)) == Set(ids.dropFirst()))
        // Once it is delivered and sent again, nothing keeps them.
        try await store.acknowledge(sink: "a", sequences: inQueue.map(\.sequence))
        #expect(try await store.resend(sink: "a") == 1)
        try await store.acknowledge(sink: "a", sequences: dead.map(\.sequence))
        #expect(try await store.pruneEvents(before: noon) == 4)
        #expect(try await store.pruneEvents(before: noon) == 0)
        #expect(try await store.integrityFaults() == [])
    }

    @Test("an event's text is handed on as it is on disk")
    func text() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let stored = try await append([row()], store, sinks: ["a"])
        let read = try await store.nextBatch(sink: "a", limit: 1)
        let wanted = String(
            decoding: try EnergyKitJSON.encoder().encode(stored[0].event), as: UTF8.self)
        #expect(try stored[0].json() == wanted && read[0].json() == wanted)
        #expect(try StoredEvent(sequence: 1, venueID: venue, event: stored[0].event).json() == wanted)
    }
}
