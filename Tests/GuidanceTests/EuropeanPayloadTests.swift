import Foundation
import Guidance
import Testing

@Suite struct EuropeanPayloadTests {
    @Test func nordPoolReadsOneAreaOfSeveralAndKeepsNullUnknown_G4() throws {
        let payload = """
            {"currency": "SEK", "multiAreaEntries": [
              {"deliveryStart": "2026-01-05T00:00:00Z", "deliveryEnd": "2026-01-05T01:00:00Z", "entryPerArea": {"SE3": 500, "SE4": -20}},
              {"deliveryStart": "2026-01-05T01:00:00Z", "deliveryEnd": "2026-01-05T02:00:00Z", "entryPerArea": {"SE3": 600, "SE4": null}}]}
            """
        #expect(try decoded("nord-pool", payload, .init(area: "se3")) == ["00:00-01:00 0.5", "01:00-02:00 0.6"])
        #expect(try decoded("nord-pool", payload, .init(area: "SE4")) == ["00:00-01:00 -0.02"])
        #expect(failure("nord-pool", payload)?.kind == .argumentNeeded)
        #expect(failure("nord-pool", payload, .init(area: "NO1"))?.kind == .unsupportedRegion)
        #expect(failure("nord-pool", payload, .init(area: "SE3", vat: .included))?.kind == .argumentNeeded)
    }

    @Test func nordPoolKeepsBothQuartersOfTheHourThatComesTwice_G10() throws {
        let start = try at("2026-10-24T22:00:00Z")
        let rows = (0..<100).map { index in
            let from = start.addingTimeInterval(Double(index) * 900)
            let times = [from, from.addingTimeInterval(900)].map { InstantText.text($0) }
            return
                #"{"deliveryStart": "\#(times[0])", "deliveryEnd": "\#(times[1])", "entryPerArea": {"FI": \#(index)}}"#
        }
        let payload = #"{"currency": "EUR", "multiAreaEntries": [\#(rows.joined(separator: ","))]}"#
        let series = try decode("nord-pool", payload)
        #expect(Set(series.slots.map(\.start)).count == 100)
        #expect(try series.value(at: at("2026-10-25T00:05:00Z")) == 0.008)
        #expect(try series.value(at: at("2026-10-25T01:05:00Z")) == 0.012)
    }

