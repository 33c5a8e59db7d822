import Foundation

/// How much a deadline leaves no choice.
struct Haste: Equatable, Sendable {
    /// The power that meets it if it flows from now on, with some time in reserve, in watts.
    var watts: Double
    /// How long charging may pause at most, in seconds; below zero where the deadline is missed anyway.
    var slackSeconds: Double

    /// With less time to spare than this a car comes before everything that can wait, in seconds.
    static let fewSeconds = 7200.0

    /// Works it out from what is missing, in watt-hours.
    init(_ missing: Double, by deadline: Date, _ power: ChargerPower, at now: Date) {
        let left = deadline.timeIntervalSince(now)
        slackSeconds = left - missing / max(power.maximumWatts, 1) * 3600
        // A car takes a little less than it is offered, and is heard a little later.
        watts = min(power.maximumWatts, missing * 3600 / max(60, 0.95 * left - 60))
    }
}
