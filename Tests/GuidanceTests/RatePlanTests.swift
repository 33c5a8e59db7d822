import Foundation
import Guidance
import Testing

@Suite struct RatePlanTests {
    private func zone(_ name: String) throws -> TimeZone { try #require(TimeZone(identifier: name)) }

    private func evening(_ hours: String = "18:00-20:00") throws -> RatePlan {
        RatePlan(
            flat: 0.25, periods: [.init(price: 0.45, tariffClass: .onPeak, hours: [try #require(ClockRange(hours))])])
    }

    private func peaks(_ plan: RatePlan, _ range: Range<Date>, in zone: TimeZone) -> [String] {
        plan.expanded(over: range, in: zone).slots.filter { $0.period != nil }.map {
            "\(InstantText.text($0.range.lowerBound)) \(InstantText.text($0.range.upperBound))"
        }
    }

    @Test(arguments: [
        ("Australia/Melbourne", "2026-04-05", "2026-04-05T08:00:00Z", "2026-04-05T10:00:00Z", 100),
        ("Europe/Berlin", "2026-03-29", "2026-03-29T16:00:00Z", "2026-03-29T18:00:00Z", 92),
        ("Europe/Berlin", "2026-10-25", "2026-10-25T17:00:00Z", "2026-10-25T19:00:00Z", 100),
        ("Europe/Berlin", "2026-06-01", "2026-06-01T16:00:00Z", "2026-06-01T18:00:00Z", 96),
        ("America/Los_Angeles", "2026-03-08", "2026-03-09T01:00:00Z", "2026-03-09T03:00:00Z", 92),
        ("Australia/Lord_Howe", "2026-04-05", "2026-04-05T07:30:00Z", "2026-04-05T09:30:00Z", 98),
    ])
    func anEveningZoneHoldsOnDaysWhenClocksChange_G1(
        name: String, day: String, start: String, end: String, quarters: Int
    ) throws {
        let zone = try zone(name)
        let range = LocalClock(zone: zone).dayRange(
            containing: try at("\(day)T12:00:00Z").addingTimeInterval(-Double(zone.secondsFromGMT())))
        let plan = try evening()
        #expect(peaks(plan, range, in: zone) == ["\(start) \(end)"])
        #expect(
            plan.expanded(over: range, in: zone).series(currency: "EUR").resampled(toMinutes: 15).slots.count
                == quarters)
    }

    @Test func theVenuesZoneDecidesNotTheProcesss_G2() throws {
        let day = try span("2026-07-01T12:00:00Z", "2026-07-02T12:00:00Z")
        #expect(
            peaks(try evening("00:00-05:00"), day, in: try zone("Europe/Berlin")) == [
                "2026-07-01T22:00:00Z 2026-07-02T03:00:00Z"
            ])
        #expect(peaks(try evening("00:00-05:00"), day, in: .gmt) == ["2026-07-02T00:00:00Z 2026-07-02T05:00:00Z"])
    }

    @Test func theHourThatComesTwiceIsPricedTwiceAndTheSkippedOneNotAtAll_G1() throws {
        let berlin = try zone("Europe/Berlin")
        let plan = try evening("02:00-03:00")
        #expect(
            peaks(plan, try span("2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z"), in: berlin)
                == ["2026-10-25T00:00:00Z 2026-10-25T02:00:00Z"])
        #expect(peaks(plan, try span("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"), in: berlin).isEmpty)
        #expect(
            peaks(try evening("02:30-05:00"), try span("2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"), in: berlin)
                == ["2026-03-29T01:00:00Z 2026-03-29T03:00:00Z"])
    }

    @Test(arguments: [
        "Europe/Berlin", "Australia/Melbourne", "America/St_Johns", "Asia/Kathmandu", "America/Santiago",
        "Africa/Cairo",
    ])
    func aYearIsCoveredWithoutGapOrOverlap(name: String) throws {
        let zone = try zone(name)
        let year = try span("2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")
        let expansion = try evening("22:00-06:30").expanded(over: year, in: zone)
        #expect(expansion.series(currency: "EUR").coverage == [year])
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        for slot in expansion.slots {
            let middle = slot.range.lowerBound.addingTimeInterval(60)
            let clock = calendar.dateComponents([.hour, .minute], from: middle)
            let minute = try #require(clock.hour) * 60 + #require(clock.minute)
            #expect((slot.period != nil) == (minute < 390 || minute >= 1320))
        }
    }

    @Test func seasonsWeekdaysAndHolidaysChoose() throws {
        let plan = RatePlan(
            flat: 0.2,
            periods: [
                .init(name: "summer workday", price: 0.5, months: [6, 7, 8, 9], weekdays: [1, 2, 3, 4, 5]),
                .init(name: "sunday", price: 0.1, weekdays: [7]),
            ], holidays: ["07-14", "2026-12-25"])
        func price(_ day: String) throws -> Double? {
            let noon = try at("\(day)T12:00:00Z")
            return plan.expanded(over: noon..<noon.addingTimeInterval(60), in: .gmt).slots.first?.price
        }
        #expect(try price("2026-07-13") == 0.5)
        #expect(try price("2026-07-14") == 0.1)
        #expect(try price("2026-07-18") == 0.2)
        #expect(try price("2026-07-19") == 0.1)
        #expect(try price("2026-12-25") == 0.1)
        #expect(try price("2026-12-24") == 0.2)
    }

    @Test func taxesAndFeesTurnTheBarePriceIntoWhatIsPaid() throws {
        let composition = PriceComposition(addPerKWh: 0.10, factor: 1.2)
        #expect(abs(composition.price(spot: 0.05) - 0.18) < 1e-12)
        #expect(abs(composition.price(spot: -0.20) + 0.12) < 1e-12)
        #expect(
            abs(PriceComposition(addPerKWh: 0.10, factor: 1.2, appliesFactorBelowZero: false).price(spot: -0.20) + 0.10)
                < 1e-12)
        var plan = try evening()
        plan.composition = composition
        let day = try span("2026-01-05T00:00:00Z", "2026-01-06T00:00:00Z")
        let prices = plan.expanded(over: day, in: .gmt).slots.map(\.price)
        #expect(zip(prices, [0.42, 0.66, 0.42]).allSatisfy { abs($0 - $1) < 1e-12 })
    }

