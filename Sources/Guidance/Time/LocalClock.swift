package import Foundation

/// The wall clock of one time zone: which local day and time an instant has, and the reverse.
///
/// All arithmetic is on stretches of time with one offset from UTC; within such a stretch local time runs evenly.
/// So a day of 23 or 25 hours needs no special case, and the process's own zone is never asked.
package struct LocalClock: Sendable {
    /// The zone whose clock this is.
    package let zone: TimeZone

    /// Makes the clock of a zone.
    package init(zone: TimeZone) { self.zone = zone }

    /// A stretch of time with one offset from UTC.
    package struct Stretch: Sendable, Equatable {
        /// From when to when, half-open.
        package let range: Range<Date>
        /// Seconds east of UTC.
        package let offsetSeconds: Int
    }

    /// Seconds east of UTC at an instant.
    package func offsetSeconds(at instant: Date) -> Int { zone.secondsFromGMT(for: instant) }

    /// The local day that an instant falls on.
    package func day(at instant: Date) -> CivilDay {
        let local = instant.timeIntervalSince1970 + Double(offsetSeconds(at: instant))
        return CivilDay(daysSince1970: Int((local / 86_400).rounded(.down)))
    }

    /// Cuts an interval at every change of the offset.
    ///
    /// Probes every six hours and halves where the offset differs: clocks are never changed twice in so short a time.
    package func stretches(in range: Range<Date>) -> [Stretch] {
        guard !range.isEmpty else { return [] }
        var found: [Stretch] = []
        var start = range.lowerBound
        var probe = start
        let offset = { (instant: Date) in offsetSeconds(at: instant) }
        var current = offset(start)
        while probe < range.upperBound {
            let next = min(probe.addingTimeInterval(6 * 3600), range.upperBound)
            if offset(next) != current {
                let change = firstInstant(after: probe, notAbove: next, offsetOtherThan: current)
                if change < range.upperBound {
                    found.append(Stretch(range: start..<change, offsetSeconds: current))
                    start = change
                    current = offset(change)
                }
            }
            probe = next
        }
        found.append(Stretch(range: start..<range.upperBound, offsetSeconds: current))
        return found
    }

    private func firstInstant(after low: Date, notAbove high: Date, offsetOtherThan offset: Int) -> Date {
        var before = low.timeIntervalSince1970.rounded(.down)
        var after = high.timeIntervalSince1970.rounded(.up)
        while after - before > 1 {
            let middle = ((before + after) / 2).rounded(.down)
            if offsetSeconds(at: Date(timeIntervalSince1970: middle)) == offset {
                before = middle
            } else {
                after = middle
            }
        }
        return Date(timeIntervalSince1970: after)
    }

    /// The instants at which the wall clock shows a time: none in the hour that is skipped, two in the hour that comes twice, earlier first.
    ///
    /// - Parameter wallSeconds: seconds since 1970-01-01 00:00 as the wall clock reads.
    package func instants(showing wallSeconds: Double) -> [Date] {
        let near = Date(timeIntervalSince1970: wallSeconds)
        let offsets = Set([-86_400.0, 86_400].map { offsetSeconds(at: near.addingTimeInterval($0)) })
        return offsets.sorted(by: >).compactMap { offset in
            let candidate = Date(timeIntervalSince1970: wallSeconds - Double(offset))
            return offsetSeconds(at: candidate) == offset ? candidate : nil
        }
    }

    /// The first instant of a local day; where midnight itself is skipped, the instant of the change.
    package func start(of day: CivilDay) -> Date {
        let wall = Double(day.daysSince1970) * 86_400
        if let first = instants(showing: wall).first { return first }
        let before = Date(timeIntervalSince1970: wall - 86_400)
        let offset = offsetSeconds(at: before)
        return firstInstant(after: before, notAbove: before.addingTimeInterval(3 * 86_400), offsetOtherThan: offset)
    }

    /// The local day that an instant falls on, as an interval of 23, 24 or 25 hours.
    package func dayRange(containing instant: Date) -> Range<Date> {
        let day = day(at: instant)
        return start(of: day)..<start(of: CivilDay(daysSince1970: day.daysSince1970 + 1))
    }
}
