import EnergyKit
import Foundation
import HubKit
import SQLite
import Testing
import ThreadKit

@testable import LoadEvents
@testable import Storage

/// A sink that is told how each call ends.
final class ScriptedSink: EventSink {
    struct Fault: RetryableError {
        var retryClass: RetryClass
    }

    let name = "scripted"
    private let calls = Locked<[[UUID]]>([])
    private let script: @Sendable (Int, [StoredEvent]) async throws -> Void
    private let connections: AsyncStream<Void>
    private let connection: AsyncStream<Void>.Continuation

    init(_ script: @escaping @Sendable (Int, [StoredEvent]) async throws -> Void) {
        self.script = script
        (connections, connection) = AsyncStream.makeStream(of: Void.self)
    }

    /// The events of each call.
    var batches: [[UUID]] { calls.current }

    func reconnect() { connection.yield() }

    func reconnections() async -> AsyncStream<Void>? { connections }

    func deliver(_ events: [StoredEvent]) async throws {
        let number = calls.withLock { calls in
            calls.append(events.map(\.event.id))
            return calls.count - 1
        }
        try await script(number, events)
    }
}

@Suite("The ways a delivery goes", .timeLimit(.minutes(1)))
struct DeliveryPathTests {
    private func fill(_ house: EventHouse, _ sink: any EventSink, sessions: Int) async throws
        -> [UUID]
    {
        try await house.store.register(sink: sink.name, withHistory: false)
        return try await add(house, sink, sessions: sessions)
    }

    private func add(_ house: EventHouse, _ sink: any EventSink, sessions: Int) async throws -> [UUID] {
        let events = (0..<sessions).flatMap { house.session(from: Double($0) * 60) }
        _ = try await house.store.append(
            EventBatch(venueID: house.venue.id, events: events.map { EventRow($0) }), sinks: [sink.name])
        return events.map(\.id)
    }

    private func delivery(_ sink: any EventSink, _ house: EventHouse) -> SinkDelivery {
        SinkDelivery(sink, store: house.store, clock: house.clock, log: .silent) { _ in
            try Task.checkCancellation()
        }
    }

    @Test("what arrived of a batch that broke off is not sent again")
    func partial() async throws {
        let house = try await EventHouse()
        let sink = ScriptedSink { number, _ in
            if number == 0 {
                throw PartialDelivery(delivered: 4, cause: ScriptedSink.Fault(retryClass: .transient))
            }
        }
        let ids = try await fill(house, sink, sessions: 3)
        let delivery = delivery(sink, house)
        try await running({ await delivery.run() }) {
            await delivery.settled()
            while sink.batches.count < 2 { await Task.yield() }
            await delivery.settled()
            #expect(sink.batches == [ids, Array(ids.dropFirst(4))])
            #expect(await delivery.status().delivered == ids.count)
        }
    }

    @Test("the one event that a sink names as refused is set aside at once", arguments: [0, 4, 8])
    func namedPoison(place: Int) async throws {
        let house = try await EventHouse()
        let sink = ScriptedSink { number, _ in
            if number == 0 {
                throw PartialDelivery(delivered: place, cause: ScriptedSink.Fault(retryClass: .permanent))
            }
        }
        let ids = try await fill(house, sink, sessions: 3)
        let delivery = delivery(sink, house)
        try await running({ await delivery.run() }) {
            await delivery.settled()
            let dead = try await house.store.deadLetters(sink: sink.name, limit: 10)
            #expect(dead.map(\.event.event.id) == [ids[place]])
            #expect(sink.batches.count == (place == 8 ? 1 : 2))
            #expect(try await house.store.depth(sink: sink.name).waiting == 0)
        }
    }

    @Test("after a failure the same events are tried again, without those that came meanwhile")
    func sameBatch() async throws {
        let house = try await EventHouse()
        let more = Locked<[UUID]>([])
        let sink = ScriptedSink { number, _ in
            guard number < 3 else { return }
            let new = house.session(from: 7200 + Double(number) * 60)
            _ = try await house.store.append(
                EventBatch(venueID: house.venue.id, events: new.map { EventRow($0) }), sinks: ["scripted"])
            more.withLock { $0 += new.map(\.id) }
            throw ScriptedSink.Fault(retryClass: .transient)
        }
        let ids = try await fill(house, sink, sessions: 2)
        let delivery = delivery(sink, house)
        try await running({ await delivery.run() }) {
            while try await house.store.depth(sink: sink.name).waiting > 0 { await Task.yield() }
            #expect(sink.batches.prefix(4).allSatisfy { $0 == ids })
            #expect(sink.batches.dropFirst(4).flatMap(\.self) == more.current)
        }
    }

