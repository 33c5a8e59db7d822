import MQTT
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)), .enabled(if: MosquittoBroker.isInstalled))
struct MessageTests {
    @Test(arguments: [
        MQTTMessage(topic: "a/b", text: "héllo", qos: .atMostOnce),
        MQTTMessage(topic: "a/b", text: "{\"x\": 1}", qos: .atLeastOnce),
        MQTTMessage(topic: "a/b", payload: Array(0...255) + [0, 0], qos: .atLeastOnce),
        MQTTMessage(topic: "a/b", payload: [], qos: .atLeastOnce),
        MQTTMessage(topic: "a/b", payload: Array(repeating: 7, count: 1_000_000), qos: .atLeastOnce),
    ])
    func arrivesAsItWasSent(message: MQTTMessage) async throws {
        let broker = try await MosquittoBroker()
        let (sender, receiver) = try await (MQTTClient.connected(to: broker), MQTTClient.connected(to: broker))
        let stream = try await receiver.messages(matching: "a/+")
        let delivery = try await sender.publish(message)
        #expect(delivery == (message.qos == .atMostOnce ? .sent : .acknowledged))
        #expect(await take(1, from: stream) == [message])
    }

    @Test func keepsRetainedMessagesUntilTheyAreCleared() async throws {
        let broker = try await MosquittoBroker()
        let client = try await MQTTClient.connected(to: broker)
        try await client.publish("old", to: "r/a", isRetained: true)
        try await client.publish("new", to: "r/a", isRetained: true)
        try await client.publish("gone", to: "r/b", isRetained: true)
        try await client.publish(MQTTMessage(topic: "r/b", payload: [], isRetained: true))

        let late = try await MQTTClient.connected(to: broker)
        let stream = try await late.messages(matching: "r/#")
        try await client.publish("end", to: "r/end")
        let messages = await take(2, from: stream)
        #expect(messages.map(\.topic) == ["r/a", "r/end"])
        #expect(messages.map(\.text) == ["new", "end"])
        #expect(messages.map(\.isRetained) == [true, false])
    }

    @Test func reachesOnlyWhoListens() async throws {
        let broker = try await MosquittoBroker()
        let client = try await MQTTClient.connected(to: broker)
        let one = try await client.messages(matching: "devices/+/set/mode")
        let all = try await client.messages(matching: "other/#")
        for topic in [
            "devices/a/set/mode", "devices/a/b/set/mode", "devices/a/set", "other", "other/x/y", "devices/b/set/mode",
        ] {
            try await client.publish("x", to: topic)
        }
        #expect(await take(2, from: one).map(\.topic) == ["devices/a/set/mode", "devices/b/set/mode"])
        #expect(await take(2, from: all).map(\.topic) == ["other", "other/x/y"])
    }

    @Test func unsubscribesWhenTheLastReaderGoes() async throws {
        let broker = try await MosquittoBroker()
        let client = try await MQTTClient.connected(to: broker)
        var streams = [try await client.messages(matching: "a"), try await client.messages(matching: "a")]
        streams.removeLast()
        try await client.publish("still heard", to: "a")
        #expect(await take(1, from: streams[0]).map(\.text) == ["still heard"])
        streams = []
        try await broker.waitForLog(containing: "Received UNSUBSCRIBE")
    }

    @Test func losesTheOldestOfASlowReaderOnly() async throws {
        let broker = try await MosquittoBroker()
        let client = try await MQTTClient.connected(to: broker)
        let slow = try await client.messages(matching: "n", bufferingNewest: 8)
        let quick = try await client.messages(matching: "n", bufferingNewest: 1_000)
        for number in 0..<100 { try await client.publish("\(number)", to: "n") }
        #expect(await take(100, from: quick).map(\.text) == (0..<100).map { "\($0)" })
        #expect(await client.droppedMessages == 92)
        #expect(await take(8, from: slow).map(\.text) == (92..<100).map { "\($0)" })
    }

    @Test func deliversAllOfManyPublishersWithFewSlots() async throws {
        let broker = try await MosquittoBroker()
        var settings = configuration(port: broker.port)
        settings.maximumInFlight = 2
        let client = try await MQTTClient.connected(to: settings)
        let stream = try await client.messages(matching: "many", bufferingNewest: 1_000)
        try await withThrowingTaskGroup(of: MQTTDelivery.self) { group in
            for number in 0..<300 { group.addTask { try await client.publish("\(number)", to: "many") } }
            for try await delivery in group { #expect(delivery == .acknowledged) }
        }
        #expect(Set(await take(300, from: stream).map(\.text)).count == 300)
    }

    @Test(arguments: ["", "a/+", "#", "a\u{0}b"])
    func refusesAWrongTopic(topic: String) async throws {
        let client = try MQTTClient(configuration(port: 1))
        await #expect(throws: MQTTError.invalidTopic(topic)) { try await client.publish("x", to: topic) }
    }

    @Test(arguments: ["", "a/#/b", "a+", "a\u{0}b"])
    func refusesAWrongFilter(filter: String) async throws {
        let client = try MQTTClient(configuration(port: 1))
        await #expect(throws: MQTTError.invalidTopic(filter)) { _ = try await client.messages(matching: filter) }
    }
}
