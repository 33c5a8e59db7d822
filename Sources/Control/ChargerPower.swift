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
    init(_ inputs: TickInputs, observedMaximum: Double?) {
        let charger = inputs.device.capabilities.charger
        range = charger?.currentLimit ?? CurrentRange(maximumAmps: 16)
        let connection = inputs.venue.connection
        if let connection { range.maximumAmps = min(range.maximumAmps, connection.amps) }
        // Some chargers count 0 phases while nothing flows: that says nothing of the phases they charge on.
        let counted = inputs.device.reading?[.phaseCount].flatMap { (1...3).contains($0) ? Int($0) : nil }
        phases = min(max(1, counted ?? charger?.phases.max() ?? 3), connection?.phases == 1 ? 1 : 3)
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
    /// The same energy in currents that can be set: a mean power between two steps becomes both of them, one after the
    /// other, and one below the least power becomes a shorter time.
    ///
    /// Charging that touches another span stays in one piece with it, so that nothing starts and stops more often.
    /// - Parameter planned: spans, ascending.
    func settable(_ planned: [PlannedInterval]) -> [PlannedInterval] {
        var result: [PlannedInterval] = []
        for (index, interval) in planned.enumerated() {
            let touchesNext = index + 1 < planned.count && planned[index + 1].start == interval.end
            for part in parts(interval, fullAtEnd: touchesNext) {
                if let last = result.last, last.end == part.start, last.powerKW == part.powerKW {
                    result[result.count - 1].end = part.end
                } else {
                    result.append(part)
                }
            }
        }
        return result
    }

    private func parts(_ interval: PlannedInterval, fullAtEnd: Bool) -> [PlannedInterval] {
        let watts = interval.powerKW * 1000
        let seconds = interval.end.timeIntervalSince(interval.start)
        let upperAmps = amps(atLeast: watts)
        let upper = self.watts(at: upperAmps)
        guard upper - watts >= 1 else { return [interval] }
        let lowerAmps = range.settable(min(upperAmps, (upper / wattsPerAmp).rounded(.up)) - range.stepAmps)
        let lower = lowerAmps * wattsPerAmp
        let isBetween = lowerAmps > 0 && lower < watts
        let rest = isBetween ? lower : 0
        // Whole seconds, as the planner counts; rounded up, so that nothing is missing in the end.
        let full = min(seconds, ((watts - rest) * seconds / (upper - rest)).rounded(.up))
        let border = fullAtEnd ? interval.end.addingTimeInterval(-full) : interval.start.addingTimeInterval(full)
        let first = PlannedInterval(start: interval.start, end: border, powerKW: (fullAtEnd ? rest : upper) / 1000)
        let second = PlannedInterval(start: border, end: interval.end, powerKW: (fullAtEnd ? upper : rest) / 1000)
        return [first, second].filter { $0.powerKW > 0 && $0.end > $0.start }
    }
}

/// What the car was seen to take: many cars draw less than the charger offers, and a plan must know.
struct ObservedPower: Equatable, Sendable {
    /// The most the car takes, once it was seen below the offer for a while.
    private(set) var maximumWatts: Double?
    private var belowSince: Date?
    private var fullSince: Date?

    /// Takes a reading into account.
    mutating func note(_ reading: DeviceReading, offeredAmps: Double, _ power: ChargerPower, at now: Date) {
        guard reading.charging == .charging, offeredAmps >= power.range.maximumAmps - 0.1,
            let watts = reading.powerWatts,
            watts > 500
        else {
            (belowSince, fullSince) = (nil, nil)
            return
        }
        let offered = power.range.maximumAmps * power.wattsPerAmp
        guard watts < 0.94 * offered else {
            belowSince = nil
            // One higher reading is not yet a car that takes all.
            guard maximumWatts != nil, watts > 0.97 * offered else { return fullSince = nil }
            let since = fullSince ?? now
            fullSince = since
            if now.timeIntervalSince(since) >= 120 { maximumWatts = nil }
            return
        }
        fullSince = nil
        let since = belowSince ?? now
        belowSince = since
        guard now.timeIntervalSince(since) >= 120 else { return }
        // In steps of 2 %, so that noise does not make a new plan each time; rounded down, since a plan that counts on
        // more than the car takes misses its deadline.
        let rounded = (watts / offered * 50).rounded(.down) / 50 * offered
        if maximumWatts.map({ abs($0 - rounded) > 0.045 * offered }) ?? true { maximumWatts = rounded }
    }
}
