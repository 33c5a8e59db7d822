import Foundation
import Guidance
import Testing

/// Times and values that nothing in a home has, whichever way they come (G-8).
@Suite struct FarOffTests {
    @Test(arguments: [
        ("elering", #"{"success":true,"data":{"ee":[{"timestamp":@,"price":V}]}}"#, 1e3),
        ("awattar", #"{"data":[{"start_timestamp":@,"end_timestamp":@,"marketprice":V,"unit":"Eur/MWh"}]}"#, 1e6),
        ("gruenstromindex", #"{"forecast":[{"timeframe":{"start":@,"end":@},"co2_g_standard":V}]}"#, 1e6),
        ("energy-charts", #"{"unix_seconds":[@],"price":[V],"unit":"EUR/MWh"}"#, 1e3),
        ("comed", #"[{"millisUTC":@,"price":V}]"#, 1e6),
    ])
    func importsRefuseThem_G8(source: String, form: String, scale: Double) throws {
        let good = 1_767_571_200 * scale / 1e3
        for time in ["\(good * 1e3)", "1e18", "-1e300", "1e300", "-1"] {
            let payload = form.replacing("@", with: time).replacing("V", with: "1")
            #expect(failure(source, payload)?.kind == .malformed, "\(payload)")
        }
        for value in ["-9e304", "1e308", "1e14"] {
            let payload = form.replacing("@,\"end_timestamp\":@", with: "\(good),\"end_timestamp\":\(good + 3.6e6)")
                .replacing("@,\"end\":@", with: "\(good),\"end\":\(good + 3.6e6)")
                .replacing("@", with: "\(good)").replacing("V", with: value)
            let error = failure(source, payload)
            #expect(error?.what.contains("is not to be believed") == true, "\(payload): \(error?.what ?? "")")
        }
    }

    @Test func aPeriodOfAnyLengthIsNoTrap() {
        let watttime = { (seconds: String) in
            """
            {"data":[{"point_time":"2026-01-05T00:00:00Z","value":1}],
             "meta":{"data_point_period_seconds":\(seconds),"signal_type":"co2_moer","units":"lbs_co2_per_mwh"}}
            """
        }
        for seconds in ["1e300", "-1e300", "0", "-300"] {
            #expect(failure("watttime", watttime(seconds))?.kind == .malformed)
        }
        let solcast =
            #"{"forecasts":[{"pv_estimate":1,"period_end":"2026-01-05T00:00:00Z","period":"PT9999999999999999999999H"}]}"#
        #expect(failure("solcast", solcast)?.kind == .malformed)
    }

    @Test(arguments: ["1e308", "-1e308", "1e12"])
    func aRatingOfThemIsRefusedWithItsPlace_G8(value: String) {
        let slot = #"{"start":"2026-01-05T00:00:00Z","end":"2026-01-05T01:00:00Z","value":\#(value)}"#
        let horizon = #""horizon":{"start":"2026-01-05T00:00:00Z","end":"2026-01-05T01:00:00Z"}"#
        for side in ["price", "carbon"] {
            let fault = #expect(throws: RateRequest.Fault.self) {
                try RateRequest(json: Data("{\(horizon),\"\(side)\":[\(slot)]}".utf8))
            }
            #expect(fault?.path == "$.\(side)[0]")
        }
        let weights = #expect(throws: RateRequest.Fault.self) {
            try RateRequest(json: Data("{\(horizon),\"weights\":{\"price\":1e308,\"carbon\":1e308}}".utf8))
        }
        #expect(weights?.path == "$.weights.price")
    }

    @Test(arguments: [
        (#"{"price":[],"price":[],HORIZON}"#, "$.price"),
        (#"{HORIZON,"weights":{"price":1,"price":2,"carbon":1}}"#, "$.weights.price"),
        (
            #"{HORIZON,"price":[{"start":"2026-01-05T00:00:00Z","end":"2026-01-05T01:00:00Z","value":1,"value":2}]}"#,
            "$.price[0].value"
        ),
    ])
    func aKeyThatIsThereTwiceIsRefused(json: String, path: String) {
        let horizon = #""horizon":{"start":"2026-01-05T00:00:00Z","end":"2026-01-05T01:00:00Z"}"#
        let fault = #expect(throws: RateRequest.Fault.self) {
            try RateRequest(json: Data(json.replacing("HORIZON", with: horizon).utf8))
        }
        #expect(fault?.path == path)
        #expect(fault?.what == "this key is there twice")
    }

    @Test func aSeriesFileSaysWhereTheyStand() {
        let file = """
            {"kind":"price","unit":"EUR/kWh","kind":"carbon","slots":[
             {"start":"2026-01-05T00:00:00Z","end":"2026-01-05T01:00:00Z","value":1}]}
            """
        #expect(SeriesFileCheck.read(Data(file.utf8)).faults.map(\.path).contains("kind"))
        let far = """
            {"kind":"price","unit":"EUR/kWh","slots":[
             {"start":"2026-01-05T00:00:00Z","end":"2026-01-05T01:00:00Z","value":1},
             {"start":"2026-01-05T01:00:00Z","end":"2926-01-05T02:00:00Z","value":1}]}
            """
        let fault = SeriesFileCheck.read(Data(far.utf8)).faults.first
        #expect(fault?.path == "slots[1]")
        #expect(fault?.line == 3)
    }
}

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
