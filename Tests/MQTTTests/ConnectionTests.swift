import Foundation
import MQTT
import TestSupport
import Testing
import ThreadKit

@Suite(.timeLimit(.minutes(3)), .enabled(if: MosquittoBroker.isInstalled))
struct ConnectionTests {
    @Test func startsWithoutABrokerAndSendsTheLastOfEachTopicLater() async throws {
        let broker = try await MosquittoBroker()
        await broker.stop()
        let client = try MQTTClient(configuration(port: broker.port))
        await client.start()
        let failure = await client.wait { $0.failure != nil }.failure
        #expect(failure == .connectionLost("Connection refused"))

        #expect(try await client.publish("1", to: "a", isRetained: true) == .buffered)
        #expect(try await client.publish("2", to: "b", isRetained: true) == .buffered)
        #expect(try await client.publish("3", to: "a", isRetained: true) == .buffered)
        await #expect(throws: MQTTError.notConnected) { try await client.publish("x", to: "event") }
        let stream = try await client.messages(matching: "#")

        try await broker.start()
        let messages = await take(2, from: stream)
        #expect(messages.map(\.topic) == ["a", "b"])
        #expect(messages.map(\.text) == ["3", "2"])
    }

    /// Between the broker's welcome and its last acknowledgement a listener that comes is as good as the others.
    @Test(arguments: 0..<8) func hearsWhatIsAskedForAtAnyMomentOfConnecting(round: Int) async throws {
        let broker = try await MosquittoBroker()
        let sender = try await MQTTClient.connected(to: broker)
        let client = try MQTTClient(configuration(port: broker.port))
        var streams: [(topic: String, stream: AsyncStream<MQTTMessage>)] = []
        func listen() async throws {
            let topic = "topic/\(streams.count)"
            streams.append((topic, try await client.messages(matching: topic)))
        }
        // So many that being subscribed takes a moment.
        for _ in 0..<50 { try await listen() }
        await client.start()
        while await client.state != .connected, streams.count < 400 {
            try await listen()
            // Spread over the moment, not all at its beginning.
            try await Task.sleep(for: .microseconds(50))
        }
        await client.wait { $0 == .connected }
        for (topic, _) in streams { try await sender.publish("x", to: topic) }
        for (topic, stream) in streams { #expect(await take(1, from: stream).map(\.topic) == [topic]) }
    }

    @Test func refusesMoreTopicsThanItKeeps() async throws {
        var settings = configuration(port: 1)
        settings.maximumBufferedTopics = 2
        let client = try MQTTClient(settings)
        for topic in ["a", "b", "a"] { try await client.publish("x", to: topic, isRetained: true) }
        await #expect(throws: MQTTError.bufferFull) { try await client.publish("x", to: "c", isRetained: true) }
    }

    @Test(arguments: [false, true])
    func comesBackAfterTheBrokerForgotEverything(isKilled: Bool) async throws {
        let broker = try await MosquittoBroker()
        let client = try await MQTTClient.connected(to: broker)
        let commands = try await client.messages(matching: "set/#")
        let states = await client.states()
        // The owner's part: everything again after each connection.
        let republishing = Task {
            for await state in states where state == .connected {
                try await client.publish("online", to: "status", isRetained: true)
            }
        }
        if isKilled { await broker.kill() } else { await broker.stop() }
        await client.wait { $0.failure != nil }
        try await broker.start()

        let other = try await MQTTClient.connected(to: broker)
        let status = try await other.messages(matching: "status")
        #expect(await take(1, from: status).map(\.text) == ["online"])
        try await other.publish("on", to: "set/mode")
        #expect(await take(1, from: commands).map(\.text) == ["on"])
        republishing.cancel()
    }

    @Test func saysWhyTheBrokerRefusesAndNeverThePassword() async throws {
        let broker = try await MosquittoBroker(users: ["hub": "right-secret"])
        var settings = configuration(port: broker.port)
        settings.userName = "hub"
        settings.password = "wrong-secret"
        let lines = Locked<[String]>([])
        let client = try MQTTClient(settings) { line in lines.withLock { $0.append(line) } }
        await client.start()
        let state = await client.wait { $0.failure != nil }
        guard case .refused(let code, let text) = state.failure else {
            Issue.record("\(state)")
            return
        }
        #expect(code == 5)
        #expect(text.contains("not authorised"))
        #expect(lines.current.contains { $0.contains("not authorised") })
        #expect(!("\(lines.current) \(settings) \(String(reflecting: settings))").contains("secret"))

        settings.password = "right-secret"
        _ = try await MQTTClient.connected(to: settings)
    }

    @Test func logsEachChangeOnce() async throws {
        let broker = try await MosquittoBroker()
        let lines = Locked<[String]>([])
        let client = try MQTTClient(configuration(port: broker.port)) { line in lines.withLock { $0.append(line) } }
        await client.start()
        await client.wait { $0 == .connected }
        await client.start()
        await client.close()
        let name = "mqtt://127.0.0.1:\(broker.port): "
        #expect(lines.current == ["connected", "closed"].map { name + $0 })
    }

    @Test func saysOnceThatTheBrokerIsAwayHoweverOftenItTries() async throws {
        // Field case M-1.
        let broker = try await MosquittoBroker()
        let lines = Locked<[String]>([])
        let client = try MQTTClient(configuration(port: broker.port)) { line in lines.withLock { $0.append(line) } }
        await client.start()
        await client.wait { $0 == .connected }
        for round in 1...2 {
            let states = await client.states()
            await broker.kill()
            var failures = 0
            for await state in states where state.failure != nil {
                failures += 1
                if failures == 4 { break }
            }
            #expect(lines.current.count == 2 * round, "\(lines.current)")
            try await broker.start()
            await client.wait { $0 == .connected }
            #expect(lines.current.count == 2 * round + 1, "\(lines.current)")
        }
        #expect(lines.current.filter { $0.contains("not connected: ") }.count == 2)
        #expect(lines.current.filter { $0.contains("connected again after") }.count == 2)
        #expect(!lines.current.contains { $0.contains(".") && $0.contains("seconds") })
    }

    @Test func leavesItsLastWillWhenItIsKilled() async throws {
        let broker = try await MosquittoBroker()
        let watcher = try await MQTTClient.connected(to: broker)
        let status = try await watcher.messages(matching: "status")
        await #expect(processExitsWith: .signal(SIGKILL)) { [port = broker.port as Int] in
            var settings = configuration(port: port)
            settings.will = MQTTMessage(topic: "status", text: "offline", isRetained: true)
            let client = try await MQTTClient.connected(to: settings)
            try await client.publish("online", to: "status", isRetained: true)
            kill(getpid(), SIGKILL)
        }
        #expect(await take(2, from: status).map(\.text) == ["online", "offline"])
    }

