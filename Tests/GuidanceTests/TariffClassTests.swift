import Foundation
import Guidance
import Testing

@Suite struct TariffClassTests {
    private func classes(_ prices: EnergySeries, in zone: TimeZone = .gmt) -> [TariffClass?] {
        let ranked = DynamicTariffClasses(prices: prices, timeZone: zone)
        return prices.slots.map { ranked.tariffClass(at: $0.start) }
    }

    @Test func classesAreSharesOfTheDay() throws {
        let found = classes(try series(minutes: 72, (0..<20).map(Double.init)))
        let expected: [(TariffClass, Int)] = [
            (.superOffPeak, 2), (.offPeak, 6), (.partialPeak, 6), (.onPeak, 5), (.criticalPeak, 1),
        ]
        #expect(found == expected.flatMap { Array(repeating: $0.0, count: $0.1) })
    }

    @Test func nothingOfAFlatDayIsCalledBestOrWorst_G9() throws {
        #expect(classes(try series(Array(repeating: 0.3, count: 24))).allSatisfy { $0 == .partialPeak })
    }

    @Test func eachLocalDayIsRankedByItself() throws {
        // Two days of Berlin's winter, the second ten times as dear: midnight there is 23:00Z.
        let values = (0..<48).map { hour in Double(hour % 24) * (hour < 24 ? 1 : 10) }
        let prices = try series(from: "2026-01-04T23:00:00Z", values)
        let found = classes(prices, in: try #require(TimeZone(identifier: "Europe/Berlin")))
        #expect(Array(found[0..<24]) == Array(found[24..<48]))
        #expect(found[0] == .superOffPeak)
        #expect(found[23] == .criticalPeak)
    }

    @Test func aSlotThatRunsOverMidnightIsRankedOnBothDays() throws {
        let prices = try series(minutes: 16 * 60, [1, 2, 3])
        let ranked = DynamicTariffClasses(prices: prices, timeZone: .gmt)
        #expect(try ranked.tariffClass(at: at("2026-01-05T23:00:00Z")) == .onPeak)
        #expect(try ranked.tariffClass(at: at("2026-01-06T00:00:00Z")) == .offPeak)
    }

    @Test func withoutAPriceThereIsNoClass() throws {
        let ranked = DynamicTariffClasses(prices: try series([1, nil, 3]), timeZone: .gmt)
        #expect(try ranked.tariffClass(at: at("2026-01-05T01:30:00Z")) == nil)
        #expect(
            DynamicTariffClasses(prices: try series([]), timeZone: .gmt).tariffClass(at: try at("2026-01-05T01:30:00Z"))
                == nil)
    }

    @Test(arguments: [
        (0.0, CleanlinessClass.cleaner), (0.499, .cleaner), (0.5, .lessClean), (0.9, .lessClean), (0.901, .avoid),
        (1, .avoid),
        (nil, nil),
    ])
    func cleanlinessFollowsTheCarbonRating(rating: Double?, expected: CleanlinessClass?) {
        #expect(CleanlinessThresholds().cleanliness(ofCarbonRating: rating) == expected)
    }
}
