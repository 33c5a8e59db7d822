public import Foundation

/// A physical quantity of a device; the raw value is its name in JSON, with the unit in it.
///
/// Signs: power of a grid meter is positive for import, of solar for production, of a battery for discharge, of a
/// charger and of any load for consumption.
public enum Quantity: String, Sendable, Codable, CaseIterable, CodingKeyRepresentable {
    case powerWatts
    case powerL1Watts, powerL2Watts, powerL3Watts
    case currentL1Amps, currentL2Amps, currentL3Amps
    case voltageL1Volts, voltageL2Volts, voltageL3Volts
    case frequencyHertz
    /// A lifetime counter: imported by a grid meter, produced by solar, consumed by a load or charger.
    case importWattHours
    /// A lifetime counter of exported energy.
    case exportWattHours
    /// Energy of the present charging session, by the charger's own count.
    case sessionWattHours
    /// The current the charger offers the car for each phase.
    case limitAmps
    /// Phases in use.
    case phaseCount
    /// The car's charge in percent, 0…100.
    case stateOfChargePercent
    case roomCelsius, outdoorCelsius, flowCelsius, returnCelsius, hotWaterCelsius
    case setpointCelsius
    /// Heating or cooling stage 0…100 in proportion to power.
    case stagePercent

    /// The unit as it is written beside a number.
    public var unit: String {
        for (ending, unit) in Quantity.unitsByEnding where rawValue.hasSuffix(ending) { return unit }
        return ""
    }

    private static let unitsByEnding = [
        ("WattHours", "Wh"), ("Watts", "W"), ("Amps", "A"), ("Volts", "V"), ("Hertz", "Hz"), ("Percent", "%"),
        ("Celsius", "°C"),
    ]
}

/// How far a value can be trusted.
public enum Quality: String, Sendable, Codable {
    /// The device measured it.
    case measured
    /// It was computed from other values.
    case estimated
    /// The device gave it with a doubt of its own, or it is older than it should be.
    case uncertain
}

/// One value with its time and quality.
public struct Sample: Sendable, Equatable {
    /// The number, in the unit of its quantity; always finite.
    public var value: Double
    /// When the device had this value.
    public var at: Date
    /// How far it can be trusted.
    public var quality: Quality

    /// Makes a sample, or nothing when the number is not finite: unknown is not a number.
    public init?(_ value: Double, at: Date, quality: Quality = .measured) {
        guard value.isFinite else { return nil }
        self.value = value
        self.at = at
        self.quality = quality
    }
}

/// What a device said at one moment; what it did not say is absent, never 0.
public struct DeviceReading: Sendable, Equatable {
    /// When the reading was taken.
    public var at: Date
    /// The numbers.
    public var samples: [Quantity: Sample]
    /// Whether a car is plugged in.
    public var plug: PlugState?
    /// What the charger does.
    public var charging: ChargingState?
    /// What heating or cooling does.
    public var hvacMode: HVACMode?
    /// The load state in force.
    public var reduce: ReduceState?

    /// An empty reading.
    public init(at: Date) {
        self.at = at
        samples = [:]
    }

    /// The value of a quantity, or nothing where it is unknown.
    public subscript(quantity: Quantity) -> Double? {
        get { samples[quantity]?.value }
        set { samples[quantity] = newValue.flatMap { Sample($0, at: at) } }
    }

    /// Active power in watts.
    public var powerWatts: Double? { self[.powerWatts] }

    /// The currents of the three phases in amps, where at least one is known.
    public var currentAmps: [Double?]? {
        let phases = [self[.currentL1Amps], self[.currentL2Amps], self[.currentL3Amps]]
        return phases.contains { $0 != nil } ? phases : nil
    }
}
