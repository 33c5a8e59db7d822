package import Foundation

/// Tariff classes of dynamic prices, by each price's place among the prices of its local day.
///
/// Shares of the day, cheapest first: the lowest tenth is superOffPeak, to 0.4 offPeak, to 0.7 partialPeak, to 0.95 onPeak, above criticalPeak.
/// A slot's place is the middle of all time that costs the same, so a flat day is partialPeak throughout and nothing is called best (G-9).
package struct DynamicTariffClasses: Sendable {
    /// One local day with its prices, cheapest first.
    private struct Day {
        var range: Range<Date>
        var places: [(price: Double, place: Double)]
    }

    private let prices: EnergySeries
    private let days: [Day]

    /// Ranks every local day that a price series touches.
    ///
    /// Complexity: O(n log n).
    /// - Parameters:
    ///   - prices: what is paid per kWh.
    ///   - timeZone: whose midnights begin days.
    ///   - from: days that end before it are left out; nothing for all.
    package init(prices: EnergySeries, timeZone: TimeZone, from: Date = .distantPast) {
        self.prices = prices
        let clock = LocalClock(zone: timeZone)
        var days: [Day] = []
        var position = prices.slot(at: from) != nil ? from : prices.firstStart(after: from)
        while let start = position {
            let day = clock.dayRange(containing: start)
            days.append(Day(range: day, places: Self.places(prices.clippedSlots(to: day))))
            // A slot that runs across midnight touches the next day as well.
            let runsOn = prices.slot(at: day.upperBound) != nil
            position = runsOn ? day.upperBound : prices.firstStart(after: day.upperBound.addingTimeInterval(-1))
        }
        self.days = days
    }

    /// The class at an instant, nil where no price is known.
    package func tariffClass(at instant: Date) -> TariffClass? {
        guard let price = prices.value(at: instant), let day = day(at: instant),
            let place = Self.place(of: price, in: day.places)
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
        for index in firstDay(endingAfter: range.lowerBound)..<days.count {
            let day = days[index].range
            guard day.lowerBound < range.upperBound else { break }
            for edge in [day.lowerBound, day.upperBound]
            where edge > range.lowerBound && edge < range.upperBound && edges.last != edge {
                edges.append(edge)
            }
        }
        return edges
    }

    private func day(at instant: Date) -> Day? {
        let index = firstDay(endingAfter: instant)
        return index < days.count && days[index].range.contains(instant) ? days[index] : nil
    }

    private func firstDay(endingAfter instant: Date) -> Int {
        var low = 0
        var high = days.count
        while low < high {
            let middle = (low + high) / 2
            if days[middle].range.upperBound <= instant { low = middle + 1 } else { high = middle }
        }
        return low
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