    @Test(arguments: ["", "  \n", #"{"currency": "EUR"}"#, #"{"currency": "EUR", "multiAreaEntries": []}"#])
    func notPublishedYetIsNoOutage_G7(payload: String) {
        #expect(failure("nord-pool", payload)?.kind == .guidanceUnavailable)
    }

    @Test func eleringStepsOverAHole() throws {
        let rows = [0, 900, 2700, 3600].map { #"{"timestamp": \#(1_767_571_200 + $0), "price": 100}"# }
        let payload = #"{"success": true, "data": {"ee": [\#(rows.joined(separator: ","))]}}"#
        #expect(
            try decoded("elering", payload) == [
                "00:00-00:15 0.1", "00:15-00:30 0.1", "00:45-01:00 0.1", "01:00-01:15 0.1",
            ])
    }

    @Test func energinetReadsPricesAndCarbonButNoWind() throws {
        let prices = """
            {"dataset": "DayAheadPrices", "records": [
              {"TimeUTC": "2026-01-05T00:15:00", "PriceArea": "DK1", "DayAheadPriceEUR": -10.5, "DayAheadPriceDKK": -78},
              {"TimeUTC": "2026-01-05T00:00:00", "PriceArea": "DK1", "DayAheadPriceEUR": 100, "DayAheadPriceDKK": 746}]}
            """
        #expect(try decoded("energinet", prices) == ["00:00-00:15 0.1", "00:15-00:30 -0.0105"])
        let kroner = try decode("energidataservice", prices, .init(currency: "DKK"))
        #expect(kroner.kind == .price(currency: "DKK"))
        #expect(kroner.slots.first?.value == 0.746)
        let carbon = """
            {"dataset": "CO2EmisProg", "records": [
              {"Minutes5UTC": "2026-01-05T00:00:00", "PriceArea": "DK1", "CO2Emission": 88},
              {"Minutes5UTC": "2026-01-05T00:00:00", "PriceArea": "DK2", "CO2Emission": 99}]}
            """
        #expect(try decoded("energinet", carbon, .init(area: "DK2")) == ["00:00-00:05 99.0"])
        #expect(failure("energinet", #"{"dataset": "Forecasts_5Min", "records": []}"#)?.kind == .notASeries)
    }

    @Test func energyChartsFollowsTheStepWhereItChanges() throws {
        let payload = """
            {"unix_seconds": [1767571200, 1767574800, 1767578400, 1767579300, 1767580200], "price": [80, null, 40, 20, 0], "unit": "EUR / MWh"}
            """
        #expect(
            try decoded("energy-charts", payload) == [
                "00:00-01:00 0.08", "02:00-02:15 0.04", "02:15-02:30 0.02", "02:30-02:45 0.0",
            ])
        let carbon = #"{"unix_seconds": [1767571200, 1767572100], "co2eq": [300, null], "co2eq_forecast": [310, 320]}"#
        #expect(try decoded("energy-charts", carbon) == ["00:00-00:15 300.0", "00:15-00:30 320.0"])
        #expect(failure("energy-charts", #"{"unix_seconds": [1], "price": []}"#)?.kind == .malformed)
    }

    @Test func awattarIsSpotInMilliseconds() throws {
        let payload = """
            {"data": [{"start_timestamp": 1767571200000, "end_timestamp": 1767574800000, "marketprice": 61.2, "unit": "Eur/MWh"}]}
            """
        #expect(try decoded("awattar", payload) == ["00:00-01:00 0.0612"])
        #expect(failure("awattar", #"{"data": []}"#)?.kind == .guidanceUnavailable)
    }

    @Test func tibberIsWhatIsPaidAndTomorrowMayBeEmpty_G7() throws {
        let row = { (hour: Int) in
            #"{"total": 0.3\#(hour), "energy": 0.2, "tax": 0.1, "startsAt": "2026-01-05T0\#(hour):00:00.000+01:00", "currency": "NOK"}"#
        }
        let payload = """
            {"data": {"viewer": {"homes": [{"id": "h", "currentSubscription": {"priceInfo": {"today": [\(row(1)), \(row(2))], "tomorrow": []}}}]}}}
            """
        #expect(try decoded("tibber", payload) == ["00:00-01:00 0.31", "01:00-02:00 0.32"])
        #expect(try decoded("tibber", payload, .init(vat: .excluded)).first == "00:00-01:00 0.2")
        #expect(try decode("tibber", payload).currency == "NOK")
        let denied = #"{"errors": [{"message": "invalid token"}]}"#
        #expect(failure("tibber", denied)?.kind == .permissionDenied)
    }

    @Test func octopusKeepsNegativeRatesAndLeavesOutWhatIsNotPublished_G14_G15() throws {
        let payload = """
            {"results": [
              {"value_exc_vat": 10, "value_inc_vat": 10.5, "valid_from": "2026-01-05T01:00:00Z", "valid_to": "2026-01-05T01:30:00Z"},
              {"value_exc_vat": -2.9, "value_inc_vat": -2.9, "valid_from": "2026-01-05T00:00:00Z", "valid_to": "2026-01-05T00:30:00Z"}]}
            """
        #expect(try decoded("octopus-agile", payload) == ["00:00-00:30 -0.029", "01:00-01:30 0.105"])
        #expect(try decoded("octopus", payload, .init(vat: .excluded)).last == "01:00-01:30 0.1")
    }

    @Test func octopusCutsAnOpenEndAndChoosesOneWayToPay() throws {
        let payload = """
            {"results": [
              {"value_inc_vat": 25, "valid_from": "2026-01-05T00:00:00Z", "valid_to": null, "payment_method": "DIRECT_DEBIT"},
              {"value_inc_vat": 27, "valid_from": "2026-01-05T00:00:00Z", "valid_to": null, "payment_method": "NON_DIRECT_DEBIT"}]}
            """
        let cut = PayloadOptions(openEndsAt: try at("2026-01-05T12:00:00Z"))
        #expect(try decoded("octopus-agile", payload, cut) == ["00:00-12:00 0.25"])
        #expect(try decode("octopus-agile", payload).end == (try at("2026-01-07T00:00:00Z")))
    }

    @Test func energyZeroReadsNumbersWrittenAsTexts() throws {
        let row = #"{"start": "2026-01-05T00:00:00Z", "end": "2026-01-05T00:15:00Z", "price": {"value": "0.25"}}"#
        let payload = #"{"base": [\#(row.replacing("0.25", with: "0.08"))], "all_in_with_vat": [\#(row)]}"#
        #expect(try decoded("energyzero", payload) == ["00:00-00:15 0.25"])
        #expect(try decoded("energyzero", payload, .init(field: "base")) == ["00:00-00:15 0.08"])
        #expect(failure("energyzero", payload.replacing("0.25", with: "cheap"))?.kind == .malformed)
    }

    @Test func easyEnergyReadsTheHourThatComesTwice_G10() throws {
        let rows = ["02:00", "02:15", "02:30", "02:45", "02:00", "02:15"].enumerated().map { index, time in
            let until = ["02:15", "02:30", "02:45", "02:00", "02:15", "02:30"][index]
            return
                #"{"from": "2026-10-25T\#(time):00.0000000", "until": "2026-10-25T\#(until):00.0000000", "invoicePrice": 0.\#(index + 1)}"#
        }
        let payload = #"{"prices": [\#(rows.joined(separator: ","))]}"#
        #expect(
            try decoded("easyenergy", payload) == [
                "00:00-00:15 0.1", "00:15-00:30 0.2", "00:30-00:45 0.3", "00:45-01:00 0.4", "01:00-01:15 0.5",
                "01:15-01:30 0.6",
            ])
    }

