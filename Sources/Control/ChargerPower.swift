import Foundation
import HubKit
import Planning

/// The powers a charger can be asked for right now.
struct ChargerPower: Equatable, Sendable {
    /// The currents, in amps for each phase.
    var range: CurrentRange
    /// Phases in use.
    var phases: Int
    /// Watts for each amp offered.
    var wattsPerAmp: Double
    /// The least power the car charges with.
    var minimumWatts: Double
    /// The most it draws: what the charger offers, or what the car was seen to take.
    var maximumWatts: Double

    /// Works them out from what the charger declares and last read.
    /// - Parameter asked: the phases it was asked to use, where it can switch.
    init(_ inputs: TickInputs, observedMaximum: Double?, asked: Int? = nil) {
        let charger = inputs.device.capabilities.charger
        range = charger?.currentLimit ?? CurrentRange(maximumAmps: 16)
        let connection = inputs.venue.connection
        if let connection { range.maximumAmps = min(range.maximumAmps, connection.amps) }
        // Some chargers count 0 phases while nothing flows: that says nothing of the phases they charge on.
        let counted = inputs.device.reading?[.phaseCount].flatMap { (1...3).contains($0) ? Int($0) : nil }
        let most = min(asked ?? 3, connection?.phases == 1 ? 1 : 3)
        phases = min(max(1, counted ?? charger?.phases.max() ?? 3), most)
        // The nominal voltage, so that plans do not wander with every reading.
        wattsPerAmp = 230 * Double(phases)
        let minimumAmps = max(range.minimumAmps, inputs.device.configuration.limits.minimumAmps ?? 0)
        range.minimumAmps = min(minimumAmps, range.maximumAmps)
        maximumWatts = min(range.maximumAmps * wattsPerAmp, observedMaximum ?? .infinity)
        // A car on fewer phases than the charger's draws less than the least power of all: it is on or off then.
        minimumWatts = min(range.minimumAmps * wattsPerAmp, maximumWatts)
    }

    /// The settable current that gives at least this power: rounded up, so that a deadline is not missed by a step.
    func amps(atLeast watts: Double) -> Double {
        // What the car does not take anyway need not be held back.
        if watts >= maximumWatts - 1 { return range.maximumAmps }
        let exact = watts / wattsPerAmp
        let down = range.settable(exact)
        return down >= exact - 1e-6
            ? max(down, range.minimumAmps)
            : range.settable(max(exact, range.minimumAmps - range.stepAmps) + range.stepAmps)
    }

    /// What the car takes at a current, in watts.
    func watts(at amps: Double) -> Double { min(amps * wattsPerAmp, maximumWatts) }
}

extension ChargerPower {
    /// The same energy in currents that can be set: part of a slot becomes a shorter time at full power.
    ///
    /// That time touches the span before or after, so that nothing starts and stops more often. Between two spans the
    /// mean power becomes the two steps around it, so that nothing stops in between; so it does under the sun, where more
    /// power would be bought.
    /// - Parameters:
    ///   - planned: spans, ascending.
    ///   - isRunning: whether the car charges where the first span starts.
    ///   - mostWatts: what limits leave in a span, in watts; nothing where they leave enough.
    ///   - surplusWatts: what the sun leaves in a span, in watts; nothing where it leaves nothing or is not known.
    func settable(
        _ planned: [PlannedInterval], isRunning: Bool = false, mostWatts: (PlannedInterval) -> Double? = { _ in nil },
        surplusWatts: (PlannedInterval) -> Double? = { _ in nil }
    ) -> [PlannedInterval] {
        var result: [PlannedInterval] = []
        for (index, interval) in planned.enumerated() {
            let touchesNext = index + 1 < planned.count && planned[index + 1].start == interval.end
            let touchesLast = index > 0 ? planned[index - 1].end == interval.start : isRunning
            let isSunny = surplusWatts(interval).map { $0 >= interval.powerKW * 1000 } ?? false
            let most = min(maximumWatts, mostWatts(interval) ?? .infinity)
            for part in parts(interval, most, touchesLast || isSunny, touchesNext || isSunny) {
                if let last = result.last, last.end == part.start, last.powerKW == part.powerKW {
                    result[result.count - 1].end = part.end
                } else {
                    result.append(part)
                }
            }
        }
        return result
    }

