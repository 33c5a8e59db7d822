import Foundation
import Guidance
import Testing

@Suite struct SeriesJSONTests {
    private func read(_ text: String, file: String? = nil) throws -> EnergySeries {
        try EnergySeries(json: Data(text.utf8), file: file)
    }

    private func document(kind: String, unit: String, value: String = "80", start: String = "2026-01-05T00:00:00Z")
        -> String
    {
        """
        {"source": "s", "kind": "\(kind)", "unit": "\(unit)",
         "slots": [{"start": "\(start)", "end": "2026-01-05T01:00:00Z", "value": \(value)}]}
        """
    }

    @Test(arguments: [
        ("price", "EUR/MWh", 0.08, "EUR/kWh"), ("price", "EUR/kWh", 80, "EUR/kWh"), ("price", "p/kWh", 0.8, "GBP/kWh"),
        ("carbon", "gCO2/kWh", 80, "gCO2/kWh"), ("carbon", "lbs_co2_per_mwh", 36.2873896, "gCO2/kWh"),
        ("carbon", "gCO\u{2082}eq/kWh", 80, "gCO2/kWh"), ("solar", "kW", 80_000, "W"), ("solar", "W", 80, "W"),
    ])
    func turnsUnitsIntoOurs(kind: String, unit: String, value: Double, ours: String) throws {
        let read = try read(document(kind: kind, unit: unit))
        #expect(abs((read.slots.first?.value ?? 0) - value) < 1e-9 * value)
        #expect(read.kind.unit == ours)
    }

    @Test func writesWhatItReads() throws {
        let given = try series(.carbon(.marginal), [100, nil, -3.25])
        #expect(try EnergySeries(json: given.json()) == given)
        let text = String(decoding: try given.json(), as: UTF8.self)
        #expect(text.contains(#""start":"2026-01-05T02:00:00Z""#))
        #expect(text.contains(#""unit":"gCO2/kWh""#))
    }

    @Test(arguments: [
        ("price", "bananas", "80", "2026-01-05T00:00:00Z", "the unit 'bananas' is not known"),
        ("price", "c/kWh", "80", "2026-01-05T00:00:00Z", "the unit 'c/kWh' is not known"),
        ("heat", "W", "80", "2026-01-05T00:00:00Z", "the kind 'heat' is none of"),
        ("price", "EUR/kWh", #""80""#, "2026-01-05T00:00:00Z", "slot 0: $.slots[0].value is not a number"),
        ("price", "EUR/kWh", "80", "2026-01-05T00:00:00", "'2026-01-05T00:00:00' is no time with an offset"),
        ("price", "EUR/kWh", "80", "2026-01-05T02:00:00Z", "slot 0: it ends at"),
    ])
    func saysWhatIsWrongAndWhere_G8(kind: String, unit: String, value: String, start: String, said: String) throws {
        let error = #expect(throws: SeriesFault.self) {
            try read(document(kind: kind, unit: unit, value: value, start: start), file: "tariff.json")
        }
        let text = try #require(error).description
        #expect(text.hasPrefix("tariff.json: "))
        #expect(text.contains(said))
    }

    @Test func refusesWhatIsNoJSON() throws {
        let error = #expect(throws: SeriesFault.self) { try read("price,12") }
        #expect(try #require(error).description.contains("it is not JSON"))
    }
}

@Suite struct InstantTextTests {
    @Test(arguments: [
        ("2026-03-29T00:00:00Z", "2026-03-29T00:00:00Z"), ("2026-03-29T00:00Z", "2026-03-29T00:00:00Z"),
        ("2026-03-29 02:30:00+02:00", "2026-03-29T00:30:00Z"), ("2026-03-28T18:00:00-0600", "2026-03-29T00:00:00Z"),
        ("2024-12-26T17:30:00.0000000Z", "2024-12-26T17:30:00Z"),
        ("2024-02-29T00:00:00.250Z", "2024-02-29T00:00:00.250Z"),
        ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"), ("2000-02-29T23:00:00-01:00", "2000-03-01T00:00:00Z"),
    ])
    func readsWhatProvidersWrite(given: String, utc: String) throws {
        #expect(InstantText.text(try at(given)) == utc)
    }

    @Test(arguments: [
        "", "2026-03-29", "2026-03-29T00:00", "2026-02-30T00:00Z", "2026-03-29T25:00Z", "2026-03-29T00:00Zz", "12:00",
    ])
    func isNoInstantWithoutAnOffset(given: String) { #expect(InstantText.instant(given) == nil) }

    @Test func daysRunThroughFourHundredYears() throws {
        var day = try #require(CivilDay(year: 1900, month: 1, day: 1))
        let first = day.daysSince1970
        for offset in 0..<146_097 {
            let next = CivilDay(daysSince1970: first + offset + 1)
            // Not expectations each: 146,097 of them would take seconds.
            guard day < next, day.daysSince1970 == first + offset else {
                throw SeriesFault(.malformed("\(day) is out of order"))
            }
            day = next
        }
        #expect(day == CivilDay(year: 2300, month: 1, day: 1))
    }
}
