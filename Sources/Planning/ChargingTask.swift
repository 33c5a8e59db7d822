package import Foundation

/// A span with a known price, half-open, for one load.
package struct PricedSlot: Sendable, Hashable {
    /// First instant of the slot.
    package var start: Date
    /// First instant after it.
    package var end: Date
    /// Price of a kilowatt-hour drawn from the grid, in micro-units of the currency.
    package var importPriceMicro: Int64
    /// Second criterion among equal prices, such as grams of CO2 per kilowatt-hour; less is better.
    package var secondary: Int64
    /// Most power the load may draw in this slot; `nil` is no limit of the slot's own.
    package var maxPowerKW: Double?
    /// Solar power that would otherwise be fed in or lost; `nil` is none known.
    package var surplusKW: Double?
    /// What a kilowatt-hour of that surplus would have earned, in micro-units: the price of using it.
    package var surplusPriceMicro: Int64

    /// Creates a slot.
    package init(
        start: Date, end: Date, importPriceMicro: Int64, secondary: Int64 = 0, maxPowerKW: Double? = nil,
        surplusKW: Double? = nil, surplusPriceMicro: Int64 = 0
    ) {
        self.start = start
        self.end = end
        self.importPriceMicro = importPriceMicro
        self.secondary = secondary
        self.maxPowerKW = maxPowerKW
        self.surplusKW = surplusKW
        self.surplusPriceMicro = surplusPriceMicro
    }
}

/// One load that needs an energy by a time: all that the plan depends on, and nothing else.
package struct ChargingTask: Sendable {
    /// Known prices, ascending and without overlap; a gap is unknown and never planned in.
    package var slots: [PricedSlot]

    /// Nothing is planned before this; the current slot is cut here.
    package var now: Date

    /// When the load is there; `nil` is now.
    package var windowStart: Date?

    /// When the energy must be in the car.
    package var deadline: Date

    /// Least energy in the car after its efficiency, in kilowatt-hours.
    package var minEnergyKWh: Double

    /// Most energy in the car; above the least it is only filled where that is paid for.
    package var maxEnergyKWh: Double

    /// Powers allowed besides nothing, ascending: one range, or two where phases are switched.
    package var ranges: [PowerRange]

    /// Share of the metered energy that reaches the car, above 0 up to 1.
    package var efficiency: Double

    /// What decides among equal prices and equal second criteria.
    package var tieBreak: TieBreak

    /// The intervals of the plan that runs now; empty where none does.
    package var runningPlan: [PlannedInterval]

    /// The running plan wins unless a new one saves more than this, in currency.
    package var switchingThreshold: Double

    /// Among equal prices: the latest, so that a battery stands full for a shorter time, or the earliest.
    package enum TieBreak: Sendable, Hashable {
        /// Later slots first.
        case latest
        /// Earlier slots first.
        case earliest
    }

    /// Creates a task.
    package init(
        slots: [PricedSlot], now: Date, windowStart: Date? = nil, deadline: Date, minEnergyKWh: Double,
        maxEnergyKWh: Double, ranges: [PowerRange], efficiency: Double = 1, tieBreak: TieBreak = .latest,
        runningPlan: [PlannedInterval] = [], switchingThreshold: Double = 0
    ) {
        self.slots = slots
        self.now = now
        self.windowStart = windowStart
        self.deadline = deadline
        self.minEnergyKWh = minEnergyKWh
        self.maxEnergyKWh = maxEnergyKWh
        self.ranges = ranges
        self.efficiency = efficiency
        self.tieBreak = tieBreak
        self.runningPlan = runningPlan
        self.switchingThreshold = switchingThreshold
    }
}

extension ChargingTask {
    /// Ranges a load may have; the work grows with their square.
    static let mostRanges = 8

    /// Every fault of the task; paths are the members' names.
    package func check() -> [ProblemFault] {
        var faults: [ProblemFault] = []
        func refuse(_ path: String, _ problem: String, _ remedy: String) {
            faults.append(ProblemFault(path, problem, remedy: remedy))
        }
        for (index, slot) in slots.enumerated() {
            if !(slot.end > slot.start) { refuse("slots[\(index)]", "does not end after it starts", "drop it") }
            if index > 0, slot.start < slots[index - 1].end {
                refuse("slots[\(index)]", "overlaps the slot before", "sort the slots and join overlaps")
            }
        }
        if !(minEnergyKWh >= 0 && minEnergyKWh <= maxEnergyKWh && maxEnergyKWh < 1e6) {
            refuse("maxEnergyKWh", "\(minEnergyKWh)…\(maxEnergyKWh) kWh is no range", "give 0 ≤ least ≤ most")
        }
        if !(efficiency > 0 && efficiency <= 1) {
            refuse("efficiency", "\(efficiency) is not a share", "give a number above 0 up to 1")
        }
        if ranges.isEmpty { refuse("ranges", "is empty", "give at least one range of powers") }
        if ranges.count > ChargingTask.mostRanges {
            refuse("ranges", "has \(ranges.count) ranges", "join neighbours to at most \(ChargingTask.mostRanges)")
        }
        for (index, range) in ranges.enumerated() {
            let isAbove = index == 0 || range.lowKW > ranges[index - 1].highKW
            if !(range.lowKW >= 0 && range.lowKW <= range.highKW && range.highKW > 0 && range.highKW < 1e5 && isAbove) {
                refuse("ranges[\(index)]", "[\(range.lowKW), \(range.highKW)] kW", "give ascending separate ranges")
            }
        }
        let largest = slots.reduce(Int64(0)) {
            max($0, Int64(clamping: $1.importPriceMicro.magnitude), Int64(clamping: $1.surplusPriceMicro.magnitude))
        }
        let hours = slots.reduce(0.0) { $0 + max(0, $1.end.timeIntervalSince($1.start)) } / 3600
        let kilowattHours = max(maxEnergyKWh / efficiency, (ranges.last?.highKW ?? 0) * hours)
        if Double(largest) * kilowattHours * PlanUnits.joulesPerKWh > 4e18 {
            refuse("slots", "prices too large for \(kilowattHours) kWh", "use a larger unit of currency")
        }
        return faults
    }
}
