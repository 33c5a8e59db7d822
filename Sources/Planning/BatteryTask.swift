package import Foundation

/// When to hold a home battery or to charge it from the grid, beside loads and sun that are expected.
package struct BatteryTask: Sendable, Equatable {
    /// A stretch with one price and one expected power.
    package struct Slot: Sendable, Equatable {
        /// When it begins, inclusive.
        package var start: Date
        /// When it ends, exclusive.
        package var end: Date
        /// Currency per kilowatt-hour drawn.
        package var importPrice: Double
        /// Currency per kilowatt-hour fed in.
        package var feedPrice: Double
        /// What the house and its chargers draw less what the sun gives; negative where something is left over.
        package var netKW: Double

        /// Makes a slot.
        package init(start: Date, end: Date, importPrice: Double, feedPrice: Double, netKW: Double) {
            self.start = start
            self.end = end
            self.importPrice = importPrice
            self.feedPrice = feedPrice
            self.netKW = netKW
        }
    }

    /// Contiguous slots from now on.
    package var slots: [Slot]
    /// The battery; what it must hold at the end is its least.
    package var battery: PlanningProblem.Battery
    /// Most power drawn from the grid; `nil` is no limit.
    package var importLimitKW: Double?
    /// Whether it may be charged from the grid.
    package var chargesFromGrid: Bool
    /// Whether it can be kept from giving.
    package var canHold: Bool

    /// What is not worth interfering: a saving, in currency.
    package var threshold: Double

    /// Makes a task.
    package init(
        slots: [Slot], battery: PlanningProblem.Battery, importLimitKW: Double? = nil, chargesFromGrid: Bool = true,
        canHold: Bool = true, threshold: Double = 0.02
    ) {
        self.slots = slots
        self.battery = battery
        self.importLimitKW = importLimitKW
        self.chargesFromGrid = chargesFromGrid
        self.canHold = canHold
        self.threshold = threshold
    }
}

/// When a home battery does something other than follow the house.
package struct BatteryPlan: Sendable, Equatable {
    /// What it does.
    package enum Action: Sendable, Equatable {
        /// It gives nothing.
        case hold
        /// It charges with this power in kilowatts, from the grid where the sun does not suffice.
        case charge(Double)
    }

    /// A stretch in which it does not follow the house.
    package struct Interval: Sendable, Equatable {
        /// When it begins, inclusive.
        package var start: Date
        /// When it ends, exclusive.
        package var end: Date
        /// What it does.
        package var action: Action
    }

    /// Stretches, ascending; between them the battery follows the house.
    package var intervals: [Interval]
    /// What the house costs with the plan, in currency, with what the battery holds at the end at its worth.
    package var cost: Double
    /// The same with a battery that only follows the house.
    package var costFollowing: Double
    /// When what is known of prices ends.
    package var end: Date
    /// The highest price at which the charge is used; `nil` where it is not.
    package var highestPrice: Double?
    /// The mean price at which it is charged from the grid; `nil` where it is not.
    package var chargingPrice: Double?
}
