/// The retained messages that wait for a connection: the last one of each topic, in the order of the topics' first.
struct OfflineBuffer {
    let limit: Int
    private var messages: [String: MQTTMessage] = [:]
    private var order: [String] = []
    private var head = 0

    init(limit: Int) {
        self.limit = limit
    }

    var isEmpty: Bool { messages.isEmpty }

    func contains(_ topic: String) -> Bool { messages[topic] != nil }

    /// Keeps a message in place of an earlier one of its topic.
    /// - Returns: false when there is no room for another topic.
    mutating func put(_ message: MQTTMessage) -> Bool {
        if messages[message.topic] == nil {
            guard messages.count < limit else { return false }
            order.append(message.topic)
        }
        messages[message.topic] = message
        return true
    }

    /// Takes the message of the topic that has waited longest.
    mutating func pop() -> MQTTMessage? {
        guard head < order.count else { return nil }
        defer {
            head += 1
            if head == order.count {
                order = []
                head = 0
            }
        }
        return messages.removeValue(forKey: order[head])
    }
}
