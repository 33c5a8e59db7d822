package import Foundation

/// Why a series, though well formed, is not to be believed; the last good one stays in force then (G-8).
package enum SeriesDoubt: Error, Equatable, Sendable, CustomStringConvertible {
    /// Half of the time a kWh would cost this much or more: hundredths or prices per MWh, most likely.
    case priceTooHigh(typical: Double, limit: Double)
    /// A carbon intensity that no power system has.
    case carbonOutOfRange(Double)
    /// A solar power below zero.
    case solarNegative(Double)
    /// The last value ends long before now.
    case outdated(end: Date)
    /// The first value lies far in the future.
    case tooFarAhead(start: Date)
    /// A day holds more values than five-minute slots would give.
    case tooDense(slotsADay: Int)

    /// What is wrong and how to mend it.
    package var description: String {
        switch self {
        case .priceTooHigh(let typical, let limit):
            "a typical price of \(typical) per kWh is above \(limit); check whether the source is in hundredths or per MWh"
        case .carbonOutOfRange(let grams): "\(grams) gCO2/kWh is not between 0 and 3000; check the source's unit"
        case .solarNegative(let watts): "a solar power of \(watts) W is below zero; check the source's field"
        case .outdated(let end): "the series ended at \(InstantText.text(end)); check the clock and the day asked for"
        case .tooFarAhead(let start):
            "the series begins at \(InstantText.text(start)); check the clock and the times' unit"
        case .tooDense(let slots):
            "\(slots) values fall on one day, five-minute slots give 288; check for repeated days"
        }
    }
}

extension EnergySeries {
    /// Refuses figures that no source may bring into force, whichever way they came (G-8).
    /// - Parameters:
    ///   - currency: the currency that prices must be in, nil for any.
    ///   - now: the present.
    /// - Throws: `PayloadError`.
    func checkIsUsable(currency wanted: String?, now: Date) throws(PayloadError) {
        if let doubt = doubt(now: now) {
            throw PayloadError(.malformed, "the figures are not to be believed", remedy: doubt.description)
        }
        if let currency, let wanted, currency != wanted { throw .foreign(currency, home: wanted) }
    }

    /// The first reason to doubt a series that was just fetched, nil when it is plausible.
    ///
    /// Complexity: O(n log n).
    package func doubt(now: Date) -> SeriesDoubt? {
        if let end, end < now.addingTimeInterval(-2 * 86_400) { return .outdated(end: end) }
        if let start, start > now.addingTimeInterval(14 * 86_400) { return .tooFarAhead(start: start) }
        let densest = densestDay
        if densest > 300 { return .tooDense(slotsADay: densest) }
        switch kind {
        case .price(let currency):
            // 300 cents: no household pays 3 € per kWh for half of the time, and no spot market has asked it.
            let limit = 300 * RatingFloors(currency: currency).pricePerKWh
            let typical = DurationDistribution(slots.map { (abs($0.value), $0.seconds) }).mean(from: 0.45, to: 0.55)
            return typical > limit ? .priceTooHigh(typical: typical, limit: limit) : nil
        case .carbon: return slots.first { !(0...3000).contains($0.value) }.map { .carbonOutOfRange($0.value) }
        case .solar: return slots.first { $0.value < 0 }.map { .solarNegative($0.value) }
        }
    }

    /// The most slots that begin within any 24 hours.
    private var densestDay: Int {
        var first = 0
        var most = 0
        for index in slots.indices {
            while slots[index].start.timeIntervalSince(slots[first].start) >= 86_400 { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }
}
