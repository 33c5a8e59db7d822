package import Foundation

// A whole factor of a thousand is applied directly: the way over joules would add an error in the last place, and a
// number that a person wrote as 7.2 kW would come back as 7200.000000000001 W.

/// Units made once: Foundation makes a new object each time it is asked for one.
private enum OwnUnits {
    static let watts = UnitPower.watts
    static let wattHours = UnitEnergy.EnergyKit.wattHours
}

extension Measurement where UnitType == UnitEnergy {
    /// The energy in watt-hours.
    package var wattHours: Double {
        // The very object first: to compare units by what they say takes a hundred times as long.
        if unit === OwnUnits.wattHours || unit == .EnergyKit.wattHours { return value }
        if unit == .EnergyKit.milliwattHours { return value / 1_000 }
        if unit == .kilowattHours { return value * 1_000 }
        return converted(to: .EnergyKit.wattHours).value
    }

    /// An energy given in watt-hours.
    package static func wattHours(_ value: Double) -> Self {
        Measurement(value: value, unit: OwnUnits.wattHours)
    }
}

extension Measurement where UnitType == UnitPower {
    /// The power in watts.
    package var watts: Double {
        if unit === OwnUnits.watts || unit == .watts { return value }
        if unit == .milliwatts { return value / 1_000 }
        if unit == .kilowatts { return value * 1_000 }
        return converted(to: .watts).value
    }

    /// A power given in watts.
    package static func watts(_ value: Double) -> Self {
        Measurement(value: value, unit: OwnUnits.watts)
    }
}

extension Measurement where UnitType == UnitLength {
    /// The length in metres.
    package var meters: Double {
        if unit == .meters { return value }
        if unit == .kilometers { return value * 1_000 }
        return converted(to: .meters).value
    }
}

extension Measurement where UnitType == UnitTemperature {
    /// The temperature in degrees Celsius.
    package var celsius: Double {
        unit == .celsius ? value : converted(to: .celsius).value
    }
}
