import Foundation
import HubKit
import LoadEvents

/// A charger's counter as a goal may trust it: it neither falls to 0 for a while nor jumps, and goes on when the device
/// began anew (field cases S-1, S-2).
struct SteadyCounter: Sendable {
    /// The counter in watt-hours; absent until it was read.
    private(set) var wattHours: Double?
    /// How much more was counted than the device's counter shows, since that began anew; absent until it was read.
    var aheadWattHours: Double? {
        guard let wattHours, let believed = tracker?.believedWattHours else { return nil }
        return wattHours - believed
    }
    private var tracker: CounterTracker?
    private var origin = 0.0
    private var lowSince: Date?

    /// How long a counter below what it was before a restart is doubted, in seconds.
    private static let doubtSeconds = 120.0

    /// Takes in one reading.
    /// - Parameters:
    ///   - reading: the charger's reading.
    ///   - known: what the counter had reached before, where that is known.
    ///   - ahead: how much more had been counted than the device's counter showed.
    ///   - hasCounter: whether the charger counts energy; without, its power is integrated.
    ///   - maximumWatts: the most that can flow.
    mutating func read(_ reading: DeviceReading, known: Double?, ahead: Double, hasCounter: Bool, maximumWatts: Double)
    {
        guard var tracker = tracker ?? begin(reading, known, ahead, hasCounter, maximumWatts) else { return }
        tracker.read(
            counter: reading[.importWattHours], powerWatts: reading.powerWatts.map { max(0, $0) }, at: reading.at)
        self.tracker = tracker
        wattHours = origin + tracker.totalWattHours
    }

    /// Forgets when anything was read, since the clock was set back; the count stays.
    mutating func clockWasSet() {
        tracker?.clockWasSet()
        lowSince = nil
    }

    private mutating func begin(
        _ reading: DeviceReading, _ known: Double?, _ ahead: Double, _ hasCounter: Bool, _ maximumWatts: Double
    ) -> CounterTracker? {
        guard let counter = reading[.importWattHours] else {
            guard !hasCounter, reading.powerWatts != nil else { return nil }
            origin = known ?? 0
            return CounterTracker(maximumWatts: maximumWatts)
        }
        // It began anew before the hub did, and went on since.
        if let known, ahead > 0, counter < known - 10, counter + ahead >= known - 10 {
            origin = counter + ahead
            return CounterTracker(maximumWatts: maximumWatts)
        }
        if let known, counter < known - 10 {
            let since = lowSince ?? reading.at
            lowSince = since
            guard reading.at.timeIntervalSince(since) >= SteadyCounter.doubtSeconds else { return nil }
        }
        origin = counter
        return CounterTracker(maximumWatts: maximumWatts)
    }
}
