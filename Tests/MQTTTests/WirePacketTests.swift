import Foundation
import TestSupport
import Testing

@testable import MQTT

/// The packets of the reader that acknowledges on demand.
@Suite struct WirePacketTests {
    @Test("packets are as the standard has them")
    func outgoing() {
        #expect(
            WirePacket.connect(clientID: "c", user: nil, password: nil, keepAliveSeconds: 30)
                == [0x10, 13, 0, 4, 77, 81, 84, 84, 4, 0, 0, 30, 0, 1, 99])
        #expect(
            WirePacket.connect(clientID: "c", user: "u", password: "p", keepAliveSeconds: 1)
                == [0x10, 19, 0, 4, 77, 81, 84, 84, 4, 0xC0, 0, 1, 0, 1, 99, 0, 1, 117, 0, 1, 112])
        #expect(WirePacket.subscribe("a/+", number: 258) == [0x82, 8, 1, 2, 0, 3, 97, 47, 43, 1])
        #expect(WirePacket.acknowledge(0x1234) == [0x40, 2, 0x12, 0x34])
    }

    @Test("packets are taken whole, one after the other, wherever the bytes are cut", arguments: 1...7)
    func incoming(piece: Int) throws {
        let payload = [UInt8](repeating: 7, count: 300)
        let stream: [UInt8] =
            [0x20, 2, 0, 0, 0x90, 3, 0, 1, 1] + [0x32, 0xB3, 0x02, 0, 3, 97, 47, 98, 0, 9] + payload
            + [0x3A, 5, 0, 1, 99, 1, 0, 0x30, 3, 0, 1, 100, 0xD0, 0]
        var bytes: [UInt8] = []
        var found: [WirePacket.Incoming] = []
        for start in Swift.stride(from: 0, to: stream.count, by: piece) {
            bytes += stream[start..<min(start + piece, stream.count)]
            while let packet = try WirePacket.take(from: &bytes) { found.append(packet) }
        }
        #expect(
            found == [
                .connected(code: 0), .subscribed([1]),
                .message(MQTTArrival(topic: "a/b", payload: payload, number: 9, isRepeated: false)),
                .message(MQTTArrival(topic: "c", payload: [], number: 256, isRepeated: true)),
                .message(MQTTArrival(topic: "d", payload: [], number: nil, isRepeated: false)), .pong,
            ])
        #expect(bytes.isEmpty)
    }

    @Test(
        "what is no packet is refused, and nothing is read beyond its end",
        arguments: [
            [0x20, 1, 0], [0x90, 2, 0, 1], [0x30, 1, 0], [0x30, 2, 0, 5], [0x32, 3, 0, 1, 97],
            [0x36, 5, 0, 1, 97, 0, 1],
            [0x30, 0x80, 0x80, 0x80, 0x80, 1], [0x30, 0xFF, 0xFF, 0xFF, 0x7F],
        ] as [[UInt8]])
    func malformed(packet: [UInt8]) {
        var bytes = packet
        #expect(throws: WirePacket.Malformed.self) { try WirePacket.take(from: &bytes) }
    }
}

/// The reader at a real broker.
@Suite(
    .enabled(if: MosquittoBroker.isInstalled, "the mosquitto broker is not installed"), .timeLimit(.minutes(2)))
struct ReaderTests {
    private func reader(user: String? = nil, password: String? = nil) -> MQTTReader {
        MQTTReader(.init(clientID: "reader", filter: "+/events", user: user, password: password))
    }

    private func read(_ count: Int, _ reader: MQTTReader) async throws -> [MQTTArrival] {
        var found: [MQTTArrival] = []
        while found.count < count { found += try await reader.next(atMost: count - found.count, within: .seconds(20)) }
        return found
    }

    @Test("what was not acknowledged comes again, what was does not, and nothing is missed while the reader is away")
    func comesAgain() async throws {
        let broker = try await MosquittoBroker()
        let place = MQTTPlace(host: "127.0.0.1", port: broker.port)
        let sender = try await MQTTClient.connected(to: broker)
        let reader = reader()
        try await reader.connect(to: place)
        for number in 1...5 { try await sender.publish("\(number)", to: "a/events") }
        let first = try await read(5, reader)
        #expect(first.map { String(decoding: $0.payload, as: UTF8.self) } == ["1", "2", "3", "4", "5"])
        #expect(first.allSatisfy { $0.topic == "a/events" && !$0.isRepeated })
        try await reader.acknowledge(Array(first.prefix(2)))
        await reader.disconnect()
        // What is sent before the broker knows that the reader left is sent to it once already.
        try await broker.waitForLog(containing: "Received DISCONNECT from reader")
        try await sender.publish("6", to: "b/events")

        try await reader.connect(to: place)
        let again = try await read(4, reader)
        #expect(again.map { String(decoding: $0.payload, as: UTF8.self) } == ["3", "4", "5", "6"])
        #expect(again.map(\.isRepeated) == [true, true, true, false])
        try await reader.acknowledge(again)
        // Nothing is left: the next message is the next one that comes.
        try await sender.publish("7", to: "a/events")
        #expect(try await read(1, reader).map { String(decoding: $0.payload, as: UTF8.self) } == ["7"])
        await reader.disconnect()
    }

    @Test("a broker that refuses, or is not there, is an error with its reason")
    func refused() async throws {
        let broker = try await MosquittoBroker(users: ["reader": "right"])
        let place = MQTTPlace(host: "localhost", port: broker.port)
        do {
            try await reader(user: "reader", password: "wrong").connect(to: place)
            Issue.record("it was let in")
        } catch MQTTError.refused(let code, let text) {
            #expect(code == 5 && text.contains("not authorised"))
        }
        try await reader(user: "reader", password: "right").connect(to: place)
        let nobody = MQTTPlace(host: "127.0.0.1", port: try LoopbackPort.free())
        await #expect(throws: MQTTError.self) { try await reader().connect(to: nobody) }
    }

    @Test("a broker that goes away ends the wait, and one that is there goes on through silence")
    func goesAway() async throws {
        let broker = try await MosquittoBroker()
        let reader = reader()
        try await reader.connect(to: MQTTPlace(host: "127.0.0.1", port: broker.port))
        #expect(try await reader.next(atMost: 1, within: .milliseconds(50)).isEmpty)
        let waiting = Task { try await reader.next(atMost: 1, within: .seconds(60)) }
        await broker.kill()
        await #expect(throws: MQTTError.self) { try await waiting.value }
        await #expect(throws: MQTTError.notConnected) { try await reader.next(atMost: 1, within: .zero) }
    }

    @Test("a task that is cancelled need not wait for the broker")
    func cancelled() async throws {
        let broker = try await MosquittoBroker()
        let reader = reader()
        try await reader.connect(to: MQTTPlace(host: "127.0.0.1", port: broker.port))
        let waiting = Task { try await reader.next(atMost: 1, within: .seconds(100)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
