public import Foundation

/// What a measurement that is shown is for.
///
/// An addition to Foundation on Linux, where it changes nothing: the unit is always the measurement's own.
public struct MeasurementFormatUnitUsage<UnitType: Dimension>: Codable, Hashable, Sendable {
    private let name: String

    fileprivate init(name: String) {
        self.name = name
    }

    /// Any use.
    public static var general: Self { Self(name: "general") }
    /// In the unit that the measurement has.
    public static var asProvided: Self { Self(name: "asProvided") }
}

extension MeasurementFormatUnitUsage where UnitType == UnitLength {
    /// A person's height.
    public static var personHeight: Self { Self(name: "personHeight") }
    /// A way on foot or by car.
    public static var road: Self { Self(name: "road") }
}

extension MeasurementFormatUnitUsage where UnitType == UnitTemperature {
    /// A person's temperature.
    public static var person: Self { Self(name: "person") }
    /// The weather's.
    public static var weather: Self { Self(name: "weather") }
}

extension MeasurementFormatUnitUsage where UnitType == UnitEnergy {
    /// What food gives.
    public static var food: Self { Self(name: "food") }
    /// What a body spends in sport.
    public static var workout: Self { Self(name: "workout") }
}
