import EnergyKit
import Foundation
import HubKit
import Testing
import ThreadKit

@testable import LoadEvents
@testable import Storage

/// A sink that keeps what it gets, and fails as the test says.
final class RecordingSink: EventSink {
    struct Refusal: RetryableError, CustomStringConvertible {
        var retryClass: RetryClass
        var description: String { "refused: \(retryClass)" }
    }

    private struct State {
        var events: [StoredEvent] = []
        var calls = 0
        var failures: [RetryClass] = []
        var poison: Set<UUID> = []
    }

    let name: String
    let wantsHistory: Bool
    private let state = Locked(State())
    private let arrivals: AsyncStream<Int>
    private let arrival: AsyncStream<Int>.Continuation

    init(_ name: String = "test", wantsHistory: Bool = false) {
        self.name = name
        self.wantsHistory = wantsHistory
        (arrivals, arrival) = AsyncStream.makeStream(of: Int.self)
    }

    var ids: [UUID] { state.withLock { $0.events.map(\.event.id) } }
    var calls: Int { state.withLock { $0.calls } }

    /// Fails the next deliveries in these ways.
    func fail(_ failures: [RetryClass]) { state.withLock { $0.failures = failures } }
    /// Refuses these events for good.
    func refuse(_ ids: Set<UUID>) { state.withLock { $0.poison = ids } }

    /// Waits until so many events are there.
    func wait(for count: Int) async {
        if ids.count >= count { return }
        for await arrived in arrivals where arrived >= count { return }
    }

    func deliver(_ events: [StoredEvent]) async throws {
        let count = try state.withLock { state -> Int in
            state.calls += 1
            if !state.failures.isEmpty { throw Refusal(retryClass: state.failures.removeFirst()) }
            if events.contains(where: { state.poison.contains($0.event.id) }) { throw Refusal(retryClass: .permanent) }
            state.events += events
            return state.events.count
        }
        arrival.yield(count)
    }
}

@Suite("Deliveries to sinks")
struct DeliveryTests {
    /// Deliveries that never really wait, but note how long they would have.
    private func delivery(
        _ sink: RecordingSink, _ house: EventHouse, waits: Locked<[Double]> = Locked([])
    ) async throws -> SinkDelivery {
        try await house.store.register(sink: sink.name, withHistory: sink.wantsHistory)
        return SinkDelivery(sink, store: house.store, clock: house.clock, log: .silent) { seconds in
            waits.withLock { $0.append(seconds) }
            try Task.checkCancellation()
        }
    }

    private func fill(_ house: EventHouse, sessions: Int, sink: String = "test") async throws -> [UUID] {
        let events = (0..<sessions).flatMap { house.session(from: Double($0) * 60) }
        _ = try await house.store.append(
            EventBatch(venueID: house.venue.id, events: events.map { EventRow($0) }), sinks: [sink])
        return events.map(\.id)
    }

    @Test("events arrive once and in order, in batches of at most 500, and the queue is empty after")
    func inOrder() async throws {
        let house = try await EventHouse()
        let sink = RecordingSink()
        let delivery = try await delivery(sink, house)
        let ids = try await fill(house, sessions: 400)
        try await running({ await delivery.run() }) {
            await delivery.settled()
            #expect(sink.ids == ids)
            #expect(sink.calls == 3)
            #expect(await delivery.status().depth == 0)
        }
    }

    @Test("a fault that passes keeps the events and their order, and the waits grow")
    func transientFault() async throws {
        let house = try await EventHouse()
        let sink = RecordingSink()
        let waits = Locked<[Double]>([])
        let delivery = try await delivery(sink, house, waits: waits)
        sink.fail([.transient, .transient, .rateLimited(until: house.clock.now.addingTimeInterval(77)), .needsPerson])
        let ids = try await fill(house, sessions: 3)
        try await running({ await delivery.run() }) {
            await sink.wait(for: ids.count)
            #expect(sink.ids == ids)
            let seen = waits.current
            #expect(seen.count == 4)
            #expect(seen[0] <= 2 && seen[1] <= 4 && seen[2] >= 77 && seen[3] == 300)
            await delivery.settled()
            #expect(await delivery.status().failures == 0)
            #expect(await delivery.status().lastError == nil)
        }
    }

    @Test("after five failures a single event tests whether the sink is back")
    func breaker() async throws {
        let house = try await EventHouse()
        let sink = RecordingSink()
        let delivery = try await delivery(sink, house)
        sink.fail(Array(repeating: .transient, count: 5))
        let ids = try await fill(house, sessions: 10)
        try await running({ await delivery.run() }) {
            await sink.wait(for: ids.count)
            #expect(sink.calls == 7)
            #expect(sink.ids == ids)
        }
    }

