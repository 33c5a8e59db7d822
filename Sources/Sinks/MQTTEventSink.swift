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
    private let mayPublish: @Sendable () async -> Bool

    /// Makes a sink.
    /// - Parameters:
    ///   - client: a client that its owner starts and closes.
    ///   - base: the base topic.
    ///   - mayPublish: whether that is this hub's; where another hub holds it, the events of two homes would be one's.
    package init(client: MQTTClient, base: String, mayPublish: @escaping @Sendable () async -> Bool = { true }) {
        self.client = client
        self.mayPublish = mayPublish
        topic = "\(base)/events"
    }

    /// Publishes events in order; returns when the broker acknowledged the last one.
    /// - Throws: `PartialDelivery` with what the broker acknowledged before. A broker that is away, has had its quota, or at
    ///   which another hub holds the base topic, may take the rest later; a base topic that is none and an access list that
    ///   refuses it need a person; an event that is too long for MQTT, or that the broker refuses for another reason, is
    ///   refused for good.
    package func deliver(_ events: [StoredEvent]) async throws {
        guard await mayPublish() else {
            throw PartialDelivery(
                delivered: 0,
                cause: HubError(
                    .connection, "another hub at the broker holds the base topic; give one of them another one",
                    retry: .transient))
        }
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
        // Not the event's fault, and all that follow would be refused as well.
        case .publishRefused(_, 0x87, _): .needsPerson
        case .publishRefused(_, 0x97, _): .transient
        case .publishRefused: .permanent
        case .invalidTopic, .invalidConfiguration: .needsPerson
        default: .transient
        }
    }
}
