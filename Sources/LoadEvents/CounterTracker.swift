package import Foundation

/// The energy that really flowed, worked out from a counter that may stumble.
///
/// Counters fall to 0 and come back, begin again, round downwards and jump (devices.md 4.5, field cases S-1, S-2, S-4).
/// The total never falls, and never grows faster than `maximumWatts` allows. A device without a counter has its power
/// integrated, and the total says that it is estimated. A counter that has used up its bits or digits and begins again is
/// followed over the edge. A counter that changes its unit, as after an update of the
/// device's software, is followed in the unit it had.
package struct CounterTracker: Sendable, Codable, Equatable {
    /// The most that can flow, in watts.
    package let maximumWatts: Double
    /// The value at which the counter begins again at 0, in watt-hours, where that is known.
    package let wrapsAtWattHours: Double?
    /// Energy since the tracker began, in watt-hours.
    package private(set) var totalWattHours = 0.0
    /// Whether some of the total was integrated from power.
    package private(set) var isEstimated = false
    /// How much of the total was integrated from power, in watt-hours; absent where nothing was.
    package private(set) var estimatedWattHours: Double?
    /// How often the counter did not go on where it was; absent while it always did.
    ///
    /// Each time the count hangs on what was read just now, and not on the counter alone.
    package private(set) var turns: Int?

    private var base: Mark?
    private var lastGoodAt: Date?
    private var doubt: Doubt?
    private var left: LeftCounter?
    private var power: Mark?
    private var lastAt: Date?
    /// Whether the moments above are of a clock that was set since then.
    private var isClockNew: Bool?
    private var unit: CounterUnit?

    /// The counter as it was last believed, in watt-hours of its first unit; absent where none was read.
    package var believedWattHours: Double? { base?.value }

    /// Makes a tracker that has seen nothing.
    package init(maximumWatts: Double, wrapsAtWattHours: Double? = nil) {
        self.maximumWatts = maximumWatts
        self.wrapsAtWattHours = wrapsAtWattHours
    }

    /// A number and when it was read; for a counter, when it last rose.
    private struct Mark: Sendable, Codable, Equatable {
        var value: Double
        var at: Date
    }

    /// Readings that do not follow from the counter's last value.
    private struct Doubt: Sendable, Codable, Equatable {
        var first: Mark
        var last: Mark
        var rises = 0
    }

    /// A counter that was given up as begun anew, in case it comes back after all.
    private struct LeftCounter: Sendable, Codable, Equatable {
        var base: Mark
        var total: Double
    }

    private static let roundingWattHours = 10.0
    /// How late a reading may come to know of what has flowed, in seconds.
    private static let aheadSeconds: TimeInterval = 900
    /// How long a counter that stands may be behind what flows, in seconds: a step of 1 kWh at 1 kW.
    private static let coarseSeconds: TimeInterval = 3600
    private static let longestIntegration: TimeInterval = 300
    /// How long before the first reading of a clock that was set the last one may have been, in seconds.
    private static let unseenSeconds: TimeInterval = 120

    /// Takes in one reading; one that is older than the last is passed over.
    /// - Parameters:
    ///   - counter: the counter in watt-hours, where it was read.
    ///   - powerWatts: the power in the counter's direction, 0 or more, where it is known.
    ///   - moment: when the device had these values.
    package mutating func read(counter: Double?, powerWatts: Double?, at moment: Date) {
        if isClockNew == true { takeUp(at: moment) }
        if let lastAt, moment <= lastAt { return }
        lastAt = moment
        if let counter, counter.isFinite, counter >= 0 {
            follow(counter, at: moment)
        } else if base == nil {
            integrate(powerWatts, at: moment)
        }
        power = powerWatts.map { Mark(value: max($0, 0), at: moment) }
    }

    /// Forgets the counter's value, as when another counter takes its place; the total stays.
    package mutating func changeCounter() {
        (base, doubt, left, unit) = (nil, nil, nil, nil)
    }

    /// Forgets when anything was read, since the clock was set; the counts stay.
    package mutating func clockWasSet() {
        (lastAt, power, doubt, left) = (nil, nil, nil, nil)
        isClockNew = true
    }

    private mutating func takeUp(at moment: Date) {
        isClockNew = nil
        base?.at = moment.addingTimeInterval(-Self.unseenSeconds)
        lastGoodAt = base?.at
    }

    private mutating func integrate(_ watts: Double?, at moment: Date) {
        guard let watts, let power else { return }
        let seconds = moment.timeIntervalSince(power.at)
        guard seconds <= Self.longestIntegration else { return }
        let mean = min((power.value + max(watts, 0)) / 2, maximumWatts)
        guard mean > 0 else { return }
        totalWattHours += mean * seconds / 3600
        estimatedWattHours = (estimatedWattHours ?? 0) + mean * seconds / 3600
        isEstimated = true
    }

    private mutating func follow(_ raw: Double, at moment: Date) {
        let counter = raw * (unit?.factor ?? 1)
        guard let base else { return begin(at: Mark(value: counter, at: moment)) }
        let rise = counter - base.value
        if rise >= 0 {
            followRise(rise, from: base, raw: raw, at: moment)
        } else if -rise <= max(Self.roundingWattHours, unit?.resolution ?? 0) {
            stay(at: moment)
        } else if let width = wrapsAtWattHours, base.value <= width,
            isPlausible(rise + width, since: base.at, at: moment)
        {
            accept(rise + width, value: counter, at: moment)
        } else {
            wonder(at: Mark(value: counter, at: moment), raw: raw)
        }
    }

    private mutating func followRise(_ rise: Double, from base: Mark, raw: Double, at moment: Date) {
        let value = base.value + rise
        if rise == 0 { return stay(at: moment) }
        if isPlausible(rise, since: lastGoodAt ?? base.at, at: moment) { return accept(rise, value: value, at: moment) }
        // A coarse counter steps by more than could flow since the last reading: the next reading has to agree.
        let behind = max(base.at, (lastGoodAt ?? base.at).addingTimeInterval(-Self.coarseSeconds))
        if let doubt, doubt.first.value > base.value, value >= doubt.last.value,
            isPlausible(rise, since: behind, at: moment)
        {
            return accept(rise, value: value, at: moment)
        }
        if let left, value >= left.base.value, isPlausible(value - left.base.value, since: left.base.at, at: moment) {
            let total = max(totalWattHours, left.total + value - left.base.value)
            return accept(total - totalWattHours, value: value, at: moment)
        }
        wonder(at: Mark(value: value, at: moment), raw: raw)
    }

    private mutating func begin(at mark: Mark) {
        base = mark
        lastGoodAt = mark.at
    }

    private mutating func stay(at moment: Date) {
        doubt = nil
        unit?.isSettled()
        lastGoodAt = moment
    }

    private mutating func accept(_ rise: Double, value: Double, at moment: Date) {
        totalWattHours += rise
        base = Mark(value: value, at: moment)
        lastGoodAt = moment
        (doubt, left) = (nil, nil)
        unit?.isSettled()
    }

    /// Three readings that rise as energy can, from a value that does not fit, are a counter begun anew.
    private mutating func wonder(at mark: Mark, raw: Double) {
        if let base, isOtherUnit(raw, at: mark.at) {
            // All that can have flowed since the counter was last known is in the new number.
            let value = max(raw * (unit?.factor ?? 1), base.value)
            let room = maximumWatts * mark.at.timeIntervalSince(lastGoodAt ?? base.at) / 3600
            turns = (turns ?? 0) + 1
            return accept(min(value - base.value, room), value: value, at: mark.at)
        }
        guard var doubt, mark.value >= doubt.last.value,
            isPlausible(mark.value - doubt.last.value, since: doubt.last.at, at: mark.at)
        else {
            self.doubt = Doubt(first: mark, last: mark)
            turns = (turns ?? 0) + 1
            return
        }
        if mark.value > doubt.last.value {
            doubt.last = mark
            doubt.rises += 1
        }
        self.doubt = doubt
        // While the readings would fit in another unit, they are no beginning.
        guard doubt.rises >= 2, unit?.isInQuestion != true, let base else { return }
        // A counter that is only ahead, since a reading before came late, is caught up with and nothing of it is lost.
        let earliest = base.at.addingTimeInterval(-Self.aheadSeconds)
        if mark.value > base.value, isPlausible(mark.value - base.value, since: earliest, at: mark.at) { return }
        let room = maximumWatts * mark.at.timeIntervalSince(lastGoodAt ?? base.at) / 3600
        if let rise = CounterWidth.rise(from: base.value, to: mark.value, room: room) {
            return accept(rise, value: mark.value, at: mark.at)
        }
        turns = (turns ?? 0) + 1
        let former = LeftCounter(base: base, total: totalWattHours)
        accept(mark.value - doubt.first.value, value: mark.value, at: mark.at)
        left = former
    }

    private mutating func isOtherUnit(_ raw: Double, at moment: Date) -> Bool {
        guard let base else { return false }
        var known = unit ?? CounterUnit()
        defer { unit = known }
        let most = maximumWatts
        return known.isOther(raw, after: base.value, at: moment, since: lastGoodAt ?? base.at) { since in
            most * moment.timeIntervalSince(since) / 3600
        }
    }

    private func isPlausible(_ wattHours: Double, since start: Date, at moment: Date) -> Bool {
        wattHours >= 0 && wattHours <= maximumWatts * moment.timeIntervalSince(start) / 3600
    }
}
