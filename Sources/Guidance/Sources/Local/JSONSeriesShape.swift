/// Where a JSON document of any form holds its rows, for sources that no decoder knows.
///
/// ## File Format
/// `rows` are paths to lists of objects (`attributes.raw_today`), to a list of lists, or to an object whose names are times. `start`, `end` and
/// `value` are paths inside a row: a name, an index such as `[1]`, or `$key` and `$value` for an object's names and values. Without `rows`,
/// `start` and `value` are paths to two lists of the same length.
package struct JSONSeriesShape: Sendable, Equatable {
    /// Which end of its slot a row's only time is.
    package enum Stamp: String, Sendable, CaseIterable {
        /// When the slot begins.
        case start
        /// When the slot ends.
        case end
    }

    /// Paths to rows, which are all joined; none for parallel lists.
    package var rows: [String]
    /// The time of a row.
    package var start: String
    /// The end of a row's slot, nil when rows have one time only.
    package var end: String?
    /// The value of a row.
    package var value: String
    /// The unit, such as `EUR/MWh`, `gCO2/kWh` or `kW`.
    package var unit: String
    /// What a row's only time is.
    package var stamp: Stamp
    /// How long the last row holds, in minutes, where rows have one time only.
    package var minutes: Double?

    /// Makes a shape.
    package init(
        rows: [String], start: String = "start", end: String? = nil, value: String = "value", unit: String,
        stamp: Stamp = .start, minutes: Double? = nil
    ) {
        self.rows = rows
        self.start = start
        self.end = end
        self.value = value
        self.unit = unit
        self.stamp = stamp
        self.minutes = minutes
    }
}
