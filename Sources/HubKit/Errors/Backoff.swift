import Foundation

/// Exponential backoff with full jitter: the first wait is below 2 s, each ceiling doubles, none is above 5 minutes.
///
/// Full jitter (a uniform draw from zero to the ceiling) spreads clients that failed together.
public struct Backoff: Sendable, Equatable {
    /// The ceiling of the first wait, in seconds.
    public var first: Double
    /// The highest ceiling, in seconds.
    public var cap: Double

    /// Makes a rule of waiting; the defaults are the hub's.
    public init(first: Double = 2, cap: Double = 300) {
        self.first = first
        self.cap = cap
    }

    /// The longest wait before the given attempt, in seconds.
    /// - Parameter attempt: failures so far, 1 for the first.
    public func ceiling(attempt: Int) -> Double {
        guard attempt > 0 else { return 0 }
        return min(cap, first * pow(2, Double(min(attempt - 1, 60))))
    }

    /// The wait before the given attempt, in seconds.
    /// - Parameters:
    ///   - attempt: failures so far, 1 for the first.
    ///   - draw: a random number in 0..<1; the caller owns the randomness so that tests can choose it.
    public func delay(attempt: Int, draw: Double) -> Double {
        ceiling(attempt: attempt) * min(max(draw, 0), 1)
    }
}
