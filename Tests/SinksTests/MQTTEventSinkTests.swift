import EnergyKit
import Foundation
import HubKit
import LoadEvents
import MQTT
import Sinks
import Storage
import TestSupport
import Testing

/// Load events on a real broker.
///
/// Without the mosquitto broker on the machine nothing here can be tried.
@Suite(
    "Load events to a broker",
    .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(3)))
struct MQTTEventSinkTests {
    @Test("events arrive in order, one message each, at QoS 1 and not retained, exactly as the API writes them")
    func delivers() async throws {
        let broker = try await ownBroker()
        let house = try await SinkHouse(port: broker.port)
        let subscriber = try await keptSubscriber(port: broker.port)
        let messages = try await subscriber.messages(matching: "#")
        await house.client.start()
        try await house.client.become { $0 == .connected }

        let pump = AnyLoadEvent.hvac(
            ElectricHVACLoadEvent(
                timestamp: house.clock.now, measurement: .init(stage: 40),
                session: .init(
                    id: UUID(), state: .active,
                    guidanceState: .init(wasFollowingGuidance: false, guidanceToken: UUID())), deviceID: "pump"))
        let events = house.session(of: 150) + [pump]
        try await house.sink.deliver(house.stored(events))

        var iterator = messages.makeAsyncIterator()
        let encoder = EnergyKitJSON.encoder()
        for expected in events {
            let next = await iterator.next()
            let message = try #require(next)
            #expect(message.topic == "offpeak/events")
            #expect(message.qos == .atLeastOnce)
            #expect(!message.isRetained)
            #expect(message.payload == Array(try encoder.encode(expected)))
        }
    }

    @Test("an event is the JSON of the contract")
    func eventJSON() async throws {
        let broker = try await ownBroker()
        let house = try await SinkHouse(port: broker.port)
        let subscriber = try await keptSubscriber(port: broker.port)
        let messages = try await subscriber.messages(matching: "offpeak/events")
        await house.client.start()
        try await house.client.become { $0 == .connected }
        let event = house.session()[1]
        try await house.sink.deliver(house.stored([event]))
        var iterator = messages.makeAsyncIterator()
        let next = await iterator.next()
        let text = try #require(next).text
        let session = try #require(event.sessionID).uuidString
        let token = try #require(event.guidanceToken).uuidString
        #expect(
            text == #"{"deviceID":"car","id":"\#(event.id.uuidString)","measurement":"#
                + #"{"direction":"imported","energyWattHours":120,"powerWatts":7200,"stateOfCharge":50},"#
                + #""session":{"guidanceState":{"guidanceToken":"\#(token)","wasFollowingGuidance":true},"#
                + #""id":"\#(session)","state":"active"},"timestamp":"2026-05-28T20:27:40Z"}"#)
    }

    @Test("while the broker is away, or goes before it acknowledged, the error says that it may pass")
    func brokerAway() async throws {
        let broker = try await ownBroker()
        let house = try await SinkHouse(port: broker.port)
        let events = house.stored(house.session())
        #expect(await failure(of: house.sink, events)?.retryClass == .transient)

        await house.client.start()
        try await house.client.become { $0 == .connected }
        await broker.suspend()
        async let underWay = failure(of: house.sink, events)
        while await house.client.messagesUnderWay == 0 { await Task.yield() }
        await broker.kill()
        let broken = await underWay
        #expect(broken?.retryClass == .transient)
        #expect(await failure(of: house.sink, events)?.retryClass == .transient)
    }

    @Test("what an access list refuses is not delivered: it is kept for a person, and arrives when the list is mended")
    func accessList() async throws {
        let folder = try TemporaryFolder()
        let list = try folder.write("topic read #\n", to: "access")
        let broker = try await MosquittoBroker(settings: ["acl_file \(list.path)"])
        let house = try await SinkHouse(port: broker.port)
        await house.client.start()
        try await house.client.become { $0 == .connected }
        let events = house.stored(house.session())
        let error = await failure(of: house.sink, events)
        #expect(
            error?.retryClass == .needsPerson && error?.message.contains("access list") == true,
            "\(error?.message ?? "")")
        try folder.write("topic readwrite #\n", to: "access")
        await broker.stop()
        try await house.client.becomeDisconnected()
        try await broker.start()
        try await house.client.become { $0 == .connected }
        try await house.sink.deliver(events)
    }

    @Test("a base topic that is none needs a person")
    func wrongTopic() async throws {
        let client = try MQTTClient(quick(port: 1))
        let house = try await SinkHouse(port: 1)
        let sink = MQTTEventSink(client: client, base: "off#peak")
        #expect(await failure(of: sink, house.stored(house.session()))?.retryClass == .needsPerson)
    }

    @Test("where another hub holds the base topic, events wait")
    func anotherHub() async throws {
        let broker = try await MosquittoBroker()
        let house = try await SinkHouse(port: broker.port)
        await house.client.start()
        try await house.client.become { $0 == .connected }
        let events = house.stored(house.session())
        let waiting = MQTTEventSink(client: house.client, base: "offpeak") { false }
        let error = await failure(of: waiting, events)
        #expect(error?.retryClass == .transient && error?.message.contains("another hub") == true)
        try await MQTTEventSink(client: house.client, base: "offpeak") { true }.deliver(events)
        await house.client.close()
    }

    private func failure(of sink: MQTTEventSink, _ events: [StoredEvent]) async -> HubError? {
        do {
            try await sink.deliver(events)
            return nil
        } catch {
            return (error as? PartialDelivery)?.cause as? HubError
        }
    }
}
