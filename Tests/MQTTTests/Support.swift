import MQTT
import TestSupport

/// Quick to try again, so that tests need not wait.
func configuration(port: Int, id: String? = nil) -> MQTTConfiguration {
    var configuration = MQTTConfiguration(host: "127.0.0.1", port: port)
    configuration.clientID = id
    configuration.backoff = MQTTBackoff(initial: .milliseconds(20), maximum: .milliseconds(100))
    return configuration
}

extension MQTTClient {
    /// A started client of a running broker, once it is connected.
    static func connected(to configuration: MQTTConfiguration) async throws -> MQTTClient {
        let client = try MQTTClient(configuration)
        await client.start()
        await client.wait { $0 == .connected }
        return client
    }

    static func connected(to broker: MosquittoBroker, id: String? = nil) async throws -> MQTTClient {
        try await connected(to: MQTTTests.configuration(port: broker.port, id: id))
    }

    /// Waits for a state, also the present one.
    @discardableResult
    func wait(until isWanted: (MQTTState) -> Bool) async -> MQTTState {
        for await state in states() where isWanted(state) { return state }
        return .closed
    }

    var isDisconnected: Bool {
        if case .disconnected = state { true } else { false }
    }
}

extension MQTTState {
    /// Why there is no connection; nil for other states.
    var failure: MQTTError? {
        if case .disconnected(let error, _) = self { error } else { nil }
    }
}

/// The next messages of a stream.
func take(_ count: Int, from stream: AsyncStream<MQTTMessage>) async -> [MQTTMessage] {
    var messages: [MQTTMessage] = []
    guard count > 0 else { return messages }
    for await message in stream {
        messages.append(message)
        if messages.count == count { break }
    }
    return messages
}
