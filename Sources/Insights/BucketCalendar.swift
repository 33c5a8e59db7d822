package import EnergyKit
import Foundation

/// The calendar units of a venue's zone that records stand for.
///
/// Days, months and years go from local midnight to local midnight, so that a day has 23, 24 or 25 hours. Weeks begin on
/// Monday (ISO 8601). Hours are an hour of real time each, on the full hour of the zone's wall clock.
package struct BucketCalendar: Sendable {
    /// The most records one query may give: five years of hours and some.
    package static let maximumCount = 50_000

    private let calendar: Calendar
    private let zone: TimeZone

    /// Makes the calendar of a zone.
    package init(_ zone: TimeZone) {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = zone
        self.calendar = calendar
        self.zone = zone
    }

    /// The edges of all units that a range touches, the first and the last clipped to it.
    /// - Returns: one edge more than there are units; nothing where the range is empty; `nil` where there are more than
    ///   `maximumCount` units.
    package func edges(of range: DateInterval, _ granularity: ElectricityInsightQuery.Granularity) -> [Instant]? {
        let end = Instant(range.end)
        var edges = [Instant(range.start)]
        guard edges[0] < end else { return [] }
        // A range that is much too long is not walked through.
        guard (end - edges[0]) / Self.longest(granularity) <= Self.maximumCount else { return nil }
        while let last = edges.last, last < end {
            guard edges.count <= Self.maximumCount, let next = edge(after: last, granularity), next > last else {
                return nil
            }
            edges.append(min(next, end))
        }
        return edges
    }

    /// The time from the begin of the unit around one moment to the end of the unit around another.
    package func units(
        around first: Instant, _ last: Instant, _ granularity: ElectricityInsightQuery.Granularity
    ) -> DateInterval {
        let start: Date
        if let component = Self.component(granularity) {
            start = calendar.dateInterval(of: component, for: first.date)?.start ?? first.date
        } else {
            start = Instant(microseconds: hour(after: first).microseconds - Self.hour).date
        }
        return DateInterval(start: start, end: max(start, (edge(after: last, granularity) ?? last).date))
    }

    private func edge(after moment: Instant, _ granularity: ElectricityInsightQuery.Granularity) -> Instant? {
        guard let component = Self.component(granularity) else { return hour(after: moment) }
        return calendar.dateInterval(of: component, for: moment.date).map { Instant($0.end) }
    }

    /// The calendar's unit; `nil` for hours, which no calendar counts by the zone's wall clock.
    private static func component(_ granularity: ElectricityInsightQuery.Granularity) -> Calendar.Component? {
        switch granularity {
        case .hourly: nil
        case .daily: .day
        case .weekly: .weekOfYear
        case .monthly: .month
        case .yearly: .year
        }
    }

    private static let hour: Int64 = 3_600_000_000

    /// No unit is longer, in microseconds; a day of 25 hours is in it.
    private static func longest(_ granularity: ElectricityInsightQuery.Granularity) -> Int64 {
        switch granularity {
        case .hourly: hour
        case .daily: 25 * hour
        case .weekly: (7 * 24 + 1) * hour
        case .monthly: (31 * 24 + 1) * hour
        case .yearly: (366 * 24 + 1) * hour
        }
    }

    private func hour(after moment: Instant) -> Instant {
        let hour = Self.hour
        let offset = Int64(zone.secondsFromGMT(for: moment.date)) * 1_000_000
        let local = moment.microseconds + offset
        let intoHour = ((local % hour) + hour) % hour
        return Instant(microseconds: moment.microseconds - intoHour + hour)
    }
}
