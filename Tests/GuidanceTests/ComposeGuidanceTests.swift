import Foundation
import Guidance
import Testing

@Suite struct ComposeGuidanceTests {
    private let ramp = (0..<24).map { Double($0) / 100 + 0.1 }

    /// Seven days between 0.100 and 0.123.
    private let usualWeek = (0..<168).map { hour in 0.1 + Double(hour % 24) / 1000 }

    private func inputs(
        price: EnergySeries? = nil, carbon: EnergySeries? = nil, plan: RatePlan? = nil,
        now: String = "2026-01-05T06:20:00Z"
    ) throws -> GuidanceInputs {
        GuidanceInputs(
            price: price.map { GuidanceInputs.Signal($0) }, carbon: carbon.map { GuidanceInputs.Signal($0) },
            ratePlan: plan, timeZone: .gmt, now: try at(now))
    }

    @Test func beginsWithTheCurrentSlotAndEndsWithWhatIsKnown() throws {
        let draft = composeGuidance(try inputs(price: series(ramp)))
        #expect(draft.values.count == 18)
        #expect(draft.interval == (try span("2026-01-05T06:00:00Z", "2026-01-06T00:00:00Z")))
        #expect(draft.value(at: try at("2026-01-05T06:20:00Z"))?.pricePerKWh == 0.16)
        #expect(draft.values.first?.rating == 0)
        #expect(draft.values.last?.rating == 1)
        #expect(draft.currency == "EUR")
    }

    @Test func laterSlotsAreServedWhenTheCurrentOneIsMissing_G3() throws {
        let price = try series(from: "2026-01-05T16:00:00Z", ramp)
        let draft = composeGuidance(try inputs(price: price, now: "2026-01-05T15:28:00Z"))
        #expect(draft.value(at: try at("2026-01-05T15:28:00Z")) == nil)
        #expect(draft.values.first?.start == (try at("2026-01-05T16:00:00Z")))
        #expect(draft.values.count == 24)
    }

    @Test func aGapInsideStaysAGap_G14() throws {
        let draft = composeGuidance(try inputs(price: series([1, 2, nil, 4, 5, 6, 7, 8]), now: "2026-01-05T00:00:00Z"))
        #expect(draft.values.count == 7)
        #expect(draft.value(at: try at("2026-01-05T02:30:00Z")) == nil)
    }

    @Test func reachesFortyEightHoursAtMost() throws {
        let long = try series((0..<100).map { Double($0 % 24) })
        let draft = composeGuidance(try inputs(price: long))
        #expect(draft.interval == (try span("2026-01-05T06:00:00Z", "2026-01-07T06:00:00Z")))
        let flat = composeGuidance(try inputs(plan: RatePlan(flat: 0.3)))
        #expect(flat.interval == (try span("2026-01-05T06:00:00Z", "2026-01-07T06:00:00Z")))
    }

    @Test func withNothingKnownThereIsNothing() throws {
        #expect(composeGuidance(try inputs()).values.isEmpty)
        #expect(composeGuidance(try inputs(price: series(from: "2025-01-05T00:00:00Z", ramp))).values.isEmpty)
    }

    @Test func aFlatPlanIsOneNeutralValueWithoutAClass_G9() throws {
        let draft = composeGuidance(try inputs(plan: RatePlan(flat: 0.3)))
        #expect(draft.values.count == 1)
        #expect(draft.values.first?.rating == 0.5)
        #expect(draft.values.first?.tariffClass == nil)
        #expect(draft.options == [.locationHasRatePlan])
    }

