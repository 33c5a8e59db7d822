public import Foundation

/// Writes measurements as text.
///
/// An addition to Foundation on Linux, whose own formatter of this name exists only as an unavailable declaration. Units
/// are written by their symbols, whatever the style, and no unit is changed for the reader's country.
open class MeasurementFormatter: Formatter {
    /// What to do with the unit.
    public struct UnitOptions: OptionSet, Hashable, Sendable {
        /// One bit for each option.
        public let rawValue: UInt

        /// Makes a set of options of its bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// The unit that the measurement has.
        public static let providedUnit = UnitOptions(rawValue: 1 << 0)
        /// The unit of the same kind in which the number is handy: 7 kW for 7 000 W.
        public static let naturalScale = UnitOptions(rawValue: 1 << 1)
        /// "21°" for a temperature.
        public static let temperatureWithoutUnit = UnitOptions(rawValue: 1 << 2)
    }

    /// What to do with the unit.
    open var unitOptions: UnitOptions = []
    /// How long the unit is written; `short` leaves out the space before it.
    open var unitStyle: Formatter.UnitStyle = .medium
    /// How the number is written.
    open var numberFormatter: NumberFormatter
    /// The language whose numbers are written.
    open var locale: Locale {
        get { numberFormatter.locale ?? .current }
        set { numberFormatter.locale = newValue }
    }

    /// Makes a formatter of the current language.
    public override init() {
        numberFormatter = Self.decimal()
        super.init()
    }

    /// Makes a formatter of the current language; nothing is read from an archive.
    public required init?(coder: NSCoder) {
        numberFormatter = Self.decimal()
        super.init(coder: coder)
    }

    /// The measurement as text.
    open func string<UnitType: Unit>(from measurement: Measurement<UnitType>) -> String {
        let shown = unitOptions.contains(.naturalScale) ? natural(measurement) : (measurement.value, measurement.unit)
        let number = numberFormatter.string(from: NSNumber(value: shown.0)) ?? "\(shown.0)"
        if shown.1 is UnitTemperature, unitOptions.contains(.temperatureWithoutUnit) { return number + "°" }
        return number + (unitStyle == .short ? "" : " ") + string(from: shown.1)
    }

    /// The unit's symbol.
    open func string(from unit: Unit) -> String {
        unit.symbol
    }

    private static func decimal() -> NumberFormatter {
        let formatter = NumberFormatter()
        formatter.numberStyle = .decimal
        return formatter
    }

    private func natural<UnitType: Unit>(_ measurement: Measurement<UnitType>) -> (Double, Unit) {
        let scale: [Dimension] =
            switch measurement.unit {
            case is UnitPower: [UnitPower.milliwatts, UnitPower.watts, UnitPower.kilowatts, UnitPower.megawatts]
            case is UnitEnergy: [UnitEnergy.EnergyKit.wattHours, UnitEnergy.kilowattHours]
            case is UnitLength: [UnitLength.meters, UnitLength.kilometers]
            default: []
            }
        guard let unit = measurement.unit as? Dimension else { return (measurement.value, measurement.unit) }
        let base = unit.converter.baseUnitValue(fromValue: measurement.value)
        let steps = scale.map { ($0.converter.value(fromBaseUnitValue: base), $0 as Unit) }
        return steps.last { abs($0.0) >= 1 } ?? steps.first ?? (measurement.value, measurement.unit)
    }
}
