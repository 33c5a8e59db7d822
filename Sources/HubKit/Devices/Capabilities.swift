/// What a device can tell and do, as values its driver declares; callers ask for these, never for a device's type.
public struct DeviceCapabilities: Sendable, Equatable, Codable {
    /// What it measures, where it measures anything.
    public var meter: MeterCapabilities?
    /// What it can do as a charger.
    public var charger: ChargerCapabilities?
    /// What it can do as heating or cooling.
    public var hvac: HVACCapabilities?
    /// What it can do as a home battery; absent where it can't be told anything.
    public var battery: BatteryCapabilities?

    /// Declares the given parts.
    public init(meter: MeterCapabilities? = nil, charger: ChargerCapabilities? = nil, hvac: HVACCapabilities? = nil) {
        self.meter = meter
        self.charger = charger
        self.hvac = hvac
    }
}

/// What a device measures.
public struct MeterCapabilities: Sendable, Equatable, Codable {
    /// Active power in watts.
    public var power: Bool
    /// A counter of imported (or produced, or consumed) energy in watt-hours.
    public var importEnergy: Bool
    /// A counter of exported energy in watt-hours.
    public var exportEnergy: Bool
    /// Phases with values of their own; 0 when it knows only sums.
    public var phases: Int

    /// Declares what is measured.
    public init(power: Bool = false, importEnergy: Bool = false, exportEnergy: Bool = false, phases: Int = 0) {
        self.power = power
        self.importEnergy = importEnergy
        self.exportEnergy = exportEnergy
        self.phases = phases
    }
}

/// What a home battery can be told beside following the house.
public struct BatteryCapabilities: Sendable, Equatable, Codable {
    /// Whether it can be kept from giving.
    public var hold: Bool
    /// Whether it can be charged from the grid.
    public var charge: Bool

    /// Declares what the battery can be told.
    public init(hold: Bool, charge: Bool) {
        self.hold = hold
        self.charge = charge
    }
}

/// What a charger can tell and do.
public struct ChargerCapabilities: Sendable, Equatable, Codable {
    /// Whether it knows that a car is plugged in.
    public var plugState: Bool
    /// Whether it knows that a car draws power.
    public var chargingState: Bool
    /// The currents it can be set to, where it can be set at all.
    public var currentLimit: CurrentRange?
    /// The phase counts it can charge on; more than one where it can switch.
    public var phases: [Int]
    /// Whether it can read the car's state of charge.
    public var stateOfCharge: Bool

    /// Declares what the charger can do.
    public init(
        plugState: Bool = false, chargingState: Bool = false, currentLimit: CurrentRange? = nil, phases: [Int] = [3],
        stateOfCharge: Bool = false
    ) {
        self.plugState = plugState
        self.chargingState = chargingState
        self.currentLimit = currentLimit
        self.phases = phases
        self.stateOfCharge = stateOfCharge
    }
}

/// The currents a charger accepts, in amps for each phase; 0 always means pause.
public struct CurrentRange: Sendable, Equatable, Codable {
    /// The least current a car charges with; IEC 61851 allows none below 6 A.
    public var minimumAmps: Double
    /// The highest current.
    public var maximumAmps: Double
    /// The finest step.
    public var stepAmps: Double

    /// Makes a range.
    public init(minimumAmps: Double = 6, maximumAmps: Double, stepAmps: Double = 1) {
        self.minimumAmps = minimumAmps
        self.maximumAmps = maximumAmps
        self.stepAmps = stepAmps
    }

    /// The highest settable current not above `amps`: 0 below the minimum, else rounded down to the step.
    public func settable(_ amps: Double) -> Double {
        guard amps.isFinite, amps >= minimumAmps - 1e-9 else { return 0 }
        let steps = ((min(amps, maximumAmps) - minimumAmps) / stepAmps + 1e-9).rounded(.down)
        return minimumAmps + steps * stepAmps
    }
}
