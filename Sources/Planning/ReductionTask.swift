package import Foundation

/// A span with the rating of running a load in it, half-open.
package struct RatedSlot: Sendable, Hashable {
    /// First instant of the slot.
    package var start: Date
    /// First instant after it.
    package var end: Date
    /// 0 is the best time to run, 1 the worst.
    package var rating: Double
    /// Outdoor temperature; `nil` is unknown.
    package var outdoorCelsius: Double?

    /// Creates a slot.
    package init(start: Date, end: Date, rating: Double, outdoorCelsius: Double? = nil) {
        self.start = start
        self.end = end
        self.rating = rating
        self.outdoorCelsius = outdoorCelsius
    }
}

/// How much reduction a household puts up with.
package struct ReductionBudget: Sendable, Hashable {
    /// Most reduced seconds in any 24 hours.
    package var perDaySeconds: Int
    /// Longest reduction without a break, in seconds.
    package var inARowSeconds: Int
    /// Shortest reduction worth a command, in seconds.
    package var minimumRunSeconds: Int
    /// Shortest break between two reductions, in seconds.
    package var minimumPauseSeconds: Int
    /// Time within which the room must be back at its setpoint after a reduction, in seconds.
    package var recoverySeconds: Int

    /// Creates a budget: 4 hours a day, 2 hours in a row, at least 10 minutes, 30 minutes of break, 4 hours to recover.
    package init(
        perDaySeconds: Int = 4 * 3600, inARowSeconds: Int = 2 * 3600, minimumRunSeconds: Int = 600,
        minimumPauseSeconds: Int = 1800, recoverySeconds: Int = 4 * 3600
    ) {
        self.perDaySeconds = perDaySeconds
        self.inARowSeconds = inARowSeconds
        self.minimumRunSeconds = minimumRunSeconds
        self.minimumPauseSeconds = minimumPauseSeconds
        self.recoverySeconds = recoverySeconds
    }
}

/// When a heating or cooling device may be reduced: all that the plan depends on.
package struct ReductionTask: Sendable {
    /// Rated slots, ascending and without overlap; a gap is unknown and never reduced in.
    package var slots: [RatedSlot]
    /// Nothing is planned before this.
    package var now: Date
    /// The house and the device.
    package var house: HouseModel
    /// Room temperature now; `nil` is unknown and allows short single reductions only.
    package var roomCelsius: Double?
    /// The temperature to hold.
    package var setpointCelsius: Double
    /// How far the room may go from the setpoint, in kelvin.
    package var comfortBandKelvin: Double
    /// What the household puts up with.
    package var budget: ReductionBudget
    /// Only slots rated above this are reduced.
    package var ratingThreshold: Double
    /// Longest boost that is made for a longer reduction alone, in seconds; 0 is a device that can't be boosted at all.
    package var preheatSeconds: Int
    /// Reductions of the last 24 hours, the running one included, which count against the budget.
    package var recentReductions: [DateInterval]

    /// Creates a task.
    package init(
        slots: [RatedSlot], now: Date, house: HouseModel = HouseModel(), roomCelsius: Double?, setpointCelsius: Double,
        comfortBandKelvin: Double, budget: ReductionBudget = ReductionBudget(), ratingThreshold: Double = 0.6,
        preheatSeconds: Int = 0, recentReductions: [DateInterval] = []
    ) {
        self.slots = slots
        self.now = now
        self.house = house
        self.roomCelsius = roomCelsius
        self.setpointCelsius = setpointCelsius
        self.comfortBandKelvin = comfortBandKelvin
        self.budget = budget
        self.ratingThreshold = ratingThreshold
        self.preheatSeconds = preheatSeconds
        self.recentReductions = recentReductions
    }

    /// Whether a slot is bad enough to reduce in; a rating that is above the threshold by rounding alone is not.
    func isBad(_ rating: Double) -> Bool { rating > ratingThreshold + 1e-9 }
}

/// When a device is reduced or boosted, and why.
package struct ReductionPlan: Sendable, Equatable {
    /// Spans that differ from normal operation, ascending.
    package var intervals: [Interval]
    /// What a sentence about the plan needs.
    package var facts: Facts

    /// A span of another operation than the normal one, half-open.
    package struct Interval: Sendable, Hashable {
        /// First instant.
        package var start: Date
        /// First instant after it.
        package var end: Date
        /// What the device does.
        package var kind: Kind
    }

    /// What a device does in an interval.
    package enum Kind: Sendable, Hashable {
        /// It runs at reduced power.
        case reduce
        /// It stores heat (or cold) for a worse time, up to the comfort band's far end.
        case boost
    }

    /// Figures that explain a plan.
    package struct Facts: Sendable, Equatable {
        /// Rating above which slots were considered.
        package var ratingThreshold: Double
        /// Lowest rating among the reduced slots; `nil` if none is reduced.
        package var lowestReducedRating: Double?
        /// Worst predicted room temperature while reduced; `nil` if the room temperature is unknown.
        package var predictedExtremeCelsius: Double?
        /// What kept further bad slots from being reduced.
        package var limit: Limit
        /// Reduced seconds in all.
        package var reducedSeconds: Int
        /// Whether the device heats or cools.
        package var purpose: HouseModel.Purpose
    }

    /// Why no more is reduced.
    package enum Limit: Sendable, Hashable {
        /// No other slot is rated badly enough.
        case ratings
        /// The household's budget, breaks included.
        case budget
        /// The room would leave its comfort band or not recover in time.
        case comfort
        /// The room or outdoor temperature is unknown, so only a short reduction is safe.
        case unknownTemperature
        /// The device would hardly run anyway.
        case nothingToReduce
    }

    /// The operation at an instant; `nil` is normal.
    package func kind(at instant: Date) -> Kind? {
        intervals.first { $0.start <= instant && instant < $0.end }?.kind
    }
}
