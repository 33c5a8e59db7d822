import Foundation
import HubKit
import LoadEvents
package import MQTT
package import Storage

/// Hands load events to an MQTT broker, one message each at QoS 1 on `BASE/events`.
///
/// QoS 1 may repeat a message; the event's `id` makes a repeat harmless.
package struct MQTTEventSink: EventSink {
    package let name = "mqtt"
    private let client: MQTTClient
    private let topic: String

    /// Makes a sink.
    /// - Parameters:
    ///   - client: a client that its owner starts and closes.
    ///   - base: the base topic.
    package init(client: MQTTClient, base: String) {
        self.client = client
        topic = "\(base)/events"
    }

    /// Publishes events in order; returns when the broker acknowledged the last one.
    /// - Throws: a transient `HubError` while the broker is away; what it acknowledged before is sent again later. A
    ///   base topic that is none needs a person, and an event too long for MQTT is refused for good.
    package func deliver(_ events: [StoredEvent]) async throws {
        for (index, event) in events.enumerated() {
            let message = MQTTMessage(topic: topic, payload: Array(try event.json().utf8), qos: .atLeastOnce)
            do {
                try await client.publish(message)
            } catch let error as MQTTError {
                throw PartialDelivery(
                    delivered: index,
                    cause: HubError(
                        .connection, "the broker did not take an event: \(plainWords(of: error))",
                        retry: error.retryClass))
            }
        }
    }

    package func reconnections() async -> AsyncStream<Void>? {
        let states = await client.states()
        return AsyncStream { continuation in
            let watching = Task {
                for await state in states where state == .connected { continuation.yield() }
                continuation.finish()
            }
            continuation.onTermination = { _ in watching.cancel() }
        }
    }
}

extension MQTTError {
    /// What to do about an event that was not taken.
    fileprivate var retryClass: RetryClass {
        switch self {
        case .payloadTooLarge: .permanent
        case .invalidTopic, .invalidConfiguration: .needsPerson
        default: .transient
        }
    }
}
