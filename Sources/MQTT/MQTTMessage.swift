/// How surely a message arrives.
package enum MQTTQoS: Int32, Sendable {
    /// At most once: gone when the connection breaks.
    case atMostOnce = 0
    /// At least once: acknowledged by the broker, and perhaps received twice.
    case atLeastOnce = 1
}

/// A message as it is published and received.
package struct MQTTMessage: Sendable, Equatable {
    /// The topic, without wildcards.
    package var topic: String
    /// Any bytes; none at all with `isRetained` clears what the broker keeps for the topic.
    package var payload: [UInt8]
    /// How surely it is, or was, delivered.
    package var qos: MQTTQoS
    /// Published, the broker is to keep it for later subscribers; received, it was kept and is not new.
    package var isRetained: Bool

    /// Makes a message from bytes.
    package init(topic: String, payload: [UInt8], qos: MQTTQoS = .atLeastOnce, isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.qos = qos
        self.isRetained = isRetained
    }

    /// Makes a message from text, in UTF-8.
    package init(topic: String, text: String, qos: MQTTQoS = .atLeastOnce, isRetained: Bool = false) {
        self.init(topic: topic, payload: Array(text.utf8), qos: qos, isRetained: isRetained)
    }

    /// The payload as text; bytes that are not UTF-8 become replacement characters.
    package var text: String { String(decoding: payload, as: UTF8.self) }
}
