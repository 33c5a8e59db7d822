import Foundation
import Guidance
import Testing

@Suite struct CarbonPayloadTests {
    @Test func britainsRegionalCallsNestTheirRows() throws {
        let row =
            #"{"from": "2026-01-05T00:00Z", "to": "2026-01-05T00:30Z", "intensity": {"forecast": 168, "actual": 170}}"#
        let region = #"{"regionid": 9, "shortname": "East Midlands", "postcode": "NG1", "data": [\#(row)]}"#
        for payload in [
            #"{"data": [\#(row)]}"#, #"{"data": \#(region)}"#, #"{"data": [\#(region)]}"#, #"{"data": [[\#(region)]]}"#,
        ] {
            #expect(try decoded("uk-carbon-intensity", payload) == ["00:00-00:30 168.0"])
        }
        let two = #"{"data": [\#(region), \#(region.replacing("NG1", with: "AB1").replacing("168", with: "20"))]}"#
        #expect(try decoded("neso", two, .init(area: "ab1")) == ["00:00-00:30 20.0"])
        #expect(failure("neso", two)?.kind == .argumentNeeded)
        #expect(failure("neso", two, .init(area: "ZZ9"))?.kind == .unsupportedRegion)
        #expect(try decoded("neso", #"{"data": [\#(row)]}"#, .init(field: "actual")) == ["00:00-00:30 170.0"])
        #expect(failure("neso", "{}")?.kind == .guidanceUnavailable)
        #expect(
            failure("neso", #"{"error": {"code": "400 Bad Request", "message": "bad from"}}"#)?.kind
                == .serviceUnavailable)
    }

    @Test func britainsTableHasHalfHours() throws {
        let table =
            "from,intensity.forecast,intensity.actual\n2026-01-05T00:00Z,168,\n2026-01-05T00:30Z,,\n2026-01-05T01:00Z,175,\n"
        #expect(try decoded("uk-carbon-intensity", table) == ["00:00-00:30 168.0", "01:00-01:30 175.0"])
        #expect(failure("uk-carbon-intensity", table, .init(field: "intensity.actual"))?.kind == .guidanceUnavailable)
        #expect(
            failure("uk-carbon-intensity", table.replacing("168", with: "low"))?.what == "line 2: 'low' is no number")
    }

    @Test func electricityMapsReadsForecastAndPortal() throws {
        let forecast = """
            {"zone": "DE", "forecast": [{"carbonIntensity": 300, "datetime": "2026-01-05T00:00:00.000Z"},
             {"carbonIntensity": 310, "datetime": "2026-01-05T01:00:00.000Z"}], "updatedAt": "2026-01-05T00:00:00Z"}
            """
        #expect(try decoded("electricity-maps", forecast) == ["00:00-01:00 300.0", "01:00-02:00 310.0"])
        #expect(failure("electricity-maps", forecast, .init(area: "FR"))?.kind == .unsupportedRegion)
        let table = """
            Datetime (UTC),Country,Zone Name,Zone Id,Carbon Intensity gCO₂eq/kWh (direct),Carbon Intensity gCO₂eq/kWh (LCA)
            2026-01-05 00:00:00,"Germany, all",Germany,DE,208.87,264.49
            """
        #expect(try decoded("electricity-maps", table) == ["00:00-01:00 264.49"])
        #expect(try decoded("electricity-maps", table, .init(field: "direct")) == ["00:00-01:00 208.87"])
        #expect(failure("electricity-maps", #"{"error": "Request limit reached"}"#)?.kind == .rateLimitExceeded)
    }

    @Test func wattTimeIsMarginalAndInPounds() throws {
        let payload = """
            {"data": [{"point_time": "2026-01-05T00:00:00+00:00", "value": 1000}], "meta": {"data_point_period_seconds": 300,
             "region": "CAISO_NORTH", "signal_type": "co2_moer", "units": "lbs_co2_per_mwh"}}
            """
        #expect(try decoded("watttime", payload) == ["00:00-00:05 453.59237"])
        #expect(try decode("watttime", payload).kind == .carbon(.marginal))
        #expect(failure("watttime", payload.replacing("co2_moer", with: "health_damage"))?.kind == .notASeries)
        let table = "generated_at,point_time,value\n2026-01-05 00:00:00+00:00,2026-01-05 00:05:00+00:00,412.5\n"
        #expect(try decoded("watttime", table) == ["00:05-00:10 412.5"])
    }

    @Test func gruenstromsNullIsUnknownAndNotCleanest_G4() throws {
        let row = { (hour: Int, value: String) in
            let start = 1_767_571_200_000 + hour * 3_600_000
            return
                #"{"timeframe": {"start": \#(start), "end": \#(start + 3_600_000)}, "co2_g_standard": \#(value), "energyprice": "-0.03"}"#
        }
        #expect(
            try decoded("gruenstromindex", #"{"forecast": [\#(row(0, "159")), \#(row(1, "null"))]}"#) == [
                "00:00-01:00 159.0"
            ])
        #expect(failure("gruenstromindex", #"{"forecast": [\#(row(0, "null"))]}"#)?.kind == .guidanceUnavailable)
        #expect(failure("gruenstromindex", #"{"forecast": []}"#)?.kind == .guidanceUnavailable)
    }
}

