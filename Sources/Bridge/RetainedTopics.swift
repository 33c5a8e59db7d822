import MQTT

/// What the broker is to keep under each topic, and what of it this connection has been handed.
///
/// Of two values for a topic, the one noted last is also published last, however long the broker takes for the first.
///
/// ## Thread Safety
/// None: it belongs to the bridge's actor, on which its asynchronous members run too.
final class RetainedTopics {
    private let client: MQTTClient
    private var wanted: [String: String] = [:]
    private var handedOver: [String: String] = [:]
    private var busy: Set<String> = []
    /// Topics that somebody else has written to since they were last sent.
    private var overwritten: Set<String> = []
    private var connection = 0

    init(client: MQTTClient) {
        self.client = client
    }

    /// Whether anything is to stand at a topic.
    func has(_ topic: String) -> Bool { wanted[topic] != nil }

    /// Notes what a topic is to say; nothing is sent before `publish`.
    func note(_ text: String, at topic: String) { wanted[topic] = text }

    /// Notes what a topic is to say, and publishes it where it is new.
    func show(_ text: String, at topic: String) async {
        note(text, at: topic)
        await publish(topic)
    }

    /// Publishes what a topic is to say until the broker has the last of it.
    ///
    /// What can't be sent stays noted for the next connection.
    func publish(_ topic: String) async {
        guard busy.insert(topic).inserted else { return }
        defer { busy.remove(topic) }
        while let text = wanted[topic], handedOver[topic] != text {
            let now = connection
            overwritten.remove(topic)
            do {
                try await client.publish(MQTTMessage(topic: topic, text: text, qos: .atLeastOnce, isRetained: true))
            } catch MQTTError.publishRefused {
                // Told in the log; the same text would be refused again, at least as long as the connection stands.
            } catch {
                return
            }
            // A broker that came back meanwhile may have forgotten it.
            if now == connection, !overwritten.contains(topic) { handedOver[topic] = text }
        }
    }

    /// Publishes everything again: the broker may have forgotten all it was told before.
    /// - Parameter first: the topic that goes before all others.
    func publishAll(first: String) async {
        connection += 1
        handedOver.removeAll()
        await publish(first)
        for topic in wanted.keys.sorted() { await publish(topic) }
    }

    /// Publishes a topic again that somebody else has written to.
    func restore(_ topic: String) async {
        overwritten.insert(topic)
        handedOver[topic] = nil
        await publish(topic)
    }
}
