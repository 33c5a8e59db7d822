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
        while let last = edges.last, last < end {
            guard edges.count <= Self.maximumCount, let next = edge(after: last, granularity), next > last else {
                return nil
            }
            edges.append(min(next, end))
        }
        return edges
    }

    private func edge(after moment: Instant, _ granularity: ElectricityInsightQuery.Granularity) -> Instant? {
        let component: Calendar.Component
        switch granularity {
        case .hourly: return hour(after: moment)
        case .daily: component = .day
        case .weekly: component = .weekOfYear
        case .monthly: component = .month
        case .yearly: component = .year
        }
        return calendar.dateInterval(of: component, for: moment.date).map { Instant($0.end) }
    }

    private func hour(after moment: Instant) -> Instant {
        let hour: Int64 = 3_600_000_000
        let offset = Int64(zone.secondsFromGMT(for: moment.date)) * 1_000_000
        let local = moment.microseconds + offset
        let intoHour = ((local % hour) + hour) % hour
        return Instant(microseconds: moment.microseconds - intoHour + hour)
    }
}
