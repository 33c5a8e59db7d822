import Foundation

/// The unit that a counter counts in, compared with the one it began with.
///
/// Devices change it with an update: watt-hours become kilowatt-hours, or a register of tenths whole numbers. The new
/// number times one factor then goes on where the old one was; three readings in a row have to agree, one of them risen,
/// before that is believed.
struct CounterUnit: Sendable, Codable, Equatable {
    /// What a reading is multiplied with to be in the first unit.
    private(set) var factor = 1.0
    private var candidate: Candidate?

    private struct Candidate: Sendable, Codable, Equatable {
        var factor: Double
        var last: Double
        var at: Date
        var readings = 1
        var rises = 0
    }

    /// Powers of ten, and watt-seconds for watt-hours and kilowatt-hours.
    private static let steps: [Double] = [10, 100, 1000, 3600, 3_600_000]
    private static let factors = steps + steps.map { 1 / $0 }
    /// A room for chance of more than this part of the counter proves nothing.
    private static let provingShare = 0.02

    /// How much the last digit of a reading is at most, in watt-hours: 0 where the unit is not coarser than the first.
    var resolution: Double { factor > 1 ? factor : 0 }

    /// Whether the last readings would fit in another unit and are not enough yet.
    var isInQuestion: Bool { candidate != nil }

    /// Notes that a reading fitted as it is.
    mutating func isSettled() { candidate = nil }

    /// Takes in a reading that does not follow from the last one.
    /// - Parameters:
    ///   - raw: the reading.
    ///   - base: where the counter was, in watt-hours.
    ///   - moment: when it was read.
    ///   - room: what can have flowed since a moment, in watt-hours; called with the last good reading's or a later one.
    ///   - settled: when the counter was last known to be right.
    /// - Returns: whether it is certain now that the unit is another; `factor` is the new one then.
    mutating func isOther(
        _ raw: Double, after base: Double, at moment: Date, since settled: Date, room: (Date) -> Double
    ) -> Bool {
        if var known = candidate, raw >= known.last,
            (raw - known.last) * known.factor <= room(known.at) + Self.digit(known.factor, factor)
        {
            known.readings += 1
            if raw > known.last { known.rises += 1 }
            (known.last, known.at) = (raw, moment)
            candidate = known
            guard known.readings >= 3, known.rises >= 1 else { return false }
            factor = known.factor
            candidate = nil
            return true
        }
        let possible = room(settled)
        let fitting = Self.factors.map { factor * $0 }.first { wanted in
            let digit = Self.digit(wanted, factor)
            let ahead = raw * wanted - base
            return possible + digit <= base * Self.provingShare && ahead >= -digit && ahead <= possible + digit
        }
        candidate = fitting.map { Candidate(factor: $0, last: raw, at: moment) }
        return false
    }

    /// What the last digit may be off by: one of the coarser of both units may be missing on either side.
    private static func digit(_ wanted: Double, _ former: Double) -> Double { max(wanted, former, 1) }
}
