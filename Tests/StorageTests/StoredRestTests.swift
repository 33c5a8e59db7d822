import EnergyKit
import Foundation
import HubKit
import TestSupport
import Testing

@testable import Storage

@Suite("Queues, guidance, venues, settings and credentials in the store")
struct StoredRestTests {
    @Test("a queue keeps its order; what is acknowledged is gone, what is buried is shown and can come back")
    func queue() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let rows = (0..<5).map { row(.active, Double($0)) }
        let stored = try await store.appendNew(EventBatch(venueID: UUID(), events: rows), sinks: ["a", "b"])
        #expect(try await store.nextBatch(sink: "a", limit: 3).map(\.event.id) == rows.prefix(3).map(\.event.id))
        try await store.acknowledge(sink: "a", sequences: [stored[0].sequence])
        try await store.bury(sink: "a", sequence: stored[1].sequence, reason: "refused")
        #expect(try await store.nextBatch(sink: "a", limit: 10).map(\.event.id) == rows.dropFirst(2).map(\.event.id))
        #expect(try await store.nextBatch(sink: "b", limit: 10).count == 5)
        let dead = try await store.deadLetters(sink: "a", limit: 10)
        #expect(dead.map(\.event.event.id) == [rows[1].event.id])
        #expect(dead.first?.reason == "refused" && dead.first?.at == noon)
        #expect(try await store.depth(sink: "a") == (3, 1))
        #expect(try await store.resend(sink: "a", sequences: [stored[4].sequence]) == 0)
        #expect(try await store.resend(sink: "a") == 1)
        #expect(try await store.nextBatch(sink: "a", limit: 1).map(\.event.id) == [rows[1].event.id])
    }

    @Test("a new sink starts with what comes, or with the history; registering again changes nothing")
    func newSinks() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        _ = try await store.append(EventBatch(venueID: UUID(), events: [row(), row()]), sinks: [])
        try await store.register(sink: "new", withHistory: false)
        try await store.register(sink: "all", withHistory: true)
        #expect(try await store.depth(sink: "new").waiting == 0)
        let waiting = try await store.nextBatch(sink: "all", limit: 10)
        #expect(waiting.count == 2)
        try await store.acknowledge(sink: "all", sequences: waiting.map(\.sequence))
        try await store.register(sink: "all", withHistory: true)
        #expect(try await store.depth(sink: "all").waiting == 0)
    }

    @Test("summaries and acknowledgements are kept together")
    func summaries() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let stored = try await store.appendNew(EventBatch(venueID: UUID(), events: [row()]), sinks: ["a"])
        let summaries = (0..<3).map { index in
            SessionSummary(
                id: UUID(), venueID: UUID(), deviceID: index == 2 ? "pump" : "car", kind: "ev", direction: "imported",
                began: noon.addingTimeInterval(Double(index) * 3600), lastEventAt: noon, energyWattHours: 0, cost: nil)
        }
        try await store.keep(summaries, acknowledging: stored.map(\.sequence), sink: "a")
        #expect(try await store.depth(sink: "a").waiting == 0)
        #expect(try await store.sessions(limit: 10) == summaries.reversed())
        #expect(try await store.sessions(device: "car", limit: 1) == [summaries[1]])
        #expect(try await store.sessions(since: noon.addingTimeInterval(3600), limit: 10).count == 2)
        // G-4: energy 0 and no cost stay apart.
        #expect(try await store.session(summaries[0].id)?.energyWattHours == 0)
        #expect(try await store.session(summaries[0].id)?.cost == nil)
    }

    @Test("guidance comes back whole, and its token is known with who fetched it")
    func guidanceRoundTrip() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let venue = UUID()
        let (old, new) = (guidance(at: venue), guidance(at: venue, issuedAt: noon.addingTimeInterval(60)))
        for record in [new, old] { try await store.keep(record) }
        let token = old.guidance.guidanceToken
        let found = try #require(try await store.guidance(token: token))
        #expect(found.guidance.values.map(\.pricePerKWh) == [-0.05])
        #expect(found.guidance.values.map(\.gramsCO2PerKWh) == [nil])
        #expect(found.details == old.details && found.sources == old.sources)
        let latest = try await store.latestGuidance(venue: venue, action: .shift)
        #expect(latest?.guidance.guidanceToken == new.guidance.guidanceToken)
        #expect(try await store.latestGuidance(venue: venue, action: .reduce) == nil)
        #expect(try await store.latestGuidance(venue: UUID(), action: .shift) == nil)
        let issued = try await store.issuedTokens([token, UUID()])
        #expect(issued == [token: IssuedToken(venueID: venue, interval: old.guidance.interval)])
        try await store.noteRequest(token: token, by: "car", at: noon)
        try await store.noteRequest(token: token, by: "car", at: noon)
        #expect(try await store.wasRequested(token: token, byAnyOf: ["app", "car"]))
        #expect(try await !store.wasRequested(token: token, byAnyOf: ["app"]))
    }

    @Test("pruning forgets old guidance, and keeps what an event quotes")
    func pruning() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let venue = UUID()
        let (quoted, unquoted, current) = (
            guidance(at: venue), guidance(at: venue), guidance(at: venue, from: noon.addingTimeInterval(86_400))
        )
        for record in [quoted, unquoted, current] { try await store.keep(record) }
        try await store.noteRequest(token: unquoted.guidance.guidanceToken, by: "car", at: noon)
        _ = try await store.append(
            EventBatch(venueID: venue, events: [row(token: quoted.guidance.guidanceToken)]), sinks: [])
        try await store.pruneGuidance(endedBefore: noon.addingTimeInterval(7200))
        let known = try await store.issuedTokens(Set([quoted, unquoted, current].map(\.guidance.guidanceToken)))
        #expect(Set(known.keys) == [quoted.guidance.guidanceToken, current.guidance.guidanceToken])
    }

    @Test("a venue keeps its identifier over restarts, and when it is renamed under a configured one")
    func venues() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let home = try await store.venueID(named: "Home", configured: nil)
        #expect(try await store.venueID(named: "Home", configured: nil) == home)
        #expect(try await store.venueID(named: "Cabin", configured: nil) != home)
        #expect(try await store.venueID(named: "House", configured: home) == home)
        #expect(try await store.venueID(named: "House", configured: nil) == home)
        #expect(try await store.venueID(named: "Home", configured: nil) != home)
        let chosen = UUID()
        #expect(try await store.venueID(named: "House", configured: chosen) == chosen)
        #expect(try await store.venueID(named: "House", configured: nil) == chosen)
    }

    @Test("a venue that is named anew is known by its home, and what is configured no more is named")
    func renamedVenues() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let home = UUID()
        let id = try await store.venueID(named: "Home", configured: nil, home: home)
        #expect(try await store.venueID(named: "Our house", configured: nil, home: home) == id)
        #expect(try await store.venueID(named: "Our house", configured: nil) == id)
        let cabin = try await store.venueID(named: "Cabin", configured: nil, home: UUID())
        #expect(cabin != id)
        #expect(try await store.venueID(named: "Cabin", configured: nil, home: home) == id)
        #expect(try await store.venuesBeside([id]) == [])
        _ = try await store.venueID(named: "Boat", configured: nil)
        #expect(try await store.venuesBeside([id]) == ["Boat"])
    }

    @Test("settings are kept by device and key, and forgotten when cleared; unset is not empty")
    func settings() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        let (car, pump): (DeviceID, DeviceID) = ("car", "pump")
        #expect(try await store.setting("goal", device: car) == nil)
        try await store.keep(setting: "", key: "goal", device: car)
        try await store.keep(setting: "21", key: "goal", device: pump)
        #expect(try await store.setting("goal", device: car)?.isEmpty == true)
        try await store.keep(setting: "22", key: "goal", device: pump)
        try await store.keep(setting: nil, key: "goal", device: car)
        #expect(try await store.setting("goal", device: car) == nil)
        #expect(try await store.setting("goal", device: pump) == "22")
    }

    @Test("credentials are found by hash until they are revoked")
    func credentials() async throws {
        let folder = try TemporaryFolder()
        let store = try await newStore(folder)
        try await store.keepCredential(hash: [1, 2, 3], role: "viewer", label: "wall tablet")
        #expect(try await store.role(ofHash: [1, 2, 3]) == "viewer")
        #expect(try await store.role(ofHash: [1, 2]) == nil)
        let all = try await store.credentials()
        #expect(all.map(\.label) == ["wall tablet"] && all.first?.created == noon)
        let id = try #require(all.first?.id)
        #expect(try await store.revokeCredential(id))
        #expect(try await !store.revokeCredential(id))
        #expect(try await store.role(ofHash: [1, 2, 3]) == nil)
    }
}
