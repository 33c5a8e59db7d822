import Foundation
import HubKit
import MQTT
import ProfileKit

/// Messages of a recording, said again at a broker.
final class ReplayedMessages: ReplayedDevice {
    private let exchanges: [RecordedExchange]
    private let client: MQTTClient
    private let broker: String
    private let topic: String
    /// Real seconds after which everything is said again, once the recording is over.
    private static let pause = 2.0

    /// Connects to a broker.
    /// - Parameters:
    ///   - recording: what was said.
    ///   - host: the broker.
    ///   - port: its port.
    ///   - topic: what the device calls itself.
    /// - Throws: `HubError` where the broker does not take the connection within ten seconds.
    init(_ recording: DeviceRecording, host: String, port: UInt16, topic: String) async throws {
        exchanges = recording.exchanges.filter { $0.message != nil && $0.message?.isOwn != true }
        broker = "\(host):\(port)"
        self.topic = topic
        client = try MQTTClient(MQTT.MQTTConfiguration(host: host, port: Int(port)))
        await client.start()
        let client = client
        let isThere = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await state in await client.states() where state == .connected { return true }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(10))
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
        guard isThere else {
            throw HubError(.connection, "there is no broker at \(broker), or it wants a login", retry: .transient)
        }
    }

    var connection: [(key: String, value: String)] {
        [("topic", DeviceLines.quoted(topic)), ("broker", DeviceLines.quoted(broker))]
    }

    func run(speed: Double) async throws {
        let began = ContinuousClock.now
        var last: [String: RecordedExchange.Message] = [:]
        for exchange in exchanges {
            guard let message = exchange.message else { continue }
            try await Task.sleep(until: began + .seconds(exchange.after / speed), clock: .continuous)
            last[message.topic] = message
            try await say(message)
        }
        // A device that is silent is taken for gone.
        while true {
            try await Task.sleep(for: .seconds(Self.pause))
            for (_, message) in last.sorted(by: { $0.key < $1.key }) { try await say(message) }
        }
    }

    private func say(_ message: RecordedExchange.Message) async throws {
        let fill = { (text: String) in text.replacing(TrafficCleaner.topicMark, with: self.topic) }
        _ = try? await client.publish(
            fill(message.payload), to: fill(message.topic), isRetained: message.isRetained ?? false)
        try Task.checkCancellation()
    }
}
