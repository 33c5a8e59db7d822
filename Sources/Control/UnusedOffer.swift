import Foundation

/// Whether a car takes nothing of what it is offered: it is full, or waits for a time of its own.
struct UnusedOffer: Equatable, Sendable {
    /// When it was first offered what it does not take.
    private var since: Date?

    /// How long a car may take to begin, in seconds.
    private static let patience = 300.0
    /// How long it is believed to want nothing before it is offered a full share again, in seconds.
    private static let memory = 3600.0

    /// Takes in what a tick sees.
    mutating func note(isOffered: Bool, isTaken: Bool, at now: Date) {
        if isTaken { return since = nil }
        if let since, now.timeIntervalSince(since) >= Self.patience + Self.memory { self.since = nil }
        // A pause in between is not a will to charge.
        if isOffered { since = since ?? now }
    }

    /// Whether it was offered power for minutes and took none.
    func isRefused(at now: Date) -> Bool { since.map { now.timeIntervalSince($0) >= Self.patience } ?? false }

    /// Counts again from now, since the clock was set back.
    mutating func forgetFuture(at now: Date) { since = since.map { min($0, now) } }
}
