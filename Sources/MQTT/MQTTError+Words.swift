extension MQTTError: CustomStringConvertible {
    /// What went wrong, for a person.
    package var description: String {
        switch self {
        case .notConnected: "there is no connection to the broker"
        case .connectionLost(let reason): "the connection to the broker broke: \(reason)"
        case .refused(let code, let text): "the broker refused the connection: \(text) (code \(code))"
        case .subscriptionRefused(let filter): "the broker does not allow the subscription \(filter)"
        case .invalidTopic(let topic): "'\(topic)' is no topic that can be used"
        case .payloadTooLarge(let bytes): "a message of \(bytes) bytes is longer than MQTT allows"
        case .bufferFull: "more messages wait for the broker than are kept"
        case .invalidConfiguration(let reason): reason
        case .closed: "the connection to the broker was closed"
        }
    }
}
