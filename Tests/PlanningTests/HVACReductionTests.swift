import Foundation
import Planning
import Testing

@Suite struct HVACReductionTests {
    /// Hourly slots from 18:00 with ratings; 0 °C outside unless told otherwise.
    private func reduction(
        _ ratings: [Double], outdoor: Double? = 0, room: Double? = 21, band: Double = 1.5,
        house: HouseModel = HouseModel(), change: (inout ReductionTask) -> Void = { _ in }
    ) -> ReductionPlan {
        let slots = ratings.enumerated().map { index, rating in
            RatedSlot(
                start: evening + Double(index) * 3600, end: evening + Double(index + 1) * 3600, rating: rating,
                outdoorCelsius: outdoor)
        }
        var task = ReductionTask(
            slots: slots, now: evening, house: house, roomCelsius: room, setpointCelsius: 21, comfortBandKelvin: band)
        change(&task)
        return HVACReduction.plan(task)
    }

    private func spans(_ plan: ReductionPlan, _ kind: ReductionPlan.Kind = .reduce) -> [[Double]] {
        plan.intervals.filter { $0.kind == kind }.map {
            [$0.start.timeIntervalSince(evening) / 3600, $0.end.timeIntervalSince(evening) / 3600]
        }
    }

    @Test func reducesTheWorstHoursFirstAndOnlyTwoInARow() {
        let plan = reduction([0.2, 0.7, 0.95, 0.9, 0.8, 0.3, 0.2, 0.2])
        #expect(spans(plan) == [[2, 4]])
        #expect(plan.facts.limit == .budget)
        #expect(plan.facts.lowestReducedRating == 0.9)
    }

    @Test func leavesHoursAtOrBelowTheThresholdAlone() {
        let plan = reduction([0.6, 0.5, 0.61, 0.2])
        #expect(spans(plan) == [[2, 3]])
        #expect(plan.facts.limit == .ratings)
    }

    @Test func spendsNoMoreThanTheDaysBudgetCountingWhatWasReducedAlready() {
        let plan = reduction([0.9, 0.1, 0.1, 0.8, 0.1, 0.1, 0.7]) {
            $0.recentReductions = [DateInterval(start: evening - 8 * 3600, duration: 2.5 * 3600)]
            $0.budget.inARowSeconds = 3 * 3600
        }
        #expect(plan.facts.reducedSeconds == 5400)
        #expect(spans(plan) == [[0, 1], [3, 3.5]])
    }

    @Test func countsARunningReductionInTheRow() {
        let plan = reduction([0.9, 0.9, 0.9, 0.1]) {
            $0.recentReductions = [DateInterval(start: evening - 3600, duration: 3600)]
        }
        #expect(spans(plan).first == [0, 1])
    }

    @Test func neverLeavesTheComfortBand() {
        // A light house: 10 h time constant, −5 °C outside, so half an hour costs about 1.3 K.
        let light = HouseModel(timeConstantHours: 10, gainKelvinPerKW: 12, fullPowerKW: 4)
        let plan = reduction([0.9, 0.1, 0.1, 0.1, 0.1], outdoor: -5, band: 1.4, house: light)
        #expect(spans(plan) == [[0, 0.5]])
        #expect(plan.facts.limit == .comfort)
        let lowest = -5 + 26 * exp(-0.5 / 10)
        #expect(abs((plan.facts.predictedExtremeCelsius ?? 0) - lowest) < 1e-9)
    }

    @Test func refusesAReductionTheDeviceCannotRecoverFrom() {
        // At full power this device just holds 21 °C: any dip would stay.
        let weak = HouseModel(timeConstantHours: 20, gainKelvinPerKW: 7, fullPowerKW: 3.01)
        let plan = reduction([0.9, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2], house: weak)
        #expect(plan.intervals.isEmpty)
        #expect(plan.facts.limit == .comfort)
    }

    @Test func preheatsToReduceLonger() {
        let light = HouseModel(timeConstantHours: 10, gainKelvinPerKW: 12, fullPowerKW: 4)
        let ratings = [0.1, 0.1, 0.9, 0.1, 0.1, 0.1, 0.1]
        let plain = reduction(ratings, outdoor: -5, band: 1.4, house: light)
        let preheated = reduction(ratings, outdoor: -5, band: 1.4, house: light) { $0.preheatSeconds = 3600 }
        #expect(preheated.facts.reducedSeconds > plain.facts.reducedSeconds)
        #expect(spans(preheated, .boost).count == 1)
        #expect(spans(preheated, .boost).first?.last == 2)
        #expect(spans(preheated).first?.first == 2)
    }

    @Test func worksForCoolingTheOtherWayRound() {
        let cooler = HouseModel(timeConstantHours: 10, gainKelvinPerKW: 10, fullPowerKW: 3, purpose: .cooling)
        let plan = reduction([0.9, 0.1, 0.1, 0.1, 0.1], outdoor: 36, band: 1, house: cooler)
        #expect(spans(plan) == [[0, 0.5]])
        #expect((plan.facts.predictedExtremeCelsius ?? 0) > 21)
        #expect((plan.facts.predictedExtremeCelsius ?? 99) <= 22)
    }

