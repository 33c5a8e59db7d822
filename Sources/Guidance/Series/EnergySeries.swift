package import Foundation

/// Values over time, as every price, carbon and solar source delivers them after decoding.
///
/// Slots are half-open `[start, end)`, ascending and without overlap; a gap is a gap and never 0.
/// A price is per kWh in `currency`, carbon in grams of CO2 per kWh, solar the mean power in watts.
package struct EnergySeries: Sendable, Equatable {
    /// How a carbon intensity was reckoned; the two are never mixed in one rating.
    package enum CarbonMethod: String, Sendable, Codable {
        /// Of all that is generated.
        case average
        /// Of the plant that would answer one more kWh.
        case marginal
    }

    /// What the values are.
    package enum Kind: Sendable, Equatable {
        /// Money per kWh; the currency as ISO 4217 code.
        case price(currency: String)
        /// Grams of CO2 per kWh.
        case carbon(CarbonMethod)
        /// Mean watts of a solar system.
        case solar
    }

    /// One value and the time it holds for.
    package struct Slot: Sendable, Equatable {
        /// When it begins to hold, inclusive.
        package let start: Date
        /// When it ends to hold, exclusive.
        package let end: Date
        /// The value, in the unit of the series' kind.
        package let value: Double

        /// Makes a slot; nothing is checked before it becomes part of a series.
        package init(start: Date, end: Date, value: Double) {
            self.start = start
            self.end = end
            self.value = value
        }

        /// How long it holds, in seconds.
        package var seconds: Double { end.timeIntervalSince(start) }

        /// What is wrong with the slot by itself, nil for nothing.
        ///
        /// Times come first: one that is far off can't be shown as a date.
        fileprivate var problem: SeriesFault.Problem? {
            for time in [start, end] where !EnergySeries.believableTimes.contains(time) {
                return .timeFarOff(secondsSince1970: time.timeIntervalSince1970)
            }
            guard end > start else { return .reversed(start: start, end: end) }
            guard value.isFinite else { return .notFinite }
            return abs(value) > EnergySeries.mostValue ? .valueFarOff(value) : nil
        }

        /// Where the slot ends if its end names the last second that belongs to it, nil for any other end.
        fileprivate var openEnd: Date? {
            let last = end.timeIntervalSince1970
            let edge = (last / 300).rounded(.up) * 300
            let isWhole = start.timeIntervalSince1970.truncatingRemainder(dividingBy: 60) == 0
            return isWhole && edge - last > 0 && edge - last <= 1 ? Date(timeIntervalSince1970: edge) : nil
        }
    }

    /// The years 1970 to 2199: a time outside them was given in another unit, such as milliseconds for seconds.
    static let believableTimes = Date(timeIntervalSince1970: 0)..<Date(timeIntervalSince1970: 7_258_118_400)
    /// No price of a kWh in any currency, no carbon intensity and no home's solar power in watts is above it, of either sign.
    static let mostValue = 1e9

    /// What the values are.
    package let kind: Kind
    /// The source's name, such as `nord-pool`.
    package let source: String
    /// The slots, ascending and without overlap.
    package let slots: [Slot]

    /// Makes a series from slots in any order.
    ///
    /// Sorts, and drops exact repeats. An end a second before a full five minutes (`:59:59`), as some programs write the last second that still
    /// belongs to a slot, is taken as where the next begins.
    ///
    /// Complexity: O(n log n).
    /// - Throws: `SeriesFault` for a reversed slot, a time or value that nothing in a home has, and slots that share time; the index is the
    ///   place in `slots`.
    package init(kind: Kind, source: String = "", slots: [Slot]) throws(SeriesFault) {
        let given = Self.withOpenEnds(slots)
        for (index, slot) in given.enumerated() {
            if let problem = slot.problem { throw SeriesFault(problem, index: index) }
        }
        let order = given.indices.sorted { (given[$0].start, given[$0].end, $0) < (given[$1].start, given[$1].end, $1) }
        var kept: [Slot] = []
        kept.reserveCapacity(given.count)
        var previous: Int?
        for index in order {
            if let last = previous {
                if given[last] == given[index] { continue }
                guard given[last].end <= given[index].start else {
                    throw SeriesFault(.overlap(with: min(last, index)), index: max(last, index))
                }
            }
            kept.append(given[index])
            previous = index
        }
        self.init(kind: kind, source: source, ordered: kept)
    }

    private static func withOpenEnds(_ slots: [Slot]) -> [Slot] {
        guard slots.contains(where: { $0.openEnd != nil }) else { return slots }
        let starts = Set(slots.map(\.start))
        return slots.map { slot in
            // Where the next slot begins at just this second, the second is meant.
            guard let end = slot.openEnd, !starts.contains(slot.end) else { return slot }
            return Slot(start: slot.start, end: end, value: slot.value)
        }
    }

    /// Makes a series from slots that are known to be in order.
    init(kind: Kind, source: String, ordered slots: [Slot]) {
        self.kind = kind
        self.source = source
        self.slots = slots
    }

    /// The currency of a price series.
    package var currency: String? {
        guard case .price(let currency) = kind else { return nil }
        return currency
    }

    /// The first start, nil when there is no slot.
    package var start: Date? { slots.first?.start }

    /// The last end, nil when there is no slot.
    package var end: Date? { slots.last?.end }

    /// The same slots with every value changed; the result must stay finite.
    package func mapValues(kind: Kind? = nil, _ change: (Double) -> Double) -> EnergySeries {
        EnergySeries(
            kind: kind ?? self.kind, source: source,
            ordered: slots.map { Slot(start: $0.start, end: $0.end, value: change($0.value)) })
    }
}
