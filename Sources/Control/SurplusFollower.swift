import Foundation

/// Follows the house's own surplus with one charger; pure but for its memory of how long a state has lasted.
struct SurplusFollower: Equatable, Sendable {
    /// Seconds the surplus must last before charging starts.
    var startDelay = 60.0
    /// Seconds it may be missing before charging stops.
    var stopDelay = 180.0
    private var enoughSince: Date?
    private var missingSince: Date?
    private(set) var isCharging = false

    /// Chooses the power to charge with.
    /// - Parameters:
    ///   - gridWatts: the grid meter, positive for import; `nil` when it is stale or dead, or can't be believed.
    ///   - fault: why it is not known, in words.
    ///   - ownWatts: what the charger draws now.
    ///   - minimumWatts: the least power the car charges with.
    ///   - maximumWatts: the most.
    ///   - keepsMinimum: whether a minimum current was asked for, so that it never pauses.
    ///   - now: the present moment.
    /// - Returns: watts, 0 to pause, and why.
    mutating func power(
        gridWatts: Double?, fault: String = "the grid meter does not answer", ownWatts: Double, minimumWatts: Double,
        maximumWatts: Double, keepsMinimum: Bool,
        at now: Date
    ) -> (watts: Double, reason: String) {
        guard let gridWatts else {
            // Without the meter there is no surplus to follow (field case C-4).
            reset()
            return keepsMinimum
                ? (minimumWatts, "\(fault); charging at the least current") : (0, "\(fault); waiting for it")
        }
        let available = ownWatts - gridWatts
        if available >= minimumWatts {
            missingSince = nil
            enoughSince = enoughSince ?? now
        } else {
            enoughSince = nil
            missingSince = missingSince ?? now
        }
        if !isCharging, let since = enoughSince, now.timeIntervalSince(since) >= startDelay { isCharging = true }
        if isCharging, let since = missingSince, now.timeIntervalSince(since) >= stopDelay { isCharging = false }
        if isCharging { return (min(max(available, minimumWatts), maximumWatts), "charging from the own surplus") }
        return keepsMinimum
            ? (minimumWatts, "charging at the least current; waiting for more surplus") : (0, "waiting for surplus")
    }

    /// Counts again from now what began later than now, since the clock was set back.
    mutating func forgetFuture(at now: Date) {
        enoughSince = enoughSince.map { min($0, now) }
        missingSince = missingSince.map { min($0, now) }
    }

    /// Forgets how long anything lasted.
    mutating func reset() {
        enoughSince = nil
        missingSince = nil
        isCharging = false
    }
}