    @Test func doesNotReduceADeviceThatWouldRestAnyway() {
        let plan = reduction([0.9, 0.1], outdoor: 24)
        #expect(plan.intervals.isEmpty)
        #expect(plan.facts.limit == .nothingToReduce)
    }

    @Test("unknown is not zero: without a temperature only short single reductions", arguments: [true, false])
    func isCautiousWithoutATemperature(isRoomUnknown: Bool) {
        let ratings = [0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.1]
        let plan = reduction(ratings, outdoor: isRoomUnknown ? 0 : nil, room: isRoomUnknown ? nil : 21) {
            $0.preheatSeconds = 3600
        }
        #expect(spans(plan) == [[0, 1], [4, 5]])
        #expect(spans(plan, .boost).isEmpty)
        #expect(plan.facts.predictedExtremeCelsius == nil)
        #expect(plan.facts.limit == .unknownTemperature)
    }

    @Test func skipsAReductionTooShortForACommand() {
        let plan = reduction([0.9, 0.1]) { $0.now = evening + 3300 }
        #expect(plan.intervals.isEmpty)
        let running = reduction([0.9, 0.1]) {
            $0.now = evening + 3300
            $0.recentReductions = [DateInterval(start: evening, duration: 3300)]
        }
        #expect(running.facts.reducedSeconds == 300)
    }

    @Test("the rules hold whatever the day looks like", arguments: 0..<60)
    func keepsItsRulesOnRandomDays(seed: Int) {
        var dice = Dice(seed: seed)
        let ratings = (0..<24).map { _ in Double.random(in: 0...1, using: &dice) }
        let outdoor = Double.random(in: -12...15, using: &dice)
        let house = HouseModel(timeConstantHours: Double.random(in: 5...80, using: &dice))
        let room = Bool.random(using: &dice) ? 21.0 : nil
        let plan = reduction(ratings, outdoor: outdoor, room: room, band: 1, house: house) {
            $0.preheatSeconds = Int.random(in: 0...4, using: &dice) * 900
        }
        let reduced = plan.intervals.filter { $0.kind == .reduce }
        #expect(plan.facts.reducedSeconds <= 4 * 3600)
        for interval in reduced {
            #expect(interval.end.timeIntervalSince(interval.start) <= (room == nil ? 3600 : 7200))
            #expect(interval.end.timeIntervalSince(interval.start) >= 600)
        }
        for (one, next) in zip(reduced, reduced.dropFirst()) {
            #expect(next.start.timeIntervalSince(one.end) >= (room == nil ? 3 * 3600 : 1800))
        }
        for (one, next) in zip(plan.intervals, plan.intervals.dropFirst()) { #expect(one.end <= next.start) }
        if let extreme = plan.facts.predictedExtremeCelsius { #expect(extreme >= 20 - 1e-9) }
    }

    /// A cheap night before a dear day, in which nothing is bad enough to reduce in.
    private static let night = [0.5, 0.0, 0.0, 0.0, 0.5, 0.55, 0.55, 0.5, 0.5]

    @Test func storesHeatInWellRatedTimeThoughNothingIsReducedAfterIt() {
        let plan = reduction(Self.night, band: 1) { $0.preheatSeconds = 3600 }
        #expect(spans(plan).isEmpty)
        let boosts = spans(plan, .boost)
        #expect(!boosts.isEmpty)
        for boost in boosts { #expect(boost[0] >= 1 && boost[1] <= 4, "\(boosts)") }
    }

    @Test(
        "stores nothing where that saves nothing, or nobody knows",
        arguments: [
            ([0.5, 0.5, 0.5, 0.5, 0.5, 0.5], 0.0, 1.0, 3600), (night, 0, 1, 0), (night, 25, 1, 3600),
            (night, 0, 0, 3600), (night, nil, 1, 3600),
        ] as [([Double], Double?, Double, Int)])
    func storesNothingForNothing(ratings: [Double], outdoor: Double?, band: Double, preheatSeconds: Int) {
        let plan = reduction(ratings, outdoor: outdoor, band: band) { $0.preheatSeconds = preheatSeconds }
        #expect(spans(plan, .boost).isEmpty)
    }

    @Test func storesNothingInTimeThatNobodyRated() {
        let plan = reduction(Self.night, band: 1) {
            $0.preheatSeconds = 3600
            $0.slots.removeSubrange(1...3)
        }
        #expect(spans(plan, .boost).allSatisfy { $0[1] <= 1 || $0[0] >= 4 })
    }

    @Test func storesColdAsWell() {
        let plan = reduction(Self.night, outdoor: 35, band: 1, house: HouseModel(purpose: .cooling)) {
            $0.preheatSeconds = 3600
        }
        #expect(!spans(plan, .boost).isEmpty)
        #expect(spans(plan, .boost).allSatisfy { $0[0] >= 1 && $0[1] <= 4 })
    }
}
