import EnergyKit
import Foundation
import HubKit
import SQLite
import Testing

@testable import LoadEvents
@testable import Storage

@Suite("What a session came to")
struct SessionSummaryTests {
    private let venue = UUID()

    private func summary(_ events: [AnyLoadEvent], _ guidance: StoredGuidance?) -> SessionSummary? {
        let known = guidance.map { [$0.guidance.guidanceToken: $0] } ?? [:]
        return SessionLedger.summary(of: events, at: venue, guidance: known)
    }

    @Test("S-3 100 kWh at 0.36 and 100 kWh at 0.26 cost 62.00")
    func twoPrices() throws {
        let plan = guidance(at: venue, pricesPerKWh: [0.36, 0.26], gramsCO2PerKWh: [100, 300])
        let (id, token) = (UUID(), plan.guidance.guidanceToken)
        let events = [
            carEvent(.begin, 0, session: id, token: token),
            carEvent(.active, 3600, session: id, token: token, watts: 100_000, wattHours: 100_000),
            carEvent(.end, 7200, session: id, token: token, wattHours: 200_000),
        ]
        let sum = try #require(summary(events, plan))
        #expect(abs((sum.cost ?? 0) - 62) < 1e-9)
        #expect(abs((sum.gramsCO2 ?? 0) - 40_000) < 1e-6)
        #expect(sum.energyWattHours == 200_000)
        #expect(sum.began == noon && sum.ended == noon.addingTimeInterval(7200))
        #expect(sum.followedShare == 1)
        #expect(sum.irregularities.isEmpty)
    }

    @Test("energy over a price's edge is cut there")
    func cutsAtEdges() throws {
        let plan = guidance(at: venue, pricesPerKWh: [0.40, 0.10])
        let (id, token) = (UUID(), plan.guidance.guidanceToken)
        let events = [
            carEvent(.begin, 1800, session: id, token: token),
            carEvent(.end, 7200, session: id, token: token, wattHours: 3000),
        ]
        #expect(abs((summary(events, plan)?.cost ?? 0) - (0.40 * 1 + 0.10 * 2)) < 1e-9)
    }

    @Test("negative prices earn, a price of 0 is a price")
    func pricesBelowZero() {
        let plan = guidance(at: venue, pricesPerKWh: [-0.05, 0])
        let (id, token) = (UUID(), plan.guidance.guidanceToken)
        let events = [
            carEvent(.begin, 0, session: id, token: token),
            carEvent(.end, 7200, session: id, token: token, wattHours: 20_000),
        ]
        #expect(abs((summary(events, plan)?.cost ?? 0) + 0.5) < 1e-9)
    }

    @Test("where a price or the guidance is not known, the cost is absent and not 0")
    func unknownPrices() {
        let plan = guidance(at: venue, pricesPerKWh: [0.30, nil], gramsCO2PerKWh: [100, 200])
        let (id, token) = (UUID(), plan.guidance.guidanceToken)
        let events = [
            carEvent(.begin, 0, session: id, token: token),
            carEvent(.end, 7200, session: id, token: token, wattHours: 2000),
        ]
        let sum = summary(events, plan)
        #expect(sum?.cost == nil)
        #expect(abs((sum?.gramsCO2 ?? 0) - 300) < 1e-9)
        #expect(summary(events, nil)?.cost == nil)
        let beyond = [events[0], carEvent(.end, 7201, session: id, token: token, wattHours: 2000)]
        #expect(summary(beyond, plan)?.gramsCO2 == nil)
    }

    @Test("each stretch is priced by the guidance that its earlier event quotes")
    func quotedGuidance() {
        let first = guidance(at: venue, pricesPerKWh: [0.30, 0.30])
        let second = guidance(at: venue, pricesPerKWh: [0.10, 0.10])
        let id = UUID()
        let events = [
            carEvent(.begin, 0, session: id, token: first.guidance.guidanceToken),
            carEvent(
                .active, 3600, session: id, token: second.guidance.guidanceToken, watts: 1, wattHours: 1000,
                following: false),
            carEvent(.end, 7200, session: id, token: second.guidance.guidanceToken, wattHours: 2000),
        ]
        let known = [first.guidance.guidanceToken: first, second.guidance.guidanceToken: second]
        let sum = SessionLedger.summary(of: events, at: venue, guidance: known)
        #expect(abs((sum?.cost ?? 0) - 0.40) < 1e-9)
        #expect(sum?.followedShare == 0.5)
    }