    @Test(arguments: [false, true])
    func leavesNoWillWhenItSaysGoodBye(isClosed: Bool) async throws {
        let broker = try await MosquittoBroker()
        let watcher = try await MQTTClient.connected(to: broker)
        let status = try await watcher.messages(matching: "status")
        var settings = configuration(port: broker.port, id: "leaving")
        settings.will = MQTTMessage(topic: "status", text: "offline")
        var client: MQTTClient? = try await MQTTClient.connected(to: settings)
        if isClosed { await client?.close() }
        client = nil
        try await broker.waitForLog(containing: "Client leaving disconnected.")
        try await watcher.publish("marker", to: "status")
        #expect(await take(1, from: status).map(\.text) == ["marker"])
    }

    @Test(
        "a broker that keeps the session keeps what is listened to at QoS 1 while the client is away, and nothing else")
    func keptSession() async throws {
        let broker = try await MosquittoBroker()
        let sender = try await MQTTClient.connected(to: broker)
        var settings = configuration(port: broker.port, id: "kept")
        settings.isCleanSession = false
        let before = try await MQTTClient.connected(to: settings)
        let streams = [
            try await before.messages(matching: "sure"),
            try await before.messages(matching: "unsure", qos: .atMostOnce),
        ]
        await before.close()
        for topic in ["unsure", "sure", "unsure"] { try await sender.publish("meanwhile", to: topic) }
        let after = try MQTTClient(settings)
        let all = try await after.messages(matching: "#", qos: .atMostOnce)
        await after.start()
        await after.wait { $0 == .connected }
        try await sender.publish("now", to: "unsure")
        #expect(await take(2, from: all).map { "\($0.topic) \($0.text)" } == ["sure meanwhile", "unsure now"])
        _ = streams
    }

