import Foundation

/// How often something may be tried again that did not help: at once at first, then less and less often.
///
/// A charger's memory wears with every write, and one that refuses will refuse again.
struct Pace: Sendable, Equatable {
    let first: Double
    let cap: Double
    private var pause: Double
    private var triedAt: Date?

    /// Nothing was tried.
    /// - Parameters:
    ///   - first: clock seconds between the first two times.
    ///   - cap: clock seconds between two times at most.
    init(first: Double, cap: Double) {
        self.first = first
        self.cap = cap
        pause = first
    }

    /// Whether it may be tried now; then the next time is further away.
    mutating func take(at now: Date) -> Bool {
        // A moment of the future is one of a clock that was set back.
        if let triedAt, triedAt <= now, now.timeIntervalSince(triedAt) < pause { return false }
        if triedAt != nil { pause = min(cap, pause * 2) }
        triedAt = now
        return true
    }

    /// It is not needed any more.
    mutating func reset() { self = Pace(first: first, cap: cap) }
}
