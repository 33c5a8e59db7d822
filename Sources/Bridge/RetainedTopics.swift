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
    /// Whether the base topic is this hub's; nothing is sent while it is not.
    var isOpen = false

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
        while isOpen, let text = wanted[topic], handedOver[topic] != text {
            let now = connection
            overwritten.remove(topic)
            do {
                try await client.publish(Self.message(topic, text))
            } catch MQTTError.publishRefused {
                // Told in the log; the same text would be refused again, at least as long as the connection stands.
            } catch {
                return
            }
            note(text, handedOverAt: topic, in: now)
        }
    }

    private static func message(_ topic: String, _ text: String) -> MQTTMessage {
        MQTTMessage(topic: topic, text: text, qos: .atLeastOnce, isRetained: true)
    }

    private func note(_ text: String, handedOverAt topic: String, in connection: Int) {
        // A broker that came back meanwhile may have forgotten it.
        if connection == self.connection, !overwritten.contains(topic) { handedOver[topic] = text }
    }

    /// Publishes everything again: the broker may have forgotten all it was told before.
    /// - Parameter first: the topic that goes before all others.
    func publishAll(first: String) async {
        connection += 1
        handedOver.removeAll()
        await publish(first)
        await publishTogether(wanted.keys.sorted())
    }

    /// Publishes many topics at once: a broker far away answers one after the other only slowly.
    private func publishTogether(_ all: [String]) async {
        guard isOpen else { return }
        let now = connection
        // What is on its way already is published again by whoever sent it.
        let topics = all.filter { handedOver[$0] != wanted[$0] && busy.insert($0).inserted }
        let texts = topics.map { wanted[$0] ?? "" }
        overwritten.subtract(topics)
        let results = await client.publish(all: zip(topics, texts).map { Self.message($0, $1) })
        for (index, topic) in topics.enumerated() {
            busy.remove(topic)
            switch results[index] {
            case .success, .failure(MQTTError.publishRefused): note(texts[index], handedOverAt: topic, in: now)
            case .failure: continue
            }
            // It may have become another one meanwhile.
            if wanted[topic] != texts[index] || overwritten.contains(topic) { await publish(topic) }
        }
    }

    /// Publishes a topic again that somebody else has written to.
    func restore(_ topic: String) async {
        overwritten.insert(topic)
        handedOver[topic] = nil
        await publish(topic)
    }
}