    private func parts(
        _ interval: PlannedInterval, _ most: Double, _ touchesLast: Bool, _ touchesNext: Bool
    ) -> [PlannedInterval] {
        let watts = interval.powerKW * 1000
        guard most - watts >= 1 else { return [interval] }
        guard touchesLast, touchesNext, watts > minimumWatts else {
            return [cut(interval, watts, upper: most, lower: 0, fullAtEnd: touchesNext && !touchesLast)[0]]
        }
        let upperAmps = amps(atLeast: watts)
        let upper = self.watts(at: upperAmps)
        guard upper - watts >= 1 else { return [interval] }
        let lowerAmps = range.settable(min(upperAmps, (upper / wattsPerAmp).rounded(.up)) - range.stepAmps)
        // The higher current first: what is missing in the end can be seen in time.
        return cut(interval, watts, upper: upper, lower: min(watts, lowerAmps * wattsPerAmp), fullAtEnd: false)
    }

    /// An interval as two powers with the same mean, the upper one first in the answer.
    private func cut(
        _ interval: PlannedInterval, _ watts: Double, upper: Double, lower: Double, fullAtEnd: Bool
    ) -> [PlannedInterval] {
        let seconds = interval.end.timeIntervalSince(interval.start)
        // Whole seconds, as the planner counts; rounded up, so that nothing is missing in the end.
        let full = min(seconds, ((watts - lower) * seconds / (upper - lower)).rounded(.up))
        let border = fullAtEnd ? interval.end.addingTimeInterval(-full) : interval.start.addingTimeInterval(full)
        let first = PlannedInterval(start: interval.start, end: border, powerKW: upper / 1000)
        let second = PlannedInterval(start: border, end: interval.end, powerKW: lower / 1000)
        guard !fullAtEnd else { return [PlannedInterval(start: border, end: interval.end, powerKW: upper / 1000)] }
        return border < interval.end ? [first, second] : [first]
    }
}

/// What the car was seen to take: many cars draw less than the charger offers, and a plan must know.
struct ObservedPower: Equatable, Sendable {
    /// The most the car takes, once it was seen below the offer for a while.
    private(set) var maximumWatts: Double?
    private var smoothedWatts: Double?
    private var since: Date?
    private var lastAt: Date?

    /// Takes a reading into account.
    mutating func note(_ reading: DeviceReading, offeredAmps: Double, _ power: ChargerPower, at now: Date) {
        guard reading.charging == .charging, offeredAmps >= power.range.maximumAmps - 0.1,
            let watts = reading.powerWatts, watts > 500
        else {
            (smoothedWatts, since) = (nil, nil)
            return
        }
        guard reading.at != lastAt else { return }
        lastAt = reading.at
        guard let since, let before = smoothedWatts else {
            since = now
            smoothedWatts = watts
            return
        }
        // While a car starts, its power says nothing yet of what it takes.
        let isEarly = now.timeIntervalSince(since) < 60
        let smoothed = isEarly ? watts : before + 0.15 * (watts - before)
        smoothedWatts = smoothed
        if now.timeIntervalSince(since) >= 120 { judge(smoothed, power.range.maximumAmps * power.wattsPerAmp) }
    }

    /// In steps of 1 % and with some play, so that noise does not make new plans; rounded down, since a plan that
    /// counts on more than the car takes misses its deadline.
    private mutating func judge(_ watts: Double, _ offered: Double) {
        let share = watts / offered
        let known = maximumWatts.map { $0 / offered }
        if let known { guard share < known - 0.02 || share > known + 0.03 || share > 0.995 else { return } }
        maximumWatts = share < (known == nil ? 0.98 : 0.995) ? (share * 100).rounded(.down) / 100 * offered : nil
    }
}