    @Test func theOptionsTellTheTruth() throws {
        let carbon = try series(grams, (0..<24).map { Double($0) * 20 })
        #expect(composeGuidance(try inputs(carbon: carbon)).options == [])
        #expect(
            composeGuidance(try inputs(price: series(ramp), carbon: carbon)).options == [
                .locationHasRatePlan, .guidanceIncorporatesRatePlan,
            ])
        var unweighted = try inputs(price: series(ramp), carbon: carbon)
        unweighted.weights = RatingWeights(price: 0, carbon: 1)
        #expect(composeGuidance(unweighted).options == [.locationHasRatePlan])
        var waiting = try inputs(carbon: carbon)
        waiting.hasPriceSource = true
        #expect(composeGuidance(waiting).options == [.locationHasRatePlan])
    }

    @Test func aPlansClassesAndPricesAreCarried() throws {
        let peak = RatePlan.Period(price: 0.5, tariffClass: .onPeak, hours: [try #require(ClockRange("17-20"))])
        let draft = composeGuidance(try inputs(plan: RatePlan(currency: "USD", flat: 0.2, periods: [peak])))
        let evening = try #require(draft.value(at: try at("2026-01-05T18:00:00Z")))
        #expect(evening.tariffClass == .onPeak)
        #expect(evening.pricePerKWh == 0.5)
        #expect(evening.rating == 1)
        #expect(draft.value(at: try at("2026-01-05T12:00:00Z"))?.tariffClass == .offPeak)
        #expect(draft.currency == "USD")
        #expect(draft.sources.map(\.name) == ["rate-plan"])
        #expect(draft.sources.map(\.ageSeconds) == [nil])
    }

    @Test func aDynamicPriceTakesThePlansTaxesAndTheDaysClasses() throws {
        let plan = RatePlan(composition: PriceComposition(addPerKWh: 0.1, factor: 2))
        var given = try inputs(price: series(ramp), plan: plan)
        given.price?.fetchedAt = try at("2026-01-05T05:20:00Z")
        let draft = composeGuidance(given)
        #expect(abs((draft.values.first?.pricePerKWh ?? 0) - 0.52) < 1e-12)
        // Six of 24 hours were cheaper: the whole day counts, not only what is left of it.
        #expect(draft.values.first?.tariffClass == .offPeak)
        #expect(draft.values.last?.tariffClass == .criticalPeak)
        #expect(draft.sources.map(\.name) == ["test"])
        #expect(draft.sources.map(\.ageSeconds) == [3600])
    }

    @Test func aNetworkTariffComesOnTopOfTheSpotPrice() throws {
        let evening = RatePlan.Period(price: 0.3, hours: [try #require(ClockRange("17-20"))])
        let plan = RatePlan(flat: 0.1, periods: [evening], addsToSpot: true, composition: PriceComposition(factor: 2))
        let draft = composeGuidance(try inputs(price: series(Array(repeating: 0.05, count: 24)), plan: plan))
        #expect(abs((draft.value(at: try at("2026-01-05T12:00:00Z"))?.pricePerKWh ?? 0) - 0.3) < 1e-12)
        #expect(abs((draft.value(at: try at("2026-01-05T18:00:00Z"))?.pricePerKWh ?? 0) - 0.7) < 1e-12)
        #expect(composeGuidance(try inputs(plan: plan)).values.isEmpty)
    }

    @Test func reduceJudgesAgainstTheWeekBefore() throws {
        let week = try series(usualWeek + ramp.map { $0 + 0.4 })
        var given = try inputs(price: week, now: "2026-01-12T00:00:00Z")
        let shift = composeGuidance(given)
        given.action = .reduce
        let reduce = composeGuidance(given)
        #expect(try #require(shift.values.first?.rating) == 0)
        #expect(reduce.values.allSatisfy { $0.rating > 0.7 })
        #expect(reduce.values.last?.rating == 1)
    }

    @Test func aShortHorizonIsJudgedAgainstTheWeekBefore() throws {
        let week = try series(usualWeek + [0.5, 0.5, 0.5])
        #expect(
            composeGuidance(try inputs(price: week, now: "2026-01-12T00:00:00Z")).values.allSatisfy { $0.rating == 1 })
    }

    @Test func cleanlinessIsOfCarbonAlone() throws {
        let carbon = try series(grams, (0..<24).map { Double($0) * 20 })
        let dirtyButCheap = try series((0..<24).map { Double(24 - $0) / 100 })
        let draft = composeGuidance(try inputs(price: dirtyButCheap, carbon: carbon, now: "2026-01-05T00:00:00Z"))
        #expect(draft.values.first?.cleanliness == .cleaner)
        #expect(draft.values.last?.cleanliness == .avoid)
        #expect(draft.values.last?.carbonRating == 1)
        let priceOnly = composeGuidance(try inputs(price: dirtyButCheap))
        #expect(priceOnly.values.allSatisfy { $0.cleanliness == nil && $0.carbonRating == nil })
    }

    @Test func survivesBeingStored() throws {
        let carbon = try series(grams, (0..<24).map { Double($0) * 20 })
        let draft = composeGuidance(try inputs(price: series(ramp), carbon: carbon))
        #expect(try JSONDecoder().decode(GuidanceDraft.self, from: JSONEncoder().encode(draft)) == draft)
    }
}

@Suite struct NoticeableDifferenceTests {
    private func draft(
        _ values: [Double?], now: String = "2026-01-05T00:10:00Z", change: (inout GuidanceInputs) -> Void = { _ in }
    ) throws -> GuidanceDraft {
        var inputs = GuidanceInputs(price: .init(try series(values)), timeZone: .gmt, now: try at(now))
        change(&inputs)
        return composeGuidance(inputs)
    }

    private let day: [Double?] = (0..<24).map { Double($0) / 100 }

    @Test func theSameIsNoNews() throws {
        #expect(try !draft(day, now: "2026-01-05T00:50:00Z").isNoticeablyDifferent(from: draft(day)))
        var nudged = day
        nudged[12] = 0.121
        #expect(try !draft(nudged).isNoticeablyDifferent(from: draft(day)))
    }

    @Test func aFutureRatingThatMovesIsNews() throws {
        var moved = day
        moved[12] = 0.15
        #expect(try draft(moved).isNoticeablyDifferent(from: draft(day)))
    }

    @Test(arguments: [(0.004, false), (0.02, true), (-0.02, true)])
    func pricesThatAllMoveAlikeMoveNoRatingAndAreNews(shift: Double, isNews: Bool) throws {
        let shifted = try draft(day.map { $0.map { $0 + shift } })
        let before = try draft(day)
        #expect(zip(shifted.values, before.values).allSatisfy { abs($0.rating - $1.rating) < 0.05 })
        #expect(shifted.isNoticeablyDifferent(from: before) == isNews)
    }

    @Test func aPastRatingThatMovesIsNoNews() throws {
        // Quarter-hours that differ only before now.
        let quarters = try series(minutes: 15, (0..<96).map { Double($0) / 400 })
        let revised = try series(minutes: 15, (0..<96).map { $0 == 0 ? 0.2 : Double($0) / 400 })
        let old = try draft([], now: "2026-01-05T00:20:00Z") { $0.price = .init(quarters) }
        let new = try draft([], now: "2026-01-05T00:20:00Z") { $0.price = .init(revised) }
        #expect(!new.isNoticeablyDifferent(from: old))
    }

    @Test func aLongerHorizonIsNews() throws {
        #expect(try draft(day + [0.2]).isNoticeablyDifferent(from: draft(day)))
    }

    @Test func theTurnOfTheHourIsNews() throws {
        #expect(try draft(day, now: "2026-01-05T01:00:00Z").isNoticeablyDifferent(from: draft(day)))
    }

    @Test func aChangedOptionIsNews() throws {
        let unweighted = try draft(day) { $0.weights = RatingWeights(price: 0, carbon: 1) }
        #expect(
            unweighted.isNoticeablyDifferent(from: try draft(day) { $0.weights = RatingWeights(price: 1, carbon: 0) }))
    }

    @Test func timeThatLosesItsRatingIsNews() throws {
        var holed = day
        holed[12] = nil
        #expect(try draft(holed).isNoticeablyDifferent(from: draft(day)))
    }

    @Test func thatAnythingIsKnownAtAllIsNews() throws {
        #expect(try draft(day).isNoticeablyDifferent(from: draft([])))
        #expect(try !draft([]).isNoticeablyDifferent(from: draft([])))
    }
}
