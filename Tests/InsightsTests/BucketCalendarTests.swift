import EnergyKit
import Foundation
import Insights
import Testing

@Suite struct BucketCalendarTests {
    @Test(arguments: [
        ("Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", 23),
        ("Europe/Berlin", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", 25),
        ("Europe/Berlin", "2026-06-01T22:00:00Z", "2026-06-02T22:00:00Z", 24),
        ("America/New_York", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z", 23),
        // Chile's clocks skip midnight itself.
        ("America/Santiago", "2026-09-06T04:00:00Z", "2026-09-07T03:00:00Z", 23),
        ("Asia/Kolkata", "2026-03-28T18:30:00Z", "2026-03-29T18:30:00Z", 24),
    ])
    func aDayGoesFromMidnightToMidnight(zone: String, start: String, end: String, hours: Int) throws {
        let calendar = BucketCalendar(try #require(TimeZone(identifier: zone)))
        let day = try range(start, end)
        #expect(calendar.edges(of: day, .daily) == [Instant(day.start), Instant(day.end)])
        let two = DateInterval(start: day.start.addingTimeInterval(-60), end: day.end.addingTimeInterval(60))
        #expect(calendar.edges(of: two, .daily)?.count == 4)
        let edges = try #require(calendar.edges(of: day, .hourly))
        #expect(edges.count == hours + 1)
        #expect(zip(edges, edges.dropFirst()).allSatisfy { $1 - $0 == 3_600_000_000 })
    }

    @Test func hoursOfAZoneThatMovesByHalfAnHourStayOnItsFullHours() throws {
        // Lord Howe's clocks go from 02:00 (+11) back to 01:30 (+10:30) at 15:00Z.
        let calendar = BucketCalendar(try #require(TimeZone(identifier: "Australia/Lord_Howe")))
        let edges = try #require(calendar.edges(of: try range("2026-04-04T14:00:00Z", "2026-04-04T17:00:00Z"), .hourly))
        let texts = edges.map { EnergyKitJSON.string(from: $0.date) }
        #expect(
            texts == [
                "2026-04-04T14:00:00Z", "2026-04-04T15:00:00Z", "2026-04-04T15:30:00Z", "2026-04-04T16:30:00Z",
                "2026-04-04T17:00:00Z",
            ])
    }

    @Test(arguments: [
        (
            ElectricityInsightQuery.Granularity.weekly,
            ["2026-02-25T12:00:00Z", "2026-03-01T23:00:00Z", "2026-03-03T00:00:00Z"]
        ),
        (.monthly, ["2026-02-25T12:00:00Z", "2026-02-28T23:00:00Z", "2026-03-03T00:00:00Z"]),
        (.yearly, ["2026-02-25T12:00:00Z", "2026-03-03T00:00:00Z"]),
    ])
    func longUnitsAreClippedToTheRange(granularity: ElectricityInsightQuery.Granularity, expected: [String]) throws {
        let calendar = BucketCalendar(try #require(TimeZone(identifier: "Europe/Berlin")))
        let edges = calendar.edges(of: try range("2026-02-25T12:00:00Z", "2026-03-03T00:00:00Z"), granularity)
        #expect(edges?.map { EnergyKitJSON.string(from: $0.date) } == expected)
    }

    @Test func anEmptyRangeHasNoUnits() throws {
        let edges = BucketCalendar(.gmt).edges(of: try range("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z"), .daily)
        #expect(edges == [])
    }

    @Test(arguments: [(BucketCalendar.maximumCount, true), (BucketCalendar.maximumCount + 1, false)])
    func aRangeOfTooManyUnitsIsRefused(hours: Int, isAnswered: Bool) {
        let range = DateInterval(
            start: Date(timeIntervalSince1970: 1_700_000_000 - 800), duration: Double(hours) * 3600)
        #expect((BucketCalendar(.gmt).edges(of: range, .hourly) != nil) == isAnswered)
    }

    private func range(_ start: String, _ end: String) throws -> DateInterval {
        DateInterval(
            start: try #require(EnergyKitJSON.date(from: start)), end: try #require(EnergyKitJSON.date(from: end)))
    }
}
