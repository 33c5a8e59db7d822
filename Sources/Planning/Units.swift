extension Double {
    /// As a message shows it: three decimals at most, and no zero with a sign.
    var shown: Double { (self * 1000).rounded() / 1000 + 0 }
}

/// The whole-number units in which plans are computed, so that equal prices stay equal.
///
/// Energy is whole joules (watt-seconds) at the meter side, price is whole micro-units of the currency per
/// kilowatt-hour, and a cost is their product. Nothing is decided by a rounding error of a `Double`.
package enum PlanUnits {
    /// Joules in one kilowatt-hour.
    package static let joulesPerKWh = 3_600_000.0

    /// Micro-units in one unit of a currency.
    package static let microPerUnit = 1_000_000.0

    /// A price per kilowatt-hour in whole micro-units.
    package static func micro(_ pricePerKWh: Double) -> Int64 {
        Int64((pricePerKWh * microPerUnit).rounded())
    }

    /// A price per kilowatt-hour in currency from micro-units.
    package static func price(_ micro: Int64) -> Double {
        Double(micro) / microPerUnit
    }

    /// Currency from a product of micro-units per kilowatt-hour and joules.
    static func currency(_ cost: Int64) -> Double {
        Double(cost) / microPerUnit / joulesPerKWh
    }

    /// Joules that a mean power gives in a span.
    static func joules(kilowatts: Double, seconds: Int, _ rule: FloatingPointRoundingRule) -> Int64 {
        Int64((kilowatts * 1000 * Double(seconds)).rounded(rule))
    }
}
