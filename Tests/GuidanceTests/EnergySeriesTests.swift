import Foundation
import Guidance
import Testing

@Suite struct EnergySeriesTests {
    private func slot(_ start: String, _ end: String, _ value: Double) throws -> EnergySeries.Slot {
        EnergySeries.Slot(
            start: try at("2026-01-05T\(start):00Z"), end: try at("2026-01-05T\(end):00Z"), value: value)
    }

    @Test func sortsAndDropsExactRepeats() throws {
        let second = try slot("01:00", "02:00", 2)
        let built = try EnergySeries(kind: euros, slots: [second, try slot("00:00", "01:00", 1), second])
        #expect(text(built.slots) == ["00:00-01:00 1.0", "01:00-02:00 2.0"])
    }

    @Test func namesTheSlotThatIsReversed() throws {
        let slots = [try slot("00:00", "01:00", 1), try slot("02:00", "02:00", 1)]
        let error = #expect(throws: SeriesFault.self) { try EnergySeries(kind: euros, slots: slots) }
        #expect(error?.index == 1)
        #expect(error?.description.contains("slot 1: it ends at 2026-01-05T02:00:00Z") == true)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func refusesWhatIsNoNumber(value: Double) throws {
        let slots = [try slot("00:00", "01:00", value)]
        #expect(throws: SeriesFault(.notFinite, index: 0)) { try EnergySeries(kind: euros, slots: slots) }
    }

    @Test(arguments: [("00:30", "01:30", 1.0), ("01:00", "02:00", 5.0), ("00:00", "03:00", 1.0)])
    func refusesSlotsThatShareTime(start: String, end: String, value: Double) throws {
        let slots = [try slot("01:00", "02:00", 1), try slot(start, end, value)]
        #expect(throws: SeriesFault(.overlap(with: 0), index: 1)) { try EnergySeries(kind: euros, slots: slots) }
    }

    @Test func looksUpHalfOpenAndKnowsGaps() throws {
        let prices = try series([1, nil, 3])
        #expect(try prices.value(at: at("2026-01-05T00:00:00Z")) == 1)
        #expect(try prices.value(at: at("2026-01-05T00:59:59Z")) == 1)
        #expect(try prices.value(at: at("2026-01-05T01:00:00Z")) == nil)
        #expect(try prices.value(at: at("2026-01-05T02:00:00Z")) == 3)
        #expect(try prices.value(at: at("2026-01-05T03:00:00Z")) == nil)
        #expect(try prices.value(at: at("2026-01-04T23:59:59Z")) == nil)
        let asked = try span("2026-01-04T23:00:00Z", "2026-01-05T04:00:00Z")
        #expect(
            try prices.gaps(in: asked) == [
                span("2026-01-04T23:00:00Z", "2026-01-05T00:00:00Z"),
                span("2026-01-05T01:00:00Z", "2026-01-05T02:00:00Z"),
                span("2026-01-05T03:00:00Z", "2026-01-05T04:00:00Z"),
            ])
        #expect(prices.coverage.count == 2)
    }

    @Test func clippingCutsSlotsAcrossTheEdge() throws {
        let clipped = try series([1, 2, 3]).clipped(to: span("2026-01-05T00:30:00Z", "2026-01-05T02:15:00Z"))
        #expect(text(clipped.slots) == ["00:30-01:00 1.0", "01:00-02:00 2.0", "02:00-02:15 3.0"])
    }

    @Test func mergingLetsTheLaterWinAndFillsItsGaps() throws {
        let old = try series([1, 2, 3, nil, 5])
        let new = try series(from: "2026-01-05T00:30:00Z", [10, nil, 12, 13, 14, 15])
        #expect(
            text(old.merged(with: new).slots) == [
                "00:00-00:30 1.0", "00:30-01:30 10.0", "01:30-02:00 2.0", "02:00-02:30 3.0", "02:30-03:30 12.0",
                "03:30-04:30 13.0", "04:30-05:30 14.0", "05:30-06:30 15.0",
            ])
    }

    @Test(arguments: 0..<40) func mergingAgreesWithLookingUpEachMinute(seed: Int) throws {
        var numbers = SeededNumbers(seed: seed)
        let old = try randomSeries(&numbers)
        let new = try randomSeries(&numbers)
        let merged = old.merged(with: new)
        let start = try at("2026-01-05T00:00:00Z")
        for minute in 0..<900 {
            let instant = start.addingTimeInterval(Double(minute) * 60)
            #expect(merged.value(at: instant) == new.value(at: instant) ?? old.value(at: instant))
        }
        #expect(try EnergySeries(kind: merged.kind, source: merged.source, slots: merged.slots) == merged)
    }

    private func randomSeries(_ numbers: inout SeededNumbers) throws -> EnergySeries {
        var minute = 0
        var slots: [EnergySeries.Slot] = []
        let start = try at("2026-01-05T00:00:00Z")
        while minute < 800 {
            let length = Int.random(in: 5...90, using: &numbers)
            if Double.random(in: 0..<1, using: &numbers) < 0.7 {
                slots.append(
                    .init(
                        start: start.addingTimeInterval(Double(minute) * 60),
                        end: start.addingTimeInterval(Double(minute + length) * 60),
                        value: Double.random(in: -1...1, using: &numbers)))
            }
            minute += length
        }
        return try EnergySeries(kind: euros, slots: slots)
    }

    @Test(arguments: [60, 30, 15, 5], 0..<10) func resamplingKeepsMeans(minutes: Int, seed: Int) throws {
        var numbers = SeededNumbers(seed: seed)
        let given = try randomSeries(&numbers)
        let sampled = given.resampled(toMinutes: minutes)
        #expect(sampled.coverage == given.coverage)
        let all = try span("2026-01-05T00:00:00Z", "2026-01-06T00:00:00Z")
        let means = (try #require(given.mean(over: all)), try #require(sampled.mean(over: all)))
        #expect(abs(means.0 - means.1) < 1e-12)
        #expect(sampled.slots.allSatisfy { $0.seconds <= Double(minutes) * 60 })
    }

    @Test func resamplingToACoarserStepAverages() throws {
        let sampled = try series(minutes: 15, [1, 2, 3, 4, 5]).resampled(toMinutes: 60)
        #expect(text(sampled.slots) == ["00:00-01:00 2.5", "01:00-01:15 5.0"])
    }

    @Test func joiningIsByTimeNotByIndex_G16() throws {
        let price = try series(from: "2026-01-05T01:00:00Z", [1, 2])
        let carbon = try series(grams, minutes: 30, [10, 20, 30, nil, 50])
        let rows = joined([price, carbon], over: try span("2026-01-05T00:00:00Z", "2026-01-06T00:00:00Z"))
        #expect(rows.map(\.values) == [[nil, 10], [nil, 20], [1, 30], [1, nil], [2, 50], [2, nil]])
    }
}
