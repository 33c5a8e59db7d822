package import HubKit

/// Sampled values as quantities of the hub, each in its unit.
///
/// A value that is no number, of an unknown unit or of a part that nobody asked for is left out: unknown is never zero.
package struct MeasuredValues: Sendable, Equatable {
    /// One quantity.
    package struct Value: Sendable, Equatable {
        /// The number, in the quantity's unit.
        package var number: Double
        /// What the charger sent for it.
        package var raw: String
    }

    /// What was measured.
    package private(set) var values: [Quantity: Value] = [:]
    /// What was said that is no number, in words.
    package private(set) var doubts: [Quantity: String] = [:]

    /// Reads the values of one moment.
    /// - Parameters:
    ///   - sampled: the values.
    ///   - phases: how many phases the charger is wired with: the sum of fewer is not known to be the whole.
    package init(_ sampled: [SampledValue], phases: Int) {
        var exported: Double?
        for value in sampled where !value.isSigned {
            guard let (quantity, factor) = Self.quantity(of: value, phases: phases) else { continue }
            guard let number = Double(value.text), number.isFinite else {
                doubts[quantity] = "\(quantity.rawValue) reads '\(value.text.prefix(20))', which is no number"
                continue
            }
            if value.measurand == "Power.Active.Export" {
                exported = number * factor
            } else if values[quantity] == nil {
                values[quantity] = Value(number: number * factor, raw: value.raw)
            }
        }
        addSum(.powerWatts, of: [.powerL1Watts, .powerL2Watts, .powerL3Watts], phases)
        if let exported, exported != 0 {
            let drawn = values[.powerWatts]
            values[.powerWatts] = Value(number: (drawn?.number ?? 0) - exported, raw: drawn?.raw ?? "")
        }
    }

    private mutating func addSum(_ whole: Quantity, of parts: [Quantity], _ phases: Int) {
        guard values[whole] == nil else { return }
        let known = parts.prefix(phases).compactMap { values[$0] }
        guard known.count == phases else { return }
        values[whole] = Value(
            number: known.reduce(0) { $0 + $1.number }, raw: known.map(\.raw).joined(separator: ", "))
    }

    /// The quantity and what to multiply its number with.
    private static func quantity(of value: SampledValue, phases: Int) -> (Quantity, Double)? {
        // What is measured inside of the charger is not what the car takes.
        if let location = value.location, location != "Outlet", location != "EV", location != "Cable" { return nil }
        let phase = phaseIndex(value.phase)
        switch value.measurand {
        case "Energy.Active.Import.Register":
            return value.phase == nil ? scaled(.importWattHours, value.unit, ["Wh": 1, "kWh": 1000], default: 1) : nil
        case "Energy.Active.Export.Register":
            return value.phase == nil ? scaled(.exportWattHours, value.unit, ["Wh": 1, "kWh": 1000], default: 1) : nil
        case "Power.Active.Import":
            let quantity = value.phase == nil ? Quantity.powerWatts : phase.map { powers[$0] }
            return scaled(quantity, value.unit, ["W": 1, "kW": 1000], default: 1)
        case "Power.Active.Export":
            return value.phase == nil ? scaled(.powerWatts, value.unit, ["W": 1, "kW": 1000], default: 1) : nil
        case "Current.Import":
            // Without a phase it is the only one, or nobody knows which.
            let quantity = value.phase == nil && phases == 1 ? Quantity.currentL1Amps : phase.map { currents[$0] }
            return scaled(quantity, value.unit, ["A": 1], default: 1)
        case "Current.Offered":
            return value.phase == nil || phase == 0 ? scaled(.limitAmps, value.unit, ["A": 1], default: 1) : nil
        case "Voltage":
            let quantity = value.phase == nil && phases == 1 ? Quantity.voltageL1Volts : phase.map { voltages[$0] }
            return scaled(quantity, value.unit, ["V": 1], default: 1)
        case "Frequency": return (.frequencyHertz, 1)
        case "SoC": return scaled(.stateOfChargePercent, value.unit, ["Percent": 1, "%": 1], default: 1)
        default: return nil
        }
    }

    private static let powers: [Quantity] = [.powerL1Watts, .powerL2Watts, .powerL3Watts]
    private static let currents: [Quantity] = [.currentL1Amps, .currentL2Amps, .currentL3Amps]
    private static let voltages: [Quantity] = [.voltageL1Volts, .voltageL2Volts, .voltageL3Volts]

    private static func scaled(
        _ quantity: Quantity?, _ unit: String?, _ factors: [String: Double], default factor: Double
    ) -> (Quantity, Double)? {
        guard let quantity else { return nil }
        guard let unit else { return (quantity, factor) }
        return (factors[unit] ?? factors.first { $0.key.lowercased() == unit.lowercased() }?.value).map {
            (quantity, $0)
        }
    }

    /// Which phase a value belongs to; one between two phases belongs to none.
    private static func phaseIndex(_ phase: String?) -> Int? {
        switch phase {
        case "L1", "L1-N": 0
        case "L2", "L2-N": 1
        case "L3", "L3-N": 2
        default: nil
        }
    }
}
