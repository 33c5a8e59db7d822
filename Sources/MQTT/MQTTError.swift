/// What can go wrong between this client and its broker.
package enum MQTTError: Error, Sendable, Equatable {
    /// There is no connection now; try again when there is.
    case notConnected
    /// The connection broke; a message under way may or may not have arrived.
    case connectionLost(String)
    /// One side does not trust the other, or the files for that can't be used: what is wrong, where, and how to mend it.
    case encryption(String)
    /// The broker broke an encrypted connection off before its first answer, without a word that arrived: what may be
    /// wrong.
    case encryptionBroken(String)
    /// The broker refused the connection: with 4 and 5 for a wrong user or password, and text for people.
    case refused(code: Int, text: String)
    /// The broker does not allow the subscription.
    case subscriptionRefused(String)
    /// The broker did not take a message: with 0x87 for no right to the topic, 0x97 for a quota, and text for people.
    case publishRefused(topic: String, code: Int, text: String)
    /// The topic or filter is empty, too long, has a wildcard in the wrong place, or is not UTF-8.
    case invalidTopic(String)
    /// The payload is longer than MQTT allows.
    case payloadTooLarge(bytes: Int)
    /// More topics wait for a connection than are kept.
    case bufferFull
    /// A file or an option cannot be used.
    case invalidConfiguration(String)
    /// The client was closed.
    case closed
}

extension MQTTError: CustomStringConvertible {
    /// What is wrong and what helps, in words.
    package var description: String {
        switch self {
        case .notConnected: "there is no connection to the broker now; it is made again by itself"
        case .connectionLost(let text): text
        case .encryption(let text), .encryptionBroken(let text), .refused(_, let text): text
        case .subscriptionRefused(let filter):
            "the broker does not allow subscribing to \(filter); mend its access list"
        case .publishRefused(let topic, 0x87, let text):
            "the broker refused a message on \(topic) (\(text)); mend its access list"
        case .publishRefused(let topic, _, let text): "the broker refused a message on \(topic) (\(text))"
        case .invalidTopic(let topic): "'\(topic)' can't be a topic"
        case .payloadTooLarge(let bytes): "\(bytes) bytes are more than an MQTT message holds"
        case .bufferFull: "more topics wait for a connection than are kept"
        case .invalidConfiguration(let text): text
        case .closed: "the client was closed"
        }
    }
}

/// How a client stands with its broker.
package enum MQTTState: Sendable, Equatable {
    /// `start()` was not called yet.
    case idle
    /// An attempt is under way.
    case connecting
    /// Connected, and every subscription acknowledged: the time to publish everything again.
    case connected
    /// Not connected; the reason, and the wait until the next attempt.
    case disconnected(MQTTError, retryAfter: Duration)
    /// Closed for good.
    case closed
}

/// What became of a published message.
package enum MQTTDelivery: Sendable, Equatable {
    /// Written to the connection, for `atMostOnce`.
    case sent
    /// Acknowledged by the broker, for `atLeastOnce`.
    case acknowledged
    /// Kept until there is a connection, unless a later message for the topic takes its place.
    case buffered
}
