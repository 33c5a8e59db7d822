/// The log lines of a connection: each change once, however many attempts lie between two changes (field case M-1).
struct ConnectionLines {
    /// Why there is no connection; a broker that refuses needs another remedy than one that is away.
    private enum Trouble: Hashable {
        case away, refused
        /// Each has a remedy of its own.
        case encryption(String)
        case encryptionBroken
    }

    private var isConnected = false
    private var wasConnected = false
    private var told: Set<Trouble> = []
    private var since: ContinuousClock.Instant?
    private var saidAt: ContinuousClock.Instant?
    private var attempts = 0

    /// How long nothing is said while a fault lasts.
    static let reminder: Duration = .seconds(3600)

    /// The line for a new state, where one is due.
    /// - Parameters:
    ///   - state: the state.
    ///   - longestWait: between two attempts.
    ///   - now: the present moment.
    mutating func line(
        for state: MQTTState, longestWait: Duration, at now: ContinuousClock.Instant = .now
    ) -> String? {
        switch state {
        case .idle, .connecting: return nil
        case .closed: return "closed"
        case .connected:
            guard !isConnected else { return nil }
            let before = since.map { " after \(Self.text(now - $0)) and \(Self.count(attempts))" } ?? ""
            let again = wasConnected ? " again" : ""
            self = ConnectionLines()
            (isConnected, wasConnected) = (true, true)
            return "connected" + (before.isEmpty ? "" : again + before)
        case .disconnected(let error, _):
            return line(for: error, longestWait, now)
        }
    }

    private mutating func line(
        for error: MQTTError, _ longestWait: Duration, _ now: ContinuousClock.Instant
    ) -> String? {
        isConnected = false
        since = since ?? now
        attempts += 1
        var trouble = Trouble.away
        if case .refused = error { trouble = .refused }
        if case .encryption(let text) = error { trouble = .encryption(text) }
        if case .encryptionBroken = error { trouble = .encryptionBroken }
        // Whether the broker's word arrives is a matter of chance, and was told when it did.
        let isGuess = trouble == .encryptionBroken && told.contains { if case .encryption = $0 { true } else { false } }
        if isGuess { told.insert(trouble) }
        if told.insert(trouble).inserted {
            saidAt = now
            let remedy =
                switch trouble {
                case .refused: "; check user, password and access list"
                case .away: "; check that the broker runs"
                // Its own words have it.
                case .encryption, .encryptionBroken: ""
                }
            return "not connected: \(error.description)\(remedy), it is tried again at least every "
                + Self.text(longestWait)
        }
        guard let since, let saidAt, now - saidAt >= Self.reminder else { return nil }
        self.saidAt = now
        return "not connected for \(Self.text(now - since)) and \(Self.count(attempts)): \(error.description)"
    }

    private static func count(_ attempts: Int) -> String {
        attempts == 1 ? "one failed attempt" : "\(attempts) failed attempts"
    }

    /// A duration in whole units, as people say it.
    static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return switch seconds {
        case ..<1: "less than a second"
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        default: "\(seconds / 3600) h"
        }
    }
}