    @Test(
        "a wait ends when the other side is there again, or when a person says so",
        arguments: [true, false])
    func retriesAtOnce(byPerson: Bool) async throws {
        let house = try await EventHouse()
        let sink = ScriptedSink { number, _ in
            if number == 0 { throw ScriptedSink.Fault(retryClass: .needsPerson) }
        }
        let submitter = try await house.submitter([sink])
        _ = try await submitter.submit(house.session(), at: house.venue.id, from: nil)
        try await running({ await submitter.run() }) {
            // It waits five minutes of real time by itself.
            while await submitter.sinkStatuses()[0].nextAttempt == nil { await Task.yield() }
            if byPerson { try await submitter.retry(sink: sink.name) } else { sink.reconnect() }
            while try await house.store.depth(sink: sink.name).waiting > 0 { await Task.yield() }
            #expect(sink.batches.count == 2)
        }
        await #expect(throws: HubError.self) { try await submitter.retry(sink: "nobody") }
        await #expect(throws: HubError.self) { try await submitter.resend(sink: "nobody") }
        await #expect(throws: HubError.self) { try await submitter.replay(sink: "nobody", since: nil) }
    }

    @Test("however long another side asks to wait, it is a day at most")
    func longestWait() async throws {
        let house = try await EventHouse()
        let waits = Locked<[Double]>([])
        let sink = ScriptedSink { number, _ in
            guard number == 0 else { return }
            throw ScriptedSink.Fault(
                retryClass: .rateLimited(until: house.clock.now.addingTimeInterval(9e9)))
        }
        let ids = try await fill(house, sink, sessions: 1)
        let delivery = SinkDelivery(sink, store: house.store, clock: house.clock, log: .silent) {
            seconds in
            waits.withLock { $0.append(seconds) }
        }
        try await running({ await delivery.run() }) {
            while try await house.store.depth(sink: sink.name).waiting > 0 { await Task.yield() }
            #expect(waits.current == [86_400] && sink.batches == [ids, ids])
        }
    }

    @Test("a sink added later is given the past by a command")
    func replay() async throws {
        let house = try await EventHouse()
        let first = try await house.submitter()
        let old = house.session() + house.session(from: 7200)
        _ = try await first.submit(old, at: house.venue.id, from: nil)
        let sink = RecordingSink("later")
        let second = try await house.submitter([sink])
        try await running({ await second.run() }) {
            let queued = try await second.replay(sink: "later", since: noon.addingTimeInterval(7200))
            #expect(queued == 3)
            await sink.wait(for: 3)
            #expect(sink.ids == old.suffix(3).map(\.id))
        }
    }

    @Test("under load events travel together, and the first one leaves at once")
    func gathers() async throws {
        let house = try await EventHouse()
        let sink = RecordingSink()
        let submitter = try await house.submitter([sink])
        try await running({ await submitter.run() }) {
            let first = house.session()
            _ = try await submitter.submit([first[0]], at: house.venue.id, from: nil)
            await sink.wait(for: 1)
            for number in 0..<60 {
                _ = try await submitter.submit(
                    house.session(from: Double(number), device: "car-\(number)"), at: house.venue.id,
                    from: nil)
            }
            await sink.wait(for: 181)
            #expect(sink.calls < 61)
        }
    }

    @Test("the local sink, too, loses nothing where its session book is away for a while")
    func localSinkAway() async throws {
        let house = try await EventHouse()
        let submitter = try await house.submitter([LocalSink(store: house.store)])
        try await house.store.database.transaction {
            try $0.execute("ALTER TABLE sessions RENAME TO away")
        }
        let events = house.session()
        try await running({ await submitter.run() }) {
            try await submitter.record(events, at: house.venue.id, device: "car", recorder: nil)
            while await submitter.sinkStatuses()[0].lastError == nil { await Task.yield() }
            try await house.store.database.transaction {
                try $0.execute("ALTER TABLE away RENAME TO sessions")
            }
            try await submitter.retry(sink: "local")
            while try await house.store.depth(sink: "local").waiting > 0 { await Task.yield() }
            let sessions = try await house.store.sessions(limit: 10)
            #expect(sessions.map(\.energyWattHours) == [3600])
            #expect(try await house.store.depth(sink: "local").dead == 0)
        }
    }
}
