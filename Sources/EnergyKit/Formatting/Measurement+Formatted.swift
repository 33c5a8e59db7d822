public import Foundation

// Foundation on Linux has measurements but no way to write them. These are its own names elsewhere, so that code which
// shows a measurement compiles as it is. Should Foundation bring them one day, its own are preferred.

extension Measurement where UnitType: Dimension {
    /// The number and the unit's symbol, such as "7.2 kWh".
    ///
    /// An addition to Foundation on Linux.
    @_disfavoredOverload
    public func formatted() -> String {
        FormatStyle(width: .abbreviated, usage: .asProvided).format(self)
    }

    /// The measurement in a given style.
    ///
    /// An addition to Foundation on Linux.
    @_disfavoredOverload
    public func formatted<Style: Foundation.FormatStyle>(_ style: Style) -> Style.FormatOutput
    where Style.FormatInput == Self {
        style.format(self)
    }

    /// How a measurement is written.
    ///
    /// An addition to Foundation on Linux.
    ///
    /// Names of units in the reader's language are not there on Linux: every width writes the unit's symbol, and every
    /// usage keeps the unit that the measurement has.
    public struct FormatStyle: Foundation.FormatStyle, Sendable {
        /// How much room the unit gets.
        public enum UnitWidth: Codable, Hashable, Sendable {
            /// The symbol after a space.
            case wide
            /// The symbol after a space.
            case abbreviated
            /// The symbol without a space.
            case narrow
        }

        /// How much room the unit gets.
        public var width: UnitWidth
        /// The language whose numbers are written.
        public var locale: Locale
        /// What the measurement is for.
        public var usage: MeasurementFormatUnitUsage<UnitType>
        /// How the number is written; `nil` for the language's usual way.
        public var numberFormatStyle: FloatingPointFormatStyle<Double>?
        /// Whether a temperature is "21°", without its scale.
        public var hidesScaleName = false

        /// Makes a style.
        public init(
            width: UnitWidth, locale: Locale = .autoupdatingCurrent,
            usage: MeasurementFormatUnitUsage<UnitType> = .general,
            numberFormatStyle: FloatingPointFormatStyle<Double>? = nil
        ) {
            self.width = width
            self.locale = locale
            self.usage = usage
            self.numberFormatStyle = numberFormatStyle
        }

        /// The measurement as text.
        public func format(_ value: Measurement<UnitType>) -> String {
            let number = (numberFormatStyle ?? FloatingPointFormatStyle<Double>()).locale(locale).format(value.value)
            if hidesScaleName, value.unit is UnitTemperature { return number + "°" }
            return number + (width == .narrow ? "" : " ") + value.unit.symbol
        }

        /// The same style with another language's numbers.
        public func locale(_ locale: Locale) -> Self {
            var style = self
            style.locale = locale
            return style
        }
    }
}

extension FormatStyle {
    /// A style for measurements.
    ///
    /// An addition to Foundation on Linux.
    public static func measurement<UnitType>(
        width: Measurement<UnitType>.FormatStyle.UnitWidth,
        usage: MeasurementFormatUnitUsage<UnitType> = .general,
        numberFormatStyle: FloatingPointFormatStyle<Double>? = nil
    ) -> Self where Self == Measurement<UnitType>.FormatStyle, UnitType: Dimension {
        Self(width: width, usage: usage, numberFormatStyle: numberFormatStyle)
    }
}

extension FormatStyle where Self == Measurement<UnitTemperature>.FormatStyle {
    /// A style for temperatures.
    ///
    /// An addition to Foundation on Linux.
    public static func measurement(
        width: Self.UnitWidth, usage: MeasurementFormatUnitUsage<UnitTemperature> = .general,
        hidesScaleName: Bool, numberFormatStyle: FloatingPointFormatStyle<Double>? = nil
    ) -> Self {
        var style = Self(width: width, usage: usage, numberFormatStyle: numberFormatStyle)
        style.hidesScaleName = hidesScaleName
        return style
    }
}