    @Test("many that are refused for good cost an answer each, and hold up nobody", arguments: [2, 66, 400])
    func manyRefused(sessions: Int) async throws {
        let house = try await EventHouse()
        let sink = RecordingSink()
        let delivery = try await delivery(sink, house)
        let ids = try await fill(house, sessions: sessions)
        sink.refuse(Set(ids))
        let good = try await fill(house, sessions: 1)
        let running = Task { await delivery.run() }
        await sink.wait(for: good.count)
        running.cancel()
        await running.value
        #expect(sink.ids == good)
        #expect(sink.calls <= ids.count + 20, "\(sink.calls) answers for \(ids.count) events")
    }

    @Test(
        "what is refused for good is set aside, and all others arrive",
        arguments: [[0], [29], [0, 1, 2], [7, 8, 20, 29], Array(0..<30)])
    func poison(places: [Int]) async throws {
        let house = try await EventHouse()
        let sink = RecordingSink()
        let delivery = try await delivery(sink, house)
        let ids = try await fill(house, sessions: 10)
        let poison = Set(places.map { ids[$0] })
        sink.refuse(poison)
        try await running({ await delivery.run() }) {
            await delivery.settled()
            #expect(sink.ids == ids.filter { !poison.contains($0) })
            let dead = try await house.store.deadLetters(sink: "test", limit: 100)
            #expect(Set(dead.map(\.event.event.id)) == poison)
            #expect(dead.allSatisfy { $0.reason == "refused: permanent" })
            let status = await delivery.status()
            #expect(status.depth == 0 && status.deadLetters == poison.count)
        }
    }

    @Test("one poisoned event among 500 is found in a few calls")
    func poisonQuickly() async throws {
        let house = try await EventHouse()
        let sink = RecordingSink()
        let delivery = try await delivery(sink, house)
        let ids = try await fill(house, sessions: 166)
        sink.refuse([ids[333]])
        try await running({ await delivery.run() }) {
            await delivery.settled()
            #expect(sink.ids.count == ids.count - 1)
            #expect(sink.calls < 25)
        }
    }

    @Test("a failing sink shows why, how often and when next, and holds up no other")
    func status() async throws {
        let house = try await EventHouse()
        let (good, bad) = (RecordingSink("good"), RecordingSink("bad"))
        bad.fail(Array(repeating: .needsPerson, count: 100))
        let submitter = try await house.submitter([good, bad])
        try await running({ await submitter.run() }) {
            _ = try await submitter.submit(house.session(), at: house.venue.id, from: nil)
            await good.wait(for: 3)
            await submitter.drain(within: .seconds(10))
            let statuses = await submitter.sinkStatuses()
            #expect(statuses.map(\.name) == ["good", "bad"])
            #expect(statuses[0].depth == 0 && statuses[0].failures == 0)
            #expect(statuses[1].depth == 3 && statuses[1].failures == 1)
            #expect(statuses[1].lastError == "refused: needsPerson")
            #expect(statuses[1].nextAttempt == house.clock.now.addingTimeInterval(300))
        }
    }

    @Test("the queue outlives a restart; a sink that is new gets events from now on, or the whole history")
    func restartAndNewSinks() async throws {
        let house = try await EventHouse()
        let first = try await house.submitter([RecordingSink("old")])
        _ = try await first.submit(house.session(), at: house.venue.id, from: nil)
        let (old, new, historian) = (
            RecordingSink("old"), RecordingSink("new"), RecordingSink("all", wantsHistory: true)
        )
        let second = try await house.submitter([old, new, historian])
        let later = house.session(from: 7200)
        try await running({ await second.run() }) {
            _ = try await second.submit(later, at: house.venue.id, from: nil)
            await old.wait(for: 6)
            await historian.wait(for: 6)
            await new.wait(for: 3)
            #expect(new.ids == later.map(\.id))
            #expect(old.ids == historian.ids)
        }
    }

    @Test("dead letters can be sent again")
    func resend() async throws {
        let house = try await EventHouse()
        let sink = RecordingSink()
        let submitter = try await house.submitter([sink])
        let events = house.session()
        sink.refuse([events[1].id])
        try await running({ await submitter.run() }) {
            _ = try await submitter.submit(events, at: house.venue.id, from: nil)
            await sink.wait(for: 2)
            await submitter.drain(within: .seconds(10))
            sink.refuse([])
            #expect(try await submitter.resend(sink: "test") == 1)
            await sink.wait(for: 3)
            #expect(Set(sink.ids) == Set(events.map(\.id)))
        }
    }

    @Test("who listens hears each accepted event once, in order")
    func listeners() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter()
        let stream = await submitter.acceptedEvents()
        let events = house.session()
        _ = try await submitter.submit(events, at: house.venue.id, from: nil)
        _ = try await submitter.submit(events, at: house.venue.id, from: nil)
        let more = house.session(from: 3600)
        _ = try await submitter.submit(more, at: house.venue.id, from: nil)
        var heard: [StoredEvent] = []
        for await event in stream {
            heard.append(event)
            if heard.count == 6 { break }
        }
        #expect(heard.map(\.event.id) == (events + more).map(\.id))
        #expect(heard.map(\.sequence) == Array(1...6))
    }
}
