import Foundation
import Guidance
import Testing

@Suite struct RatePlanImportTests {
    private func schedule(_ hours: (Int) -> [Int]) -> String {
        "[" + (1...12).map { "[" + hours($0).map(String.init).joined(separator: ",") + "]" }.joined(separator: ",")
            + "]"
    }

    private func urdb(structure: String, workdays: String, weekends: String, more: String = "") -> Data {
        Data(
            """
            {"items": [{"name": "T", "startdate": 1433116800, \(more)
             "energyratestructure": \(structure), "energyweekdayschedule": \(workdays), "energyweekendschedule": \(weekends)}]}
            """.utf8)
    }

    @Test func urdbTiersCostWhatItsAuthorsReckoned() throws {
        let flat = schedule { _ in Array(repeating: 0, count: 24) }
        let imported = try ImportedRatePlan(
            urdb: urdb(
                structure:
                    #"[[{"max": 1000, "rate": 0.07531, "adj": 0.0119, "unit": "kWh"}, {"rate": 0.09613, "adj": 0.0119}]]"#,
                workdays: flat, weekends: flat, more: #""fixedmonthlycharge": 7.57,"#))
        #expect(imported.plan.periods.count == 1)
        #expect(imported.plan.validate().isEmpty)
        let tiers = imported.plan.periods[0].tiers
        #expect(abs(12_000 * tiers[0].price + 12_000 * tiers[1].price - 2342.88) < 1e-6)
        #expect(tiers[0].upToKWh == 1000)
        #expect(imported.plan.fixedPerMonth == 7.57)
        #expect(imported.leftOut.isEmpty)
    }

    @Test func urdbSchedulesAreHoursOfTheLocalClock() throws {
        let workdays = schedule { month in
            (0..<24).map { (6...9).contains(month) ? ((12..<18).contains($0) ? 2 : 1) : ($0 >= 22 || $0 < 6 ? 0 : 1) }
        }
        let weekends = schedule { _ in Array(repeating: 0, count: 24) }
        let imported = try ImportedRatePlan(
            urdb: urdb(
                structure: #"[[{"rate": 0.1}], [{"rate": 0.2}], [{"rate": 0.4}]]"#, workdays: workdays,
                weekends: weekends,
                more: #""flatdemandstructure": [[{"rate": 12}]],"#))
        #expect(imported.plan.validate().isEmpty)
        #expect(imported.leftOut.count == 1)
        let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
        func price(_ local: String) throws -> Double? {
            let instant = try at(local + "-07:00")
            return imported.plan.expanded(over: instant..<instant.addingTimeInterval(60), in: zone).slots.first?.price
        }
        #expect(try price("2026-07-13T12:00:00") == 0.4)
        #expect(try price("2026-07-13T18:00:00") == 0.2)
        #expect(try price("2026-07-12T12:00:00") == 0.1)
        #expect(try price("2026-05-13T05:59:00") == 0.1)
        #expect(try price("2026-05-13T06:00:00") == 0.2)
        #expect(imported.plan.periodClasses.contains(.onPeak))
    }

    @Test func urdbSaysWhatIsWrong() {
        let flat = schedule { _ in Array(repeating: 0, count: 24) }
        let wrong = schedule { _ in Array(repeating: 3, count: 24) }
        let structure = #"[[{"rate": 0.1}]]"#
        #expect(throws: PayloadError.self) {
            try ImportedRatePlan(urdb: urdb(structure: structure, workdays: wrong, weekends: flat))
        }
        #expect(throws: PayloadError.self) {
            try ImportedRatePlan(urdb: urdb(structure: structure, workdays: "[]", weekends: flat))
        }
        #expect(throws: PayloadError.self) { try ImportedRatePlan(urdb: Data(#"{"items": []}"#.utf8)) }
    }

    @Test(arguments: [
        (#"[[{"rate": null}]]"#, "energyratestructure[0][0].rate: it is missing or null"),
        (#"[[{"adj": 0.1}]]"#, "energyratestructure[0][0].rate: it is missing or null"),
        ("[[]]", "energyratestructure[0]: it holds no price"),
        (
            #"[[{"rate": 0.1, "max": 10}, {"rate": 0.2, "max": 10}, {"rate": 0.3}]]"#,
            "energyratestructure[0][1].max: it is not above"
        ),
        (#"[[{"rate": 0.1, "max": 0}, {"rate": 0.2}]]"#, "energyratestructure[0][0].max: it is not above"),
        (#"[[{"rate": 0.1}, {"rate": 0.2}]]"#, "energyratestructure[0][0].max: it is missing"),
        (
            #"[[{"rate": 0.1, "max": 10, "unit": "kWh/kW"}, {"rate": 0.2, "unit": "kWh/kW"}]]"#,
            "energyratestructure[0][0].unit: a tier by 'kWh/kW'"
        ),
        (#"[[{"rate": 5000}]]"#, "the plan's periods[0].price: 5000.0 is no price"),
    ])
    func urdbPricesThatAPlanCannotSayAreRefusedWithTheirPlace(structure: String, reason: String) {
        let flat = schedule { _ in Array(repeating: 0, count: 24) }
        let error = #expect(throws: PayloadError.self) {
            try ImportedRatePlan(urdb: urdb(structure: structure, workdays: flat, weekends: flat))
        }
        #expect(error?.what.hasPrefix(reason) == true, "\(error?.what ?? "")")
    }

    @Test func aPriceThatNoHourNamesIsNotLookedAt() throws {
        let flat = schedule { _ in Array(repeating: 1, count: 24) }
        let imported = try ImportedRatePlan(
            urdb: urdb(structure: #"[[{"rate": null}], [{"rate": 0.2}]]"#, workdays: flat, weekends: flat))
        #expect(imported.plan.periods.map(\.tiers) == [[RatePlan.Tier(price: 0.2)]])
    }

    @Test func urdbTiersByTheDayAreThoseOfAMonth() throws {
        let flat = schedule { _ in Array(repeating: 0, count: 24) }
        let imported = try ImportedRatePlan(
            urdb: urdb(
                structure: #"[[{"rate": 0.1, "max": 10, "unit": "kWh daily"}, {"rate": 0.2, "unit": "kWh daily"}]]"#,
                workdays: flat, weekends: flat))
        #expect(imported.plan.periods.first?.tiers.map(\.upToKWh) == [304.375, nil])
        #expect(imported.leftOut.count == 1)
        #expect(imported.leftOut.first?.contains("30.4375 days") == true)
    }

    /// As many periods as the form can hold: another price at each hour of each month and sort of day.
    @Test func theMostMixedTariffIsAPlanThatPassesItsCheck() throws {
        let structure = "[" + (0..<24).map { #"[{"rate": 0.\#($0 + 10)}]"# }.joined(separator: ",") + "]"
        let workdays = schedule { month in (0..<24).map { ($0 * 5 + month) % 24 } }
        let weekends = schedule { month in (0..<24).map { ($0 * 7 + month) % 24 } }
        let imported = try ImportedRatePlan(urdb: urdb(structure: structure, workdays: workdays, weekends: weekends))
        #expect(imported.plan.periods.count == 576)
        #expect(imported.plan.validate() == [])
    }

    @Test func periodsOfThePriceOfAnotherAreOne() throws {
        let structure = #"[[{"rate": 0.1}], [{"rate": 0.2}], [{"rate": 0.1}]]"#
        let hours = schedule { _ in (0..<24).map { $0 % 3 } }
        let imported = try ImportedRatePlan(urdb: urdb(structure: structure, workdays: hours, weekends: hours))
        #expect(imported.plan.periods.count == 2)
        #expect(imported.plan.validate() == [])
    }

    @Test func acnSeasonsRunOverTheTurnOfTheYear() throws {
        let block = { (id: String, from: String, to: String, prices: String) in
            #"{"id": "\#(id)", "effective_start": "\#(from)", "effective_end": "\#(to)", "dow_mask": "ALL", "times": [0, 8, 23], "tariffs": \#(prices), "demand_charge": 15}"#
        }
        let summer = block("summer", "06-01", "09-30", "[0.05, 0.25, 0.05]")
        let winter = block("winter", "10-01", "05-31", "[0.06, 0.09, 0.06]")
        let json = #"{"name": "TOU", "effective": "2019-3-1", "schedule": [\#(summer), \#(winter)]}"#
        let imported = try ImportedRatePlan(acnSchedule: Data(json.utf8))
        #expect(imported.plan.validate().isEmpty)
        #expect(imported.validFrom == (try at("2019-03-01T00:00:00Z")))
        #expect(imported.leftOut.count == 1)
        func price(_ text: String) throws -> Double? {
            let instant = try at(text)
            return imported.plan.expanded(over: instant..<instant.addingTimeInterval(60), in: .gmt).slots.first?.price
        }
        #expect(try price("2026-01-01T08:00:00Z") == 0.09)
        #expect(try price("2026-09-30T22:59:00Z") == 0.25)
        #expect(try price("2026-09-30T23:00:00Z") == 0.05)
        let halfMonths = json.replacing("06-01", with: "06-15")
        #expect(throws: PayloadError.self) { try ImportedRatePlan(acnSchedule: Data(halfMonths.utf8)) }
    }

    @Test(
        .enabled(if: sharedGuidance != nil),
        arguments: [
            "openei_urdb_SCE_GS-2-TOU-B", "openei_urdb_FPL_RS-1_tiered", "acnportal_tou_sce_tou_ev_4_march_2019",
        ])
    func recordedTariffsCoverTheYear(file: String) throws {
        let url = try #require(sharedGuidance).appendingPathComponent("recorded/\(file).json")
        let bytes = try Data(contentsOf: url)
        let imported =
            file.hasPrefix("acn") ? try ImportedRatePlan(acnSchedule: bytes) : try ImportedRatePlan(urdb: bytes)
        #expect(imported.plan.validate() == [])
    }
}

@Suite struct SeriesPlausibilityTests {
    private let now = "2026-01-05T12:00:00Z"

    @Test func whatIsUsualIsBelieved() throws {
        #expect(try series([-0.5, 0.3, 4.2, 0.2]).doubt(now: at(now)) == nil)
        #expect(try series(grams, [0, 900]).doubt(now: at(now)) == nil)
        #expect(try series(.price(currency: "SEK"), [3.5, 4]).doubt(now: at(now)) == nil)
        #expect(try series(minutes: 5, Array(repeating: 0.1, count: 288)).doubt(now: at(now)) == nil)
    }

    @Test func hundredthsAndPerMWhAreNot_G8() throws {
        #expect(try series([28, 31, 30]).doubt(now: at(now)) == .priceTooHigh(typical: 30, limit: 3))
        #expect(try series([80, -20, 95]).doubt(now: at(now)) != nil)
    }

    @Test func aSeriesFromLastYearOrTheFarFutureIsNot_G8() throws {
        let old = try series(from: "2025-01-05T00:00:00Z", [0.1])
        #expect(old.doubt(now: try at(now)) == .outdated(end: try at("2025-01-05T01:00:00Z")))
        let milliseconds = try series(from: "2056-01-05T00:00:00Z", [0.1])
        #expect(milliseconds.doubt(now: try at(now)) == .tooFarAhead(start: try at("2056-01-05T00:00:00Z")))
    }

    @Test func threeHundredSlotsADayAreNot_G8() throws {
        let dense = try series(minutes: 1, Array(repeating: 0.1, count: 301))
        #expect(dense.doubt(now: try at(now)) == .tooDense(slotsADay: 301))
    }

    @Test func carbonAndSolarHaveBounds() throws {
        #expect(try series(grams, [-1]).doubt(now: at(now)) == .carbonOutOfRange(-1))
        #expect(try series(grams, [450_000]).doubt(now: at(now)) == .carbonOutOfRange(450_000))
        #expect(try series(.solar, [0, -5]).doubt(now: at(now)) == .solarNegative(-5))
    }
}