    @Test func tiersFollowTheMonthsUse() throws {
        let plan = RatePlan(periods: [.init(tiers: [.init(upToKWh: 1000, price: 0.08721), .init(price: 0.10803)])])
        let day = try span("2026-01-05T00:00:00Z", "2026-01-06T00:00:00Z")
        func price(_ used: Double?) -> Double? {
            plan.expanded(over: day, in: .gmt, monthToDateKWh: used).slots.first?.price
        }
        #expect(price(0) == 0.08721)
        #expect(price(999) == 0.08721)
        #expect(price(1000) == 0.10803)
        #expect(price(nil) == 0.10803)
    }

    @Test func classesComeFromThePlanElseFromTheRankOfThePrice() throws {
        func classes(_ prices: [Double]) -> [TariffClass?] {
            RatePlan(periods: prices.map { .init(price: $0) }).periodClasses
        }
        #expect(classes([0.3]) == [nil])
        #expect(classes([0.3, 0.2]) == [.onPeak, .offPeak])
        #expect(classes([0.1, 0.2, 0.3]) == [.offPeak, .partialPeak, .onPeak])
        #expect(classes([0.4, 0.1, 0.2, 0.3]) == [.onPeak, .superOffPeak, .offPeak, .partialPeak])
        let event = RatePlan(flat: 0.2, periods: [.init(price: 1.5, tariffClass: .criticalPeak)])
        #expect(event.periodClasses == [.criticalPeak])
        let day = try span("2026-01-05T00:00:00Z", "2026-01-06T00:00:00Z")
        let expansion = try evening().expanded(over: day, in: .gmt)
        #expect(expansion.tariffClass(at: try at("2026-01-05T18:00:00Z")) == .onPeak)
        #expect(expansion.tariffClass(at: try at("2026-01-05T20:00:00Z")) == .offPeak)
        #expect(expansion.tariffClass(at: try at("2026-01-06T00:00:00Z")) == nil)
    }
}

@Suite struct RatePlanConfigurationTests {
    private func read(_ json: String) throws -> RatePlan {
        try JSONDecoder().decode(RatePlan.self, from: Data(json.utf8))
    }