    @Test("what the broker kept waits for a listener that comes after the connection, in the order of sending")
    func keptForALaterListener() async throws {
        let broker = try await MosquittoBroker()
        let sender = try await MQTTClient.connected(to: broker)
        var settings = configuration(port: broker.port, id: "later")
        settings.isCleanSession = false
        let before = try await MQTTClient.connected(to: settings)
        let streams = [try await before.messages(matching: "a/+"), try await before.messages(matching: "b")]
        await before.close()
        for (topic, text) in [("a/1", "one"), ("b", "other"), ("a/2", "two")] {
            try await sender.publish(text, to: topic)
        }
        let after = try await MQTTClient.connected(to: settings)
        // Its answer comes behind everything that was kept.
        let marker = try await after.messages(matching: "marker")
        try await sender.publish("now", to: "marker")
        #expect(await take(1, from: marker).map(\.text) == ["now"])
        let late = try await after.messages(matching: "a/+")
        try await sender.publish("three", to: "a/3")
        #expect(await take(3, from: late).map(\.text) == ["one", "two", "three"])
        let again = try await after.messages(matching: "a/+")
        try await sender.publish("four", to: "a/4")
        #expect(await take(1, from: again).map(\.text) == ["four"])
        _ = streams
    }

    @Test func endsStreamsAndWaitersWhenClosed() async throws {
        let broker = try await MosquittoBroker()
        let client = try await MQTTClient.connected(to: broker)
        let messages = try await client.messages(matching: "a")
        let states = await client.states()
        await broker.suspend()
        let publishing = Task { try await client.publish("x", to: "a") }
        let watching = Task { await states.reduce(into: [MQTTState]()) { $0.append($1) } }
        while await client.messagesUnderWay == 0 { await Task.yield() }
        await client.close()
        await #expect(throws: MQTTError.closed) { try await publishing.value }
        #expect(await take(1, from: messages).isEmpty)
        #expect(await watching.value.last == .closed)
        await #expect(throws: MQTTError.closed) { try await client.publish("x", to: "a", isRetained: true) }
        await #expect(throws: MQTTError.closed) { _ = try await client.messages(matching: "a") }
        await client.start()
        #expect(await client.state == .closed)
        await broker.resume()
    }

    @Test func cancellingEndsTheWaitOnly() async throws {
        let broker = try await MosquittoBroker()
        let client = try await MQTTClient.connected(to: broker)
        let stream = try await client.messages(matching: "a")
        await broker.suspend()
        let publishing = Task { try await client.publish("x", to: "a") }
        while await client.messagesUnderWay == 0 { await Task.yield() }
        publishing.cancel()
        await #expect(throws: CancellationError.self) { try await publishing.value }
        await broker.resume()
        #expect(await take(1, from: stream).map(\.text) == ["x"])
        #expect(await client.state == .connected)
    }

    @Test func givesUpABrokerThatDoesNotAcknowledge() async throws {
        let broker = try await MosquittoBroker()
        var settings = configuration(port: broker.port)
        settings.acknowledgementTimeout = .milliseconds(300)
        let client = try await MQTTClient.connected(to: settings)
        await broker.suspend()
        async let retained = client.publish("kept", to: "r", isRetained: true)
        await #expect(throws: MQTTError.connectionLost("the broker does not acknowledge")) {
            try await client.publish("event", to: "e")
        }
        #expect(try await retained == .buffered)
        await broker.resume()
        let stream = try await client.messages(matching: "r")
        #expect(await take(1, from: stream).map(\.text) == ["kept"])
    }

    @Test func givesUpABrokerThatNeverAnswers() async throws {
        let broker = try await MosquittoBroker()
        await broker.suspend()
        var settings = configuration(port: broker.port)
        settings.connectTimeout = .milliseconds(300)
        let client = try MQTTClient(settings)
        await client.start()
        #expect(await client.wait { $0.failure != nil }.failure == .connectionLost("no answer from the broker"))
        await broker.resume()
        await client.wait { $0 == .connected }
    }
}
