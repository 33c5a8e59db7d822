import Foundation
import Guidance
import Testing

/// A source that always says the same.
private struct Fixed: SeriesProvider {
    var name: String
    var series: EnergySeries?
    var fault: PayloadError?

    func delivery(covering range: Range<Date>) -> Delivery {
        Delivery(series: series?.clipped(to: range), faults: fault.map { [name: $0] } ?? [:])
    }
}

@Suite struct JoinedSeriesTests {
    /// From a week before 2026-01-05 to three days after it, as the service asks.
    private func week() throws -> Range<Date> { try span("2025-12-28T00:00:00Z", "2026-01-08T00:00:00Z") }

    private func named(_ name: String, _ series: EnergySeries) throws -> EnergySeries {
        try EnergySeries(kind: series.kind, source: name, slots: series.slots)
    }

    @Test func theMoreWantedWinsAndTheOtherFillsItsGaps() async throws {
        let first = try named("first", series([1, nil, 1]))
        let second = try named("second", series([2, 2, 2, 2]))
        let joined = PreferredSeries([
            .init(Fixed(name: "first", series: first)),
            .init(Fixed(name: "second", series: second), composition: PriceComposition(addPerKWh: 1, factor: 2)),
        ])
        let delivery = await joined.delivery(covering: try week())
        #expect(delivery.series?.slots.map(\.value) == [1, 6, 1, 6])
        #expect(delivery.series?.source == "first, second")
    }

    @Test func aSourceThatAddsNothingIsNotNamed() async throws {
        let first = try named("first", series([1, 1]))
        let second = try named("second", series([2, 2]))
        let joined = PreferredSeries([
            .init(Fixed(name: "first", series: first)), .init(Fixed(name: "second", series: second)),
        ])
        #expect(await joined.delivery(covering: try week()).series?.source == "first")
    }

    @Test func averageAndMarginalCarbonAreNeverMixed() async throws {
        let marginal = try named("marginal", series(.carbon(.marginal), [400, nil]))
        let average = try named("average", series(grams, [100, 100]))
        let both = [Fixed(name: "marginal", series: marginal), Fixed(name: "average", series: average)]
        let joined = PreferredSeries(both.map { .init($0) })
        let delivery = await joined.delivery(covering: try week())
        #expect(delivery.series?.kind == .carbon(.marginal))
        #expect(delivery.series?.slots.map(\.value) == [400])
        // Where the first has nothing for the coming time, the other takes its place as a whole.
        let past = try named("marginal", series(.carbon(.marginal), from: "2026-01-02T00:00:00Z", [400, 400]))
        let substitute = PreferredSeries([.init(Fixed(name: "marginal", series: past)), .init(both[1])])
        #expect(await substitute.delivery(covering: try week()).series?.kind == grams)
    }

    @Test func whatIsWrongWithOneIsSaidBesideWhatTheOtherGives() async throws {
        let fault = PayloadError(.serviceUnavailable, "down", remedy: "wait")
        let joined = PreferredSeries([
            .init(Fixed(name: "first", fault: fault)), .init(Fixed(name: "second", series: try series([2]))),
        ])
        let delivery = await joined.delivery(covering: try week())
        #expect(delivery.series?.slots.count == 1)
        #expect(delivery.faults == ["first": fault])
    }

    @Test func twoRoofsAreAddedUpWhereBothAreKnown() async throws {
        let east = try series(.solar, minutes: 30, [100, 200, 300])
        let west = try series(.solar, minutes: 60, [1000])
        let sum = SummedSeries([Fixed(name: "east", series: east), Fixed(name: "west", series: west)])
        let delivery = await sum.delivery(covering: try week())
        #expect(delivery.series?.slots.map(\.value) == [1100, 1200])
    }
}
