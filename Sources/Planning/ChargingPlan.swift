package import Foundation

/// A span in which a load draws one power, half-open.
package struct PlannedInterval: Sendable, Hashable {
    /// First instant.
    package var start: Date
    /// First instant after it.
    package var end: Date
    /// Kilowatts at the meter side, above 0.
    package var powerKW: Double

    /// Creates an interval.
    package init(start: Date, end: Date, powerKW: Double) {
        self.start = start
        self.end = end
        self.powerKW = powerKW
    }
}

/// When a load draws power, and what that costs.
package struct ChargingPlan: Sendable, Equatable {
    /// Spans with power, ascending; neighbours of equal power are one span.
    package var intervals: [PlannedInterval]

    /// Energy in the car, in kilowatt-hours.
    package var energyKWh: Double

    /// Cost in currency; a forgone feed-in payment counts as a cost.
    package var cost: Double

    /// No plan with as little unmet energy costs less.
    package var bound: Double

    /// Energy missing at the deadline, in kilowatt-hours; 0 where the least energy is reached.
    package var unmetEnergyKWh: Double

    /// Whether the running plan's intervals were preferred to a cheaper choice within the threshold.
    package var keepsRunningPlan: Bool

    /// What a sentence about the plan needs.
    package var facts: ChargingFacts

    /// The power planned at an instant; 0 where the load is to be off.
    package func powerKW(at instant: Date) -> Double {
        intervals.first { $0.start <= instant && instant < $0.end }?.powerKW ?? 0
    }

    /// The first instant after another at which the power changes; `nil` if it no longer does.
    package func nextChange(after instant: Date) -> Date? {
        intervals.lazy.flatMap { [$0.start, $0.end] }.first { $0 > instant }
    }
}

/// Figures that explain a charging plan.
package struct ChargingFacts: Sendable, Equatable {
    /// When the energy must be there.
    package var deadline: Date

    /// What the same energy costs if charged at full power from now on, in currency; `nil` if it cannot be had so.
    package var costIfStartedNow: Double?

    /// Highest price per kilowatt-hour the plan pays, solar surplus at its own price; `nil` if nothing is planned.
    package var highestPricePaid: Double?

    /// Lowest price per kilowatt-hour drawn from the grid among the slots the plan leaves out; `nil` if there is none.
    package var lowestPriceAvoided: Double?

    /// Highest price per kilowatt-hour drawn from the grid among the slots the plan leaves out.
    package var highestPriceAvoided: Double?

    /// Kilowatt-hours at the meter that come from solar surplus.
    package var surplusEnergyKWh: Double

    /// Whether every price before the deadline is the same, so that the stated tie-break decides.
    package var isFlat: Bool

    /// What decides among equal prices.
    package var tieBreak: ChargingTask.TieBreak

    /// Whether the load draws power in every known slot there is.
    package var usesEverySlot: Bool
}
