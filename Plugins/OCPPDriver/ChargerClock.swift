import Foundation

/// Puts a charger's times on the hub's clock.
///
/// A charger that was without a network sends what it kept with old times, which are right. One whose clock is wrong, by
/// the hours of a time zone above all, sends everything with such times: what is always off by as much is no age.
struct ChargerClock: Sendable, Equatable {
    /// Seconds by which a clock may be off without being wrong.
    static let tolerance = 120.0
    /// The least by which the charger's times lay behind the hub's so far, in seconds.
    private var lag: Double?

    /// The moment on the hub's clock that a charger means; the moment of receipt where it names none.
    mutating func moment(_ time: Date?, receivedAt now: Date) -> Date {
        guard let time else { return now }
        let behind = now.timeIntervalSince(time)
        let lag = min(lag ?? behind, behind)
        self.lag = lag
        return min(now, abs(lag) <= ChargerClock.tolerance ? time : time.addingTimeInterval(lag))
    }

    /// The charger is told the time now, and may set its clock.
    mutating func wasTold() { lag = nil }
}
