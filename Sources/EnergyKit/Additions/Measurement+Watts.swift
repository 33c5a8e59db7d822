package import Foundation

// A whole factor of a thousand is applied directly: the way over joules would add an error in the last place, and a
// number that a person wrote as 7.2 kW would come back as 7200.000000000001 W.

extension Measurement where UnitType == UnitEnergy {
    /// The energy in watt-hours.
    package var wattHours: Double {
        if unit == .EnergyKit.wattHours { return value }
        if unit == .EnergyKit.milliwattHours { return value / 1_000 }
        if unit == .kilowattHours { return value * 1_000 }
        return converted(to: .EnergyKit.wattHours).value
    }

    /// An energy given in watt-hours.
    package static func wattHours(_ value: Double) -> Self {
        Measurement(value: value, unit: .EnergyKit.wattHours)
    }
}

extension Measurement where UnitType == UnitPower {
    /// The power in watts.
    package var watts: Double {
        if unit == .watts { return value }
        if unit == .milliwatts { return value / 1_000 }
        if unit == .kilowatts { return value * 1_000 }
        return converted(to: .watts).value
    }

    /// A power given in watts.
    package static func watts(_ value: Double) -> Self {
        Measurement(value: value, unit: .watts)
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