@Suite struct SolarPayloadTests {
    @Test func forecastSolarTurnsEnergyBetweenIrregularTimesIntoPower() throws {
        let payload = """
            {"result": {"watt_hours_period": {"2026-06-01T04:30:00+00:00": 10, "2026-06-01T04:20:00+00:00": 0, "2026-06-01T05:30:00+00:00": 500}},
             "message": {"code": 0}}
            """
        #expect(try decoded("forecast-solar", payload) == ["04:20-04:30 60.0", "04:30-05:30 500.0"])
        let local = payload.replacing("+00:00", with: "")
        #expect(failure("forecast-solar", local)?.kind == .argumentNeeded)
        #expect(
            try decoded("forecast-solar", local, .init(timeZone: TimeZone(identifier: "Europe/Berlin"))).first
                == "02:20-02:30 60.0")
    }

    @Test func forecastSolarSaysWhenToAskAgain_G6() throws {
        let payload = """
            {"result": "Rate limit", "message": {"code": 429, "text": "Rate limit", "ratelimit": {"retry-at": "2026-06-01T02:48:53+02:00"}}}
            """
        let error = try #require(failure("forecast-solar", payload))
        #expect(error.kind == .rateLimitExceeded)
        #expect(error.retryAt == (try at("2026-06-01T00:48:53Z")))
        #expect(error.description.hasPrefix("rateLimitExceeded: Rate limit"))
    }

    @Test func solcastStampsTheEnd() throws {
        let payload = """
            {"forecasts": [{"pv_estimate": 1.5, "pv_estimate10": 1, "pv_estimate90": 2, "period_end": "2026-01-05T00:30:00.0000000Z", "period": "PT30M"}]}
            """
        #expect(try decoded("solcast", payload) == ["00:00-00:30 1500.0"])
        #expect(try decoded("solcast", payload, .init(field: "pv_estimate10")) == ["00:00-00:30 1000.0"])
    }

    @Test func openMeteosRadiationIsOfTheIntervalBefore() throws {
        let payload = """
            {"utc_offset_seconds": 0, "minutely_15": {"time": [1767571200, 1767572100], "global_tilted_irradiance": [0, 500]}}
            """
        #expect(
            try decoded("open-meteo", payload, .init(peakWatts: 8000)) == ["23:45-00:00 0.0", "00:00-00:15 3440.0"])
        #expect(failure("open-meteo", payload)?.kind == .argumentNeeded)
        #expect(
            failure("open-meteo", payload.replacing(": 0, \"m", with: ": 3600, \"m"), .init(peakWatts: 1))?.kind
                == .argumentNeeded)
    }
}

@Suite struct OverseasPayloadTests {
    @Test func amberChoosesTheChannelAndTurnsFeedInRound() throws {
        let row = { (channel: String, cents: Double) in
            #"{"type": "ForecastInterval", "channelType": "\#(channel)", "perKwh": \#(cents), "spotPerKwh": 5, "startTime": "2026-01-05T00:00:01Z", "endTime": "2026-01-05T00:05:00Z"}"#
        }
        let payload = "[\(row("feedIn", -8)), \(row("general", 31.5))]"
        #expect(try decoded("amber", payload) == ["00:00-00:05 0.315"])
        #expect(try decoded("amber", payload, .init(area: "feedIn")) == ["00:00-00:05 0.08"])
        #expect(try decoded("amber", payload, .init(field: "spotPerKwh")) == ["00:00-00:05 0.05"])
    }

    @Test func openElectricityStampsTheEnd() throws {
        let payload = """
            {"success": true, "data": [{"metric": "price", "unit": "$/MWh", "interval": "5m", "results": [
             {"columns": {"region": "SA1"}, "data": [["2026-01-05T10:05:00+10:00", 40], ["2026-01-05T10:10:00+10:00", null]]}]}]}
            """
        #expect(try decoded("openelectricity", payload) == ["00:00-00:05 0.04"])
    }

    @Test func comedIsCentsWrittenAsTexts() throws {
        let payload =
            #"[{"millisUTC": "1767571500000", "price": "-2.0"}, {"millisUTC": "1767571200000", "price": "3.1"}]"#
        #expect(try decoded("comed", payload) == ["00:00-00:05 0.031", "00:05-00:10 -0.02"])
    }
}

@Suite struct EveryDecoderTests {
    static let names = PayloadDecoders.all.map(\.name)

    @Test func namesAreNotTakenTwice() {
        let names = PayloadDecoders.all.flatMap { [$0.name] + $0.aliases }
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0 == $0.lowercased() })
    }

    @Test func anUnknownNameIsAnsweredWithTheKnownOnes() {
        let error = #expect(throws: PayloadError.self) { try PayloadDecoders.named("ev-sessions") }
        #expect(error?.remedy.contains("nord-pool") == true)
    }

    /// Whatever comes, a decoder answers with an error that names its kind; it never stops the hub (G-8).
    @Test(
        arguments: names,
        [
            "", "null", "0", "[]", "{}", "[[]]", "[null]", "{\"data\": null}", "{\"data\": []}", "{\"data\": {}}",
            "\u{FEFF}", "<a/>", "<a",
            "a,b\n1", "a;b\n1;2", "{\"result\": {}}", "{\"prices\": [{}]}", "true", "\"text\"", "{\"forecast\": [{}]}",
            "\u{0}\u{1}\u{2}",
        ])
    func rubbishIsRefusedWithAReason(name: String, payload: String) throws {
        let error = try #require(failure(name, payload))
        #expect(error.description.hasPrefix(error.kind.rawValue))
        #expect(!error.what.isEmpty && !error.remedy.isEmpty)
    }
}
