import EnergyKit
import Foundation
import HubKit
import LoadEvents
import MQTT
import Sinks
import Storage
import TestSupport
import Testing
import ThreadKit

/// Outages of a real broker, with the real store and its outbox.
///
/// Without the mosquitto broker on the machine nothing here can be tried.
@Suite(
    "Load events through outages of the broker",
    .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(3)))
struct OutageTests {
    @Test("an outage loses and doubles nothing, and the hub's own store goes on meanwhile")
    func submitterOutage() async throws {
        let broker = try await ownBroker(isPersistent: true)
        let house = try await SinkHouse(port: broker.port)
        let subscriber = try await keptSubscriber(port: broker.port)
        let messages = try await subscriber.messages(matching: "offpeak/events", bufferingNewest: 4096)
        let submitter = EventSubmitter(
            store: house.store, venues: VenueRegistry([house.venue]),
            sinks: [LocalSink(store: house.store), house.sink], clock: house.clock, log: .silent)
        try await submitter.start()
        let running = Task { await submitter.run() }
        await house.client.start()
        try await house.client.become { $0 == .connected }

        let before = house.session(device: "before")
        try await submitter.record(before, at: house.venue.id, device: "before", recorder: nil)
        var seen = try await distinct(before.count, from: messages)

        await broker.stop()
        try await house.client.becomeDisconnected()
        let during = house.session(of: 20, device: "during")
        try await submitter.record(during, at: house.venue.id, device: "during", recorder: nil)
        // Until the one sink fails and the other is done.
        await submitter.drain(within: .seconds(30))
        let statuses = await submitter.sinkStatuses()
        #expect(statuses.map(\.name) == ["local", "mqtt"])
        #expect(statuses.map(\.depth) == [0, during.count])
        #expect(statuses[1].failures > 0)
        #expect(statuses[1].lastError?.contains("the broker did not take an event") == true)
        let local = try await house.store.sessions(device: "during", limit: 10)
        #expect(local.map(\.id) == [try #require(during[0].sessionID)])

        try await broker.start()
        let after = house.session(device: "after")
        try await submitter.record(after, at: house.venue.id, device: "after", recorder: nil)
        seen += try await distinct(during.count + after.count, from: messages, after: seen)
        #expect(seen == (before + during + after).map(\.id))
        await submitter.drain(within: .seconds(30))
        #expect(await submitter.sinkStatuses().map(\.depth) == [0, 0])
        #expect(await submitter.sinkStatuses().map(\.deadLetters) == [0, 0])
        running.cancel()
        await running.value
    }

    @Test("a broker that goes again and again in the middle of deliveries gets every event, in order")
    func manyOutages() async throws {
        // It keeps what a subscriber has not taken yet, so that only the way to the broker is on trial.
        let broker = try await ownBroker(isPersistent: true, settings: ["max_queued_messages 0"])
        let house = try await SinkHouse(port: broker.port)
        let subscriber = try await keptSubscriber(port: broker.port)
        let messages = try await subscriber.messages(matching: "offpeak/events", bufferingNewest: 100_000)
        let events = (0..<40).flatMap { _ in house.session(of: 50) }
        let submitter = EventSubmitter(
            store: house.store, venues: VenueRegistry([house.venue]), sinks: [house.sink], clock: house.clock,
            log: .silent)
        try await submitter.start()
        try await submitter.record(events, at: house.venue.id, device: "car", recorder: nil)
        let delivery = SinkDelivery(house.sink, store: house.store, clock: house.clock, log: .silent) { _ in
            try await house.client.become { $0 == .connected }
        }
        let running = Task { await delivery.run() }
        await house.client.start()

        var seen: [UUID] = []
        var repeats = 0
        var iterator = messages.makeAsyncIterator()
        var outages = 0
        while seen.count < events.count, let message = await iterator.next() {
            let id = try event(in: message).id
            if seen.contains(id) { repeats += 1 } else { seen.append(id) }
            guard outages < 3, seen.count == (outages + 1) * 300 else { continue }
            outages += 1
            await broker.stop()
            try await house.client.becomeDisconnected()
            try await broker.start()
        }
        #expect(seen == events.map(\.id))
        // In each outage one batch breaks off and is sent again as a whole, and the broker repeats the 20 messages at
        // most that the subscriber had not acknowledged.
        #expect(repeats <= 3 * (SinkDelivery.batchSize + 20))
        await delivery.settled()
        let depth = try await house.store.depth(sink: house.sink.name)
        #expect(depth.waiting == 0 && depth.dead == 0)
        running.cancel()
        await running.value
    }

    /// The ids of the next events that were not there before, in order of their first arrival.
    private func distinct(
        _ count: Int, from messages: AsyncStream<MQTTMessage>, after earlier: [UUID] = []
    ) async throws -> [UUID] {
        var new: [UUID] = []
        for await message in messages {
            let id = try event(in: message).id
            if !earlier.contains(id), !new.contains(id) { new.append(id) }
            if new.count == count { break }
        }
        return new
    }
}
