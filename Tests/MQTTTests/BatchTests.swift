import MQTT
import TestSupport
import Testing

/// Many messages handed over at once.
@Suite(.timeLimit(.minutes(3)), .enabled(if: MosquittoBroker.isInstalled))
struct BatchTests {
    private func messages(_ count: Int, qos: MQTTQoS = .atLeastOnce, isRetained: Bool = false) -> [MQTTMessage] {
        (0..<count).map { MQTTMessage(topic: "batch/\($0)", text: "\($0)", qos: qos, isRetained: isRetained) }
    }

    private func kinds(_ results: [Result<MQTTDelivery, any Error>]) -> [String] {
        results.map { result in
            switch result {
            case .success(let delivery): "\(delivery)"
            case .failure(let error): "\(error)"
            }
        }
    }

    @Test(
        "all arrive in their order, whatever the window, and each is told what became of it",
        arguments: [(1, MQTTQoS.atLeastOnce), (64, .atLeastOnce), (1, .atMostOnce), (64, .atMostOnce)])
    func order(window: Int, qos: MQTTQoS) async throws {
        let broker = try await MosquittoBroker(settings: ["max_queued_messages 0"])
        var settings = configuration(port: broker.port)
        settings.maximumInFlight = window
        let client = try await MQTTClient.connected(to: settings)
        let stream = try await client.messages(matching: "batch/#", bufferingNewest: 3000)
        // Of those written at once, so many that a call within a call for each would need too deep a stack.
        let all = messages(3000, qos: qos)
        let results = await client.publish(all: all)
        #expect(Set(kinds(results)) == [qos == .atMostOnce ? "sent" : "acknowledged"] && results.count == all.count)
        #expect(await take(all.count, from: stream).map(\.topic) == all.map(\.topic))
        #expect(await client.publish(all: []).isEmpty)
    }

    @Test("a message that can't be sent is told so, and the others go")
    func oneIsWrong() async throws {
        let broker = try await MosquittoBroker()
        let client = try await MQTTClient.connected(to: broker)
        var all = messages(5)
        all[2].topic = "a/#"
        let results = await client.publish(all: all)
        #expect(results.map { (try? $0.get()) == .acknowledged } == [true, true, false, true, true])
        #expect(throws: MQTTError.invalidTopic("a/#")) { try results[2].get() }
    }

    @Test("a single message does not wait for all of a batch")
    func single() async throws {
        let broker = try await MosquittoBroker()
        var settings = configuration(port: broker.port)
        settings.maximumInFlight = 1
        let client = try await MQTTClient.connected(to: settings)
        let stream = try await client.messages(matching: "#", bufferingNewest: 3000)
        await broker.suspend()
        async let batch = client.publish(all: messages(2000))
        while await client.messagesUnderWay == 0 { await Task.yield() }
        async let single = client.publish("x", to: "single")
        while await client.waitingMessages < 2 { await Task.yield() }
        await broker.resume()
        _ = try await (batch, single)
        let topics = await take(2001, from: stream).map(\.topic)
        let place = try #require(topics.firstIndex(of: "single"))
        #expect(place < 5)
    }

    @Test("what waits for a slot when the connection breaks is kept where it is retained, and refused where not")
    func connectionBreaks() async throws {
        let broker = try await MosquittoBroker()
        var settings = configuration(port: broker.port)
        settings.maximumInFlight = 1
        let client = try await MQTTClient.connected(to: settings)
        await broker.suspend()
        async let kept = client.publish(all: messages(3, isRetained: true))
        async let lost = client.publish(all: messages(3))
        while await client.waitingMessages < 2 { await Task.yield() }
        await broker.kill()
        let (first, second) = await (kinds(kept), kinds(lost))
        #expect(Set(first) == ["buffered"])
        #expect(second.allSatisfy { !["acknowledged", "sent", "buffered"].contains($0) })
        try await broker.start()
        await client.wait { $0 == .connected }
        let watcher = try await MQTTClient.connected(to: broker)
        let stream = try await watcher.messages(matching: "batch/#")
        #expect(await take(3, from: stream).map(\.text).sorted() == ["0", "1", "2"])
    }

    @Test("closing and cancelling end the wait for all", arguments: [true, false])
    func ends(isClosed: Bool) async throws {
        let broker = try await MosquittoBroker()
        var settings = configuration(port: broker.port)
        settings.maximumInFlight = 1
        let client = try await MQTTClient.connected(to: settings)
        await broker.suspend()
        let publishing = Task { await client.publish(all: messages(3, isRetained: true)) }
        while await client.messagesUnderWay == 0 { await Task.yield() }
        if isClosed { await client.close() } else { publishing.cancel() }
        for result in await publishing.value {
            if isClosed {
                #expect(throws: MQTTError.closed) { try result.get() }
            } else {
                #expect(throws: CancellationError.self) { try result.get() }
            }
        }
        await broker.resume()
        if isClosed {
            #expect(await client.publish(all: messages(1)).allSatisfy { (try? $0.get()) == nil })
        } else {
            // Those that nobody waits for any more are left out, and the next message goes.
            #expect(try await client.publish("x", to: "next") == .acknowledged)
        }
    }
}
