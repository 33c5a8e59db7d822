package import Foundation

/// Paces how often a device is told the same again while it says something else.
///
/// A device that restarted forgets what it was told, and is told again at once. One that cannot or will not follow, such
/// as a charger with a lower limit of its own, is told less and less often: its memory wears with every write (D-9).
package struct Disagreement: Sendable {
    private var pause: Double
    private let first: Double
    private let cap: Double
    private var next: Date?

    /// No disagreement so far.
    /// - Parameters:
    ///   - first: clock seconds between the first two times.
    ///   - cap: clock seconds between two times at most.
    package init(first: Double = 10, cap: Double = 3600) {
        self.first = first
        self.cap = cap
        pause = first
    }

    /// Whether the device is to be told again now.
    /// - Parameters:
    ///   - agrees: whether it says what it was told.
    ///   - now: when it said so.
    package mutating func isDue(_ agrees: Bool, at now: Date) -> Bool {
        guard !agrees else {
            self = Disagreement(first: first, cap: cap)
            return false
        }
        // One that is further away than any pause is of a clock that was set back since then.
        if let next, now < next, next.timeIntervalSince(now) <= cap { return false }
        next = now.addingTimeInterval(pause)
        pause = min(cap, pause * 2)
        return true
    }
}