    @Test func esiosDistrustsItsUTCStamp() throws {
        let payload = """
            {"indicator": {"values": [
              {"value": 109.55, "datetime": "2021-10-31T02:00:00.000+02:00", "datetime_utc": "2021-10-31T00:00:00Z", "geo_id": 8741, "geo_name": "Península"},
              {"value": 104.85, "datetime": "2021-10-31T02:00:00.000+01:00", "datetime_utc": "2021-10-31T00:00:00Z", "geo_id": 8741, "geo_name": "Península"},
              {"value": 1, "datetime": "2021-10-31T02:00:00.000+02:00", "datetime_utc": "2021-10-31T00:00:00Z", "geo_id": 8742, "geo_name": "Canarias"}]}}
            """
        #expect(try decoded("esios-pvpc", payload) == ["00:00-01:00 0.10955", "01:00-02:00 0.10485"])
        #expect(try decoded("esios-pvpc", payload, .init(area: "Canarias")) == ["00:00-01:00 0.001"])
        #expect(try decoded("esios-pvpc", payload, .init(area: "8742")) == ["00:00-01:00 0.001"])
    }

    @Test(arguments: [("2026-03-29", 92, 15), ("2026-10-25", 100, 15), ("2026-10-25", 25, 60), ("2026-01-05", 96, 15)])
    func omieDaysHaveAsManyPeriodsAsTheyHaveHours_G1(day: String, count: Int, minutes: Int) throws {
        let payload =
            #"{"market_date": "\#(day)", "es_spot_price": [\#(Array(repeating: "50", count: count).joined(separator: ","))]}"#
        let series = try decode("omie", payload)
        #expect(series.slots.count == count)
        #expect(series.slots.allSatisfy { $0.seconds == Double(minutes) * 60 })
        #expect(failure("omie", payload.replacing("[50,", with: "["))?.kind == .malformed)
    }

    @Test func rteLeavesOutDaysWhenClocksChange() throws {
        let day = { (date: String) in
            """
            <donneesMarche date='\(date)'><type v='donneesMarche' perimetre='FR' granularite='Global'>
            <valeur periode='0'>-36.5</valeur><valeur periode='1'>ND</valeur><valeur periode='2'>10</valeur></type></donneesMarche>
            """
        }
        let payload = "<liste>\(day("2026-03-28"))\(day("2026-03-29"))</liste>"
        #expect(try decoded("rte-eco2mix", payload) == ["23:00-00:00 -0.0365", "01:00-02:00 0.01"])
        #expect(failure("rte-eco2mix", "<liste>\(day("2026-03-29"))</liste>")?.kind == .guidanceUnavailable)
        #expect(failure("rte-eco2mix", payload, .init(area: "XX"))?.kind == .unsupportedRegion)
    }
}
