public import Foundation

/// What an app wants to know about a device's past use of electricity.
public struct ElectricityInsightQuery: Sendable {
    /// Which breakdowns to fill; none gives totals only.
    public let options: Options
    /// The time asked about, half-open.
    public let range: DateInterval
    /// How long each record is, in calendar units of the venue's zone.
    public let granularity: Granularity
    /// Whether electricity used or electricity given is meant.
    public let flowDirection: ElectricityFlowDirection

    /// Makes a query.
    ///
    /// Any range is answered, also one shorter than its granularity's usual range.
    public init(
        options: Options, range: DateInterval, granularity: Granularity, flowDirection: ElectricityFlowDirection
    ) {
        self.options = options
        self.range = range
        self.granularity = granularity
        self.flowDirection = flowDirection
    }

    /// The breakdowns of a record.
    public struct Options: OptionSet, Hashable, Sendable {
        /// One bit for each breakdown.
        public let rawValue: UInt

        /// Makes a set of options of its bits.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// By how clean the grid was.
        public static let cleanliness = Options(rawValue: 1 << 0)
        /// By the rate plan's classes.
        public static let tariff = Options(rawValue: 1 << 1)
    }

    /// How long each record is.
    ///
    /// The raw value is the name in JSON.
    public enum Granularity: String, Codable, Equatable, Hashable, Sendable {
        /// An hour.
        case hourly
        /// A day from midnight to midnight in the venue's zone: 23, 24 or 25 hours.
        case daily
        /// A week.
        case weekly
        /// A month.
        case monthly
        /// A year.
        case yearly
    }
}
