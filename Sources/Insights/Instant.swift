package import Foundation

/// A moment in whole microseconds, so that lengths of time divide energy without rounding of their own.
package struct Instant: Sendable, Hashable, Comparable {
    /// Microseconds since 1970.
    package let microseconds: Int64

    /// Makes a moment.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The nearest moment to a date; dates beyond the years that the hub knows end up at their border.
    package init(_ date: Date) {
        let seconds = date.timeIntervalSince1970
        // Some 127,000 years either way: differences of two moments still fit an integer.
        microseconds = Int64((max(-4e12, min(seconds.isNaN ? 0 : seconds, 4e12)) * 1e6).rounded())
    }

    /// The moment as a date.
    package var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1e6) }

    /// Orders moments by time.
    package static func < (left: Instant, right: Instant) -> Bool { left.microseconds < right.microseconds }

    /// The microseconds from `right` to `left`.
    package static func - (left: Instant, right: Instant) -> Int64 { left.microseconds - right.microseconds }
}
