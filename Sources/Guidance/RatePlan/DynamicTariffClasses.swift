package import Foundation

/// Tariff classes of dynamic prices, by each price's place among the prices of its local day.
///
/// Shares of the day, cheapest first: the lowest tenth is superOffPeak, to 0.4 offPeak, to 0.7 partialPeak, to 0.95 onPeak, above criticalPeak.
/// A slot's place is the middle of all time that costs the same, so a flat day is partialPeak throughout and nothing is called best (G-9).
package struct DynamicTariffClasses: Sendable {
    private let prices: EnergySeries
    private let clock: LocalClock
    private let days: [CivilDay: [(price: Double, place: Double)]]

    /// Ranks every local day that a price series touches.
    ///
    /// Complexity: O(n log n).
    package init(prices: EnergySeries, timeZone: TimeZone) {
        self.prices = prices
        clock = LocalClock(zone: timeZone)
        var days: [CivilDay: [(price: Double, place: Double)]] = [:]
        var position = prices.start
        while let start = position {
            let day = clock.dayRange(containing: start)
            days[clock.day(at: start)] = Self.places(prices.clippedSlots(to: day))
            let next = prices.firstIndex(startingAfter: day.upperBound.addingTimeInterval(-1))
            // A slot that runs across midnight touches the next day as well.
            let runsOn = prices.slot(at: day.upperBound) != nil
            position = runsOn ? day.upperBound : next < prices.slots.count ? prices.slots[next].start : nil
        }
        self.days = days
    }

    /// The class at an instant, nil where no price is known.
    package func tariffClass(at instant: Date) -> TariffClass? {
        guard let price = prices.value(at: instant), let places = days[clock.day(at: instant)],
            let place = Self.place(of: price, in: places)
        else { return nil }
        switch place {
        case ..<0.1: return .superOffPeak
        case ..<0.4: return .offPeak
        case ..<0.7: return .partialPeak
        case ..<0.95: return .onPeak
        default: return .criticalPeak
        }
    }

    /// The instants inside an interval at which the class may change without the price changing: local midnights.
    package func dayEdges(in range: Range<Date>) -> [Date] {
        var edges: [Date] = []
        var edge = clock.dayRange(containing: range.lowerBound).upperBound
        while edge < range.upperBound {
            edges.append(edge)
            edge = clock.dayRange(containing: edge).upperBound
        }
        return edges
    }

    /// Each price of a day with the share of time that is cheaper plus half of the time that costs the same.
    private static func places(_ slots: [EnergySeries.Slot]) -> [(price: Double, place: Double)] {
        let total = slots.reduce(0) { $0 + $1.seconds }
        var result: [(price: Double, place: Double)] = []
        var cheaper = 0.0
        var rest = slots.sorted { $0.value < $1.value }[...]
        while let first = rest.first {
            let same = rest.prefix { $0.value == first.value }
            let seconds = same.reduce(0) { $0 + $1.seconds }
            result.append((first.value, (cheaper + seconds / 2) / total))
            cheaper += seconds
            rest = rest.dropFirst(same.count)
        }
        return result
    }

    private static func place(of price: Double, in places: [(price: Double, place: Double)]) -> Double? {
        var low = 0
        var high = places.count
        while low < high {
            let middle = (low + high) / 2
            if places[middle].price < price { low = middle + 1 } else { high = middle }
        }
        return low < places.count && places[low].price == price ? places[low].place : nil
    }
}
