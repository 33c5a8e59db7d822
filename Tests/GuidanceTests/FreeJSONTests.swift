import Foundation
import Guidance
import Testing

@Suite struct FreeJSONTests {
    private func decode(
        _ json: String, _ shape: JSONSeriesShape, _ side: SourceSettings.Side = .price, zone: String? = nil
    ) throws -> EnergySeries {
        let options = PayloadOptions(timeZone: zone.flatMap { TimeZone(identifier: $0) })
        return try JSONSeriesDecoder(shape: shape, side: side).series(from: Data(json.utf8), options: options)
    }

    @Test func aHomeAssistantEntityWithTodayAndTomorrow() throws {
        let entity = """
            {"entity_id": "sensor.nordpool", "state": "0.1", "attributes": {
              "raw_today": [{"start": "2026-01-05T00:00:00+01:00", "end": "2026-01-05T01:00:00+01:00", "value": 0.1},
                            {"start": "2026-01-05T01:00:00+01:00", "end": "2026-01-05T02:00:00+01:00", "value": null}],
              "raw_tomorrow": [{"start": "2026-01-06T00:00:00+01:00", "end": "2026-01-06T01:00:00+01:00", "value": -0.2}]}}
            """
        let shape = JSONSeriesShape(
            rows: ["attributes.raw_today", "attributes.raw_tomorrow"], end: "end", unit: "EUR/kWh")
        let series = try decode(entity, shape)
        #expect(series.slots.map(\.value) == [0.1, -0.2])
        #expect(series.start == (try at("2026-01-04T23:00:00Z")))
    }

    @Test(arguments: [
        (#"{"d": [[1767571200, 10], [1767574800, 20]]}"#, ["d"], "[0]", "[1]"),
        (#"{"d": [[1767571200000, 10], ["1767574800000", 20]]}"#, ["d"], "[0]", "[1]"),
        (#"{"t": [1767571200, 1767574800], "v": [10, 20]}"#, [], "t", "v"),
        (#"{"d": {"2026-01-05T00:00:00Z": 10, "2026-01-05T01:00:00Z": 20}}"#, ["d"], "$key", "$value"),
        (
            #"[{"when": {"at": "2026-01-05T00:00Z"}, "p": 10}, {"when": {"at": "2026-01-05T01:00Z"}, "p": 20}]"#, ["$"],
            "when.at", "p"
        ),
    ])
    func formsThatOthersUse(json: String, rows: [String], start: String, value: String) throws {
        let shape = JSONSeriesShape(rows: rows, start: start, value: value, unit: "EUR/MWh")
        let series = try decode(json, shape)
        #expect(text(series.slots) == ["00:00-01:00 0.01", "01:00-02:00 0.02"])
    }

    @Test func numbersInQuotesAreTakenFromHomeAssistantOnly_G8() throws {
        let json = Data(#"{"d":[{"start":"2026-01-05T00:00:00Z","value":"0.25"}]}"#.utf8)
        let shape = JSONSeriesShape(rows: ["d"], unit: "EUR/kWh")
        let entity = JSONSeriesDecoder(name: "home-assistant", shape: shape, side: .price)
        #expect(try entity.series(from: json).slots.map(\.value) == [0.25])
        for name in ["url", "json"] {
            let error = #expect(throws: PayloadError.self) {
                try JSONSeriesDecoder(name: name, shape: shape, side: .price).series(from: json)
            }
            #expect(error?.what == "the value '0.25' is a text, not a number")
        }
    }

    @Test func aStampMayBeTheEnd() throws {
        let shape = JSONSeriesShape(rows: ["f"], start: "period_end", value: "kw", unit: "kW", stamp: .end)
        let json = #"{"f":[{"period_end":"2026-01-05T00:30:00Z","kw":1},{"period_end":"2026-01-05T01:00:00Z","kw":2}]}"#
        #expect(text(try decode(json, shape, .solar).slots) == ["00:00-00:30 1000.0", "00:30-01:00 2000.0"])
    }

    @Test func localTimesNeedTheirZoneAndTheHourThatComesTwiceIsBoth_G10() throws {
        let hours = ["02:00", "02:30", "02:00", "02:30", "03:00"]
        let rows = hours.enumerated().map { #"{"start":"2026-10-25 \#($1)","value":\#($0)}"# }
        let json = #"{"d":[\#(rows.joined(separator: ","))]}"#
        let shape = JSONSeriesShape(rows: ["d"], unit: "EUR/kWh")
        let error = #expect(throws: PayloadError.self) { try decode(json, shape) }
        #expect(error?.kind == .argumentNeeded)
        let series = try decode(json, shape, zone: "Europe/Berlin")
        #expect(series.slots.map(\.value) == [0, 1, 2, 3, 4])
        #expect(series.start == (try at("2026-10-25T00:00:00Z")))
        #expect(series.slots.allSatisfy { $0.seconds == 1800 })
    }

    @Test(arguments: [
        #"{"d":[{"start":"now","value":1}]}"#, #"{"d":[{"value":1}]}"#, #"{"d":[{"start":1,"value":"dear"}]}"#,
        #"{"d":[{"start":1,"value":{}}]}"#, #"{"e":[]}"#, "[]", "no json", #"{"d":[{"start":1,"value":true}]}"#,
    ])
    func whatIsNotThereIsRefused_G8(json: String) {
        #expect(throws: PayloadError.self) { try decode(json, JSONSeriesShape(rows: ["d"], unit: "EUR/kWh")) }
    }

    @Test func theMarketsOwnTextFileIsRead() throws {
        let lines = (1...24).map { "2026;02;03;\($0);\($0).50;\(100 + $0);" }
        let file = Data((["MARGINALPDBC;"] + lines + ["*", ""]).joined(separator: "\r\n").utf8)
        let spain = try OmieDecoder().series(from: file, options: PayloadOptions(area: "ES"))
        #expect(spain.slots.first?.value == 0.101)
        #expect(spain.slots.count == 24)
        #expect(try spain.start == at("2026-02-02T23:00:00Z"))
        #expect(try OmieDecoder().series(from: file, options: PayloadOptions(area: "PT")).slots.first?.value == 0.0015)
        let broken = Data("MARGINALPDBC;\n2026;02;03;1;5;5;\n2026;02;03;3;5;5;\n*".utf8)
        #expect(throws: PayloadError.self) { try OmieDecoder().series(from: broken) }
    }

    @Test func anEndThatNamesTheLastSecondIsWhereTheNextSlotBegins() throws {
        let series = try EnergySeries(
            kind: euros,
            slots: [
                .init(start: try at("2026-01-05T00:00:00Z"), end: try at("2026-01-05T00:59:59Z"), value: 1),
                .init(start: try at("2026-01-05T01:00:00Z"), end: try at("2026-01-05T01:59:59.999Z"), value: 2),
                .init(start: try at("2026-01-05T02:00:00Z"), end: try at("2026-01-05T02:20:00Z"), value: 3),
            ])
        #expect(series.coverage == [try span("2026-01-05T00:00:00Z", "2026-01-05T02:20:00Z")])
    }
}
