/// Messages of a session that the broker kept, for which nobody listens yet.
///
/// A broker sends what it kept with the connection, before the client has said again what it wants; whoever begins to
/// listen a moment later gets them all the same. They are acknowledged, and would be gone.
struct UnclaimedMessages {
    private struct Kept {
        var message: MQTTMessage
        var at: ContinuousClock.Instant
    }

    private static let most = 1000
    /// How long one waits: listeners come with the start, and what is older is news to nobody.
    private static let patience = Duration.seconds(60)
    private var messages: [Kept] = []

    /// Keeps a message; of too many the oldest are let go.
    mutating func keep(_ message: MQTTMessage) {
        if messages.count == Self.most { messages.removeFirst(Self.most / 10) }
        messages.append(Kept(message: message, at: .now))
    }

    /// Gives what a new listener wants, oldest first.
    mutating func take(matching filter: String) -> [MQTTMessage] {
        messages.removeAll { ContinuousClock.now - $0.at > Self.patience }
        let wanted = messages.filter { Session.matches(filter, $0.message.topic) }
        messages.removeAll { Session.matches(filter, $0.message.topic) }
        return wanted.map(\.message)
    }
}