    @Test("a heat pump's run has no energy and no cost; exported energy has no cost")
    func withoutCost() {
        let plan = guidance(at: venue, pricesPerKWh: [0.30, 0.30])
        let (id, token) = (UUID(), plan.guidance.guidanceToken)
        let run = [
            hvacEvent(.begin, 0, session: id, token: token),
            hvacEvent(.active, 0, session: id, token: token, stage: 40),
            hvacEvent(.end, 3600, session: id, token: token),
        ]
        #expect(summary(run, plan)?.energyWattHours == nil && summary(run, plan)?.cost == nil)
        #expect(summary(run, plan)?.kind == "hvac")
        let fed = [
            carEvent(.begin, 0, session: id, token: token, direction: .exported),
            carEvent(.end, 3600, session: id, token: token, wattHours: 5000, direction: .exported),
        ]
        #expect(summary(fed, plan)?.energyWattHours == 5000 && summary(fed, plan)?.cost == nil)
        #expect(summary(fed, plan)?.direction == "exported")
    }

    @Test(
        "energy that no home's connection carries in the time is noted",
        arguments: [
            (20.0, 300_000.0, true), (3600, 99_000, false), (3600, 102_000, true), (0, 900, false), (0, 1100, true),
        ])
    func energyTooFast(seconds: Double, wattHours: Double, isNoted: Bool) {
        let plan = guidance(at: venue, pricesPerKWh: [0.30, 0.30])
        let (id, token) = (UUID(), plan.guidance.guidanceToken)
        let events = [
            carEvent(.begin, 0, session: id, token: token),
            carEvent(.active, seconds, session: id, token: token, watts: 7000, wattHours: wattHours),
        ]
        let notes = summary(events, plan)?.irregularities ?? []
        #expect(notes.contains { $0.contains("connection carries") } == isNoted, "\(notes)")
    }

    @Test("what was out of the ordinary is noted")
    func irregularities() {
        let plan = guidance(at: venue, pricesPerKWh: [0.30, 0.30], issuedAt: noon.addingTimeInterval(100))
        let (id, token) = (UUID(), plan.guidance.guidanceToken)
        let events = [
            carEvent(.active, 0, session: id, token: token, watts: 7000, wattHours: 100),
            carEvent(.active, 600, session: id, token: token, watts: 7000, wattHours: 50),
            carEvent(.end, 3600, session: id, token: token, watts: 7000, wattHours: 90),
        ]
        let sum = summary(events, plan)
        #expect(sum?.irregularities.count == 4)
        // The counter fell from 100 to 50 Wh: 50 Wh, and 40 more.
        #expect(sum?.energyWattHours == 90)
    }