    private let full = """
        {"currency": "USD", "add_per_kwh": 0.02, "vat_percent": 19, "vat_below_zero": false, "feed_in": 0.08, "fixed_per_month": 7.5,
         "holidays": ["07-04"], "flat": 0.2, "adds_to_spot": true,
         "periods": [
           {"name": "peak", "price": 0.5, "class": "on_peak", "months": "nov-feb", "weekdays": ["mon-wed", "fri"],
            "hours": ["07:00-09:00", "18-20"]},
           {"tiers": [{"up_to_kwh": 300, "price": 0.1}, {"price": 0.2}], "class": "superOffPeak", "months": [6, 7], "hours": "22:00-06:00"}]}
        """

    @Test func theSimplestPlanIsOneNumber() throws { #expect(try read(#"{"flat": 0.30}"#) == RatePlan(flat: 0.30)) }

    @Test func readsWhatPeopleWrite() throws {
        let plan = try read(full)
        #expect(plan.periods[0].months == [11, 12, 1, 2])
        #expect(plan.periods[0].weekdays == [1, 2, 3, 5])
        #expect(plan.periods[0].hours?.map(\.text) == ["07:00-09:00", "18:00-20:00"])
        #expect(plan.periods[0].tariffClass == .onPeak)
        #expect(plan.periods[1].months == [6, 7])
        #expect(plan.periods[1].hours?.first?.pieces == [0..<360, 1320..<1440])
        #expect(plan.composition == PriceComposition(addPerKWh: 0.02, factor: 1.19, appliesFactorBelowZero: false))
        #expect(plan.validate().isEmpty)
    }

    @Test func writesWhatItReads() throws {
        let plan = try read(full)
        #expect(try JSONDecoder().decode(RatePlan.self, from: JSONEncoder().encode(plan)) == plan)
    }

    @Test(arguments: [
        (#"{"periods": [{"price": 1, "hours": "25:00-26:00"}]}"#, "'25:00-26:00' is no time of day"),
        (#"{"periods": [{"price": 1, "hours": "7"}]}"#, "'7' is no time of day"),
        (#"{"periods": [{"price": 1, "months": "13"}]}"#, "'13' is not understood"),
        (#"{"periods": [{"price": 1, "weekdays": "mo"}]}"#, "'mo' is not understood"),
        (#"{"periods": [{"price": 1, "class": "cheap"}]}"#, "'cheap' is none of superOffPeak"),
        (#"{"periods": [{"hours": "7-9"}]}"#, "$.periods[0].price is missing"),
    ])
    func saysWhatItDoesNotUnderstand(json: String, said: String) {
        let error = #expect(throws: DecodingError.self) { try read(json) }
        #expect(error.map { jsonReason($0) }?.contains(said) == true)
    }

    @Test(arguments: [
        (RatePlan(flat: .nan), "rate_plan.flat: "), (RatePlan(composition: .init(factor: 0)), "rate_plan.factor: "),
        (RatePlan(currency: "Euro"), "rate_plan.currency: 'Euro'"),
        (RatePlan(holidays: ["02-30"]), "rate_plan.holidays[0]: '02-30'"),
        (RatePlan(periods: [.init(tiers: [])]), "rate_plan.periods[0]: no price"),
        (
            RatePlan(periods: [.init(tiers: [.init(upToKWh: 5, price: 1), .init(upToKWh: 4, price: 1)])]),
            "rate_plan.periods[0].tiers[1].up_to_kwh: not above"
        ),
        (RatePlan(periods: [.init(price: 1, months: [])]), "rate_plan.periods[0].months: empty"),
        (RatePlan(periods: [.init(price: 1, weekdays: [8])]), "rate_plan.periods[0].weekdays: outside 1…7"),
        (
            RatePlan(periods: [.init(price: 1, weekdays: [1, 2, 3, 4, 5])]),
            "rate_plan.periods: no period holds on Saturdays in January, 00:00-24:00"
        ),
    ])
    func namesEveryFaultWithItsPath(plan: RatePlan, said: String) {
        #expect(plan.validate().contains { $0.hasPrefix(said) })
    }

    @Test func collectsAllFaultsAtOnce() {
        let plan = RatePlan(currency: "?", flat: .infinity, periods: [.init(price: .nan, months: [0])])
        #expect(plan.validate(path: "venues[0].rate_plan").count == 4)
    }
}
