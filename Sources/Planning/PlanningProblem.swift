/// One planning problem, as `offpeak plan --problem FILE` reads it.
///
/// Times are whole seconds since 1970 in UTC, powers kilowatts at the meter side, a vehicle's energies kilowatt-hours
/// in the car (after its efficiency), prices currency per kilowatt-hour. Import is positive, export negative.
package struct PlanningProblem: Sendable, Equatable {
    /// The horizon: contiguous half-open slots.
    package var slots: [Slot]

    /// The loads with a choice of power; empty where an appliance is planned.
    package var vehicles: [Vehicle]

    /// A programme that runs once without a break, instead of vehicles.
    package var appliance: Appliance?

    /// The connection's limits.
    package var site: Site

    /// Limits below the connection's own that some of the vehicles share.
    package var limits: [SharedLimit] = []

    /// A home battery, if there is one.
    package var battery: Battery?

    /// Price of carbon in currency per kilogram, 0 where carbon is not money.
    package var carbonPricePerKg: Double

    /// Whether a limit that the base load or the sun break by themselves may stay broken by that much.
    var toleratesOverload = false

    /// Creates a problem; `check()` tells what is wrong with it.
    package init(
        slots: [Slot], vehicles: [Vehicle] = [], appliance: Appliance? = nil, site: Site = Site(),
        limits: [SharedLimit] = [], battery: Battery? = nil, carbonPricePerKg: Double = 0
    ) {
        self.slots = slots
        self.vehicles = vehicles
        self.appliance = appliance
        self.site = site
        self.limits = limits
        self.battery = battery
        self.carbonPricePerKg = carbonPricePerKg
    }

    /// A span of constant prices and powers.
    package struct Slot: Sendable, Equatable {
        /// First second of the slot.
        package var start: Int
        /// First second after the slot.
        package var end: Int
        /// Currency per kilowatt-hour drawn from the grid.
        package var importPrice: Double
        /// Currency per kilowatt-hour fed in; `nil` where nothing is paid or charged.
        package var exportPrice: Double?
        /// Consumption that cannot be moved.
        package var baseLoadKW: Double
        /// Solar production before curtailment.
        package var pvKW: Double
        /// Grams of CO2 per kilowatt-hour drawn; `nil` is unknown and adds nothing to the cost.
        package var carbonGPerKWh: Double?

        /// Creates a slot.
        package init(
            start: Int, end: Int, importPrice: Double, exportPrice: Double? = nil, baseLoadKW: Double = 0,
            pvKW: Double = 0, carbonGPerKWh: Double? = nil
        ) {
            self.start = start
            self.end = end
            self.importPrice = importPrice
            self.exportPrice = exportPrice
            self.baseLoadKW = baseLoadKW
            self.pvKW = pvKW
            self.carbonGPerKWh = carbonGPerKWh
        }
    }

    /// A load that draws nothing or a power within one of its ranges.
    package struct Vehicle: Sendable, Equatable {
        /// Name in the answer.
        package var id: String
        /// First second at which it may charge.
        package var arrival: Int
        /// First second at which it may no longer charge.
        package var departure: Int
        /// Least energy in the car that it needs.
        package var minEnergyKWh: Double
        /// Most energy in the car that it takes.
        package var maxEnergyKWh: Double
        /// Powers it may draw besides nothing, ascending.
        package var ranges: [PowerRange]
        /// Share of the metered energy that reaches the car, above 0 up to 1.
        package var efficiency: Double
        /// Cost of each change from off to on.
        package var startPenalty: Double
        /// Whether it was charging right before its first interval.
        package var initiallyOn: Bool

        /// Creates a vehicle.
        package init(
            id: String, arrival: Int, departure: Int, minEnergyKWh: Double, maxEnergyKWh: Double,
            ranges: [PowerRange], efficiency: Double = 1, startPenalty: Double = 0, initiallyOn: Bool = false
        ) {
            self.id = id
            self.arrival = arrival
            self.departure = departure
            self.minEnergyKWh = minEnergyKWh
            self.maxEnergyKWh = maxEnergyKWh
            self.ranges = ranges
            self.efficiency = efficiency
            self.startPenalty = startPenalty
            self.initiallyOn = initiallyOn
        }
    }

    /// The grid connection.
    package struct Site: Sendable, Equatable {
        /// Most power drawn; `nil` is no limit.
        package var importLimitKW: Double?
        /// Whether power may be fed in at all.
        package var exportAllowed: Bool
        /// Most power fed in, as a positive number; `nil` is no limit.
        package var exportLimitKW: Double?
        /// Whether solar production may be reduced.
        package var curtailAllowed: Bool

        /// Creates a connection without limits and without export.
        package init(
            importLimitKW: Double? = nil, exportAllowed: Bool = false, exportLimitKW: Double? = nil,
            curtailAllowed: Bool = false
        ) {
            self.importLimitKW = importLimitKW
            self.exportAllowed = exportAllowed
            self.exportLimitKW = exportLimitKW
            self.curtailAllowed = curtailAllowed
        }
    }
}