    @Test("the local sink keeps a summary of each session, whatever is delivered twice or late")
    func localSink() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter([LocalSink(store: house.store)])
        let id = UUID()
        let events = house.session(id)
        try await running({ await submitter.run() }) {
            for event in [events[0], events[2], events[1]] {
                _ = try await submitter.submit([event], at: house.venue.id, from: nil)
                await submitter.drain(within: .seconds(10))
            }
            let kept = try #require(try await house.store.session(id))
            #expect(kept.energyWattHours == 3600)
            #expect(abs((kept.cost ?? 0) - 1.08) < 1e-9)
            #expect(abs((kept.gramsCO2 ?? 0) - 720) < 1e-6)
            #expect(kept.irregularities.isEmpty)
            let sink = LocalSink(store: house.store)
            try await sink.deliver(try await house.store.events(limit: 10).events)
            #expect(try await house.store.session(id) == kept)
            #expect(try await house.store.depth(sink: "local").waiting == 0)
        }
    }

    @Test("whatever the batches and their order, the kept summary is that of the whole session", arguments: 1...10)
    func anyBatches(seed: UInt64) async throws {
        let house = try await EventHouse(prices: (0..<24).map { Double($0) / 100 })
        var random = SeededGenerator(state: seed)
        let ids = [UUID(), UUID()]
        var events: [AnyLoadEvent] = []
        for (offset, id) in ids.enumerated() {
            let start = Double(offset) * 20_000
            events.append(carEvent(.begin, start, session: id, token: house.token))
            for step in 1...40 {
                events.append(
                    carEvent(
                        .active, start + Double(step) * 450, session: id, token: house.token, watts: 7000,
                        wattHours: Double(step) * 875))
            }
            events.append(carEvent(.end, start + 18_450, session: id, token: house.token, wattHours: 35_000))
        }
        let wanted = try ids.map { id in
            let own = events.filter { $0.sessionID == id }
            return try #require(
                SessionLedger.summary(of: own, at: house.venue.id, guidance: [house.token: house.guidance]))
        }
        events.shuffle(using: &random)
        let sink = LocalSink(store: house.store)
        var rest = events[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...9, using: &random)
            let stored = try await house.store.appendNew(
                EventBatch(venueID: house.venue.id, events: rest.prefix(count).map { EventRow($0) }), sinks: ["local"])
            try await sink.deliver(stored)
            // A repeat, as after an acknowledgement that got lost.
            if Bool.random(using: &random) { try await sink.deliver(stored) }
            rest = rest.dropFirst(count)
        }
        for summary in wanted { #expect(try await house.store.session(summary.id) == summary) }
    }

    @Test(
        "a session of thousands of events, one by one, is followed without reading it anew each time",
        .timeLimit(.minutes(5)))
    func longSession() async throws {
        let house = try await EventHouse()
        let id = UUID()
        var events = [carEvent(.begin, 0, session: id, token: house.token)]
        for step in 1...1000 {
            let (seconds, energy) = (Double(step) * 10, Double(step) * 20)
            events.append(
                carEvent(.active, seconds, session: id, token: house.token, watts: 7200, wattHours: energy))
        }
        let stored = try await house.store.appendNew(
            EventBatch(venueID: house.venue.id, events: events.map { EventRow($0) }), sinks: [])
        let sink = LocalSink(store: house.store)
        for event in stored { try await sink.deliver([event]) }
        #expect(try await house.store.session(id)?.energyWattHours == 20_000)
    }

    @Test("a store that fails sets no event aside")
    func failingStore() async throws {
        let house = try await EventHouse()
        _ = try await house.store.append(
            EventBatch(venueID: house.venue.id, events: house.session().map { EventRow($0) }), sinks: ["local"])
        try await house.store.write {
            try $0.execute("CREATE TRIGGER block BEFORE INSERT ON sessions BEGIN SELECT RAISE(ABORT, 'no'); END")
        }
        let events = try await house.store.nextBatch(sink: "local", limit: 10)
        let error = await #expect(throws: HubError.self) { try await LocalSink(store: house.store).deliver(events) }
        #expect(error?.retryClass == .transient)
        #expect(try await house.store.depth(sink: "local") == (3, 0))
    }

    @Test("a whole session in one call and a session that cuts the one before are noted")
    func notedOnSessions() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter([LocalSink(store: house.store)])
        let (first, second) = (UUID(), UUID())
        try await running({ await submitter.run() }) {
            _ = try await submitter.submit(house.session(first), at: house.venue.id, from: nil)
            let overlapping = house.session(second, from: 600)
            for event in overlapping { _ = try await submitter.submit([event], at: house.venue.id, from: nil) }
            await submitter.drain(within: .seconds(10))
            #expect(try await house.store.session(first)?.irregularities == [SessionLedger.inOneCall])
            #expect(try await house.store.session(second)?.irregularities.count == 1)
            #expect(try await house.store.session(second)?.irregularities.first?.contains("cuts it") == true)
        }
    }
}
