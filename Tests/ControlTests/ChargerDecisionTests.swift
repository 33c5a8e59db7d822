import EnergyKit
import Foundation
import HubKit
import Testing

@testable import Control

@Suite struct ChargerDecisionTests {
    let now: Date
    let lab: ChargerLab

    init() throws {
        now = try utc("2026-11-30T18:00:00Z")
        lab = ChargerLab(at: now)
    }

    private func hours(_ count: Double) -> Date { now.addingTimeInterval(count * 3600) }

    @Test(arguments: [(DeviceMode.off, 0.0), (.now, 16), (.solar, 0)])
    func aModeAloneDecides(mode: DeviceMode, amps: Double) throws {
        var control = ChargerControl(use: .mode(mode))
        #expect(try control.decide(lab.inputs(now, charger(now))).amps == amps)
    }

    @Test(arguments: DeviceMode.allCases) func nothingIsCommandedBeforeTheFirstReading(mode: DeviceMode) throws {
        var use = DeviceUse.goal(10_000, by: hours(8), setAt: now)
        use.mode = mode
        var control = ChargerControl(use: use)
        let decision = try control.decide(lab.inputs(now, nil, guidance: guidance(from: now, prices: [0.1, 0.2])))
        #expect(decision.amps == nil)
        #expect(control.announcement == nil)
    }

    @Test func nothingIsCommandedWhileTheChargerIsAway() throws {
        var control = ChargerControl(use: .mode(.now))
        _ = try control.decide(lab.inputs(now, charger(now)))
        #expect(try control.decide(lab.inputs(hours(1), nil, health: .offline)).amps == nil)
    }

    @Test func theCheapHourIsChosenAndTheDearOneNot() throws {
        var control = ChargerControl(use: .goal(5000, by: hours(4), setAt: now))
        let prices = guidance(from: now, prices: [0.4, 0.4, 0.1, 0.4])
        #expect(try control.decide(lab.inputs(now, charger(now), guidance: prices)).amps == 0)
        let then = hours(2.5)
        let decision = try control.decide(lab.inputs(then, charger(then), guidance: prices))
        #expect(try #require(decision.amps) >= 6)
        #expect(decision.guidance == FollowedGuidance(token: prices.guidanceToken, isFollowing: true))
    }

    @Test func anUnpluggedCarIsOfferedNothingByPlan() throws {
        var control = ChargerControl(use: .goal(5000, by: hours(1), setAt: now))
        let prices = guidance(from: now, prices: [0.1, 0.1])
        let decision = try control.decide(lab.inputs(now, charger(now, plug: .unplugged), guidance: prices))
        #expect(decision.amps == 0)
        #expect(decision.guidance?.isFollowing == false)
        let plugged = try control.decide(lab.inputs(now.addingTimeInterval(10), charger(now), guidance: prices))
        #expect(plugged.amps == 16 || plugged.amps == 8)
    }

    @Test func withoutGuidanceThePromiseIsKeptAtOnceButNotBeforeGuidanceHadTimeToCome() throws {
        var control = ChargerControl(use: .goal(5000, by: hours(8), setAt: now))
        #expect(try control.decide(lab.inputs(now, charger(now))).amps == nil)
        let later = now.addingTimeInterval(61)
        #expect(try control.decide(lab.inputs(later, charger(later))).amps == 16)
    }

    @Test func guidanceThatEndsIsMissedAtOnce() throws {
        var control = ChargerControl(use: .goal(5000, by: hours(8), setAt: now))
        let cheapLater = guidance(from: now, prices: [0.4, 0.1])
        #expect(try control.decide(lab.inputs(now, charger(now), guidance: cheapLater)).amps == 0)
        // The plan in force goes on while its hours last, and after them the promise counts.
        #expect(try control.decide(lab.inputs(hours(0.5), charger(hours(0.5)))).amps == 0)
        #expect(try control.decide(lab.inputs(hours(2.5), charger(hours(2.5)))).amps == 16)
    }

    @Test(arguments: [(0.1, 16.0), (0.35, 16), (0.36, 0), (0.9, 0)])
    func withoutAGoalTheGoodHoursAreUsed(rating: Double, amps: Double) throws {
        var control = ChargerControl(use: .mode(.guided))
        let rated = guidance(from: now, prices: [0.2], ratings: [rating])
        #expect(try control.decide(lab.inputs(now, charger(now), guidance: rated)).amps == amps)
    }

    @Test func withNeitherGoalNorGuidanceItWaits() throws {
        var control = ChargerControl(use: .mode(.guided))
        #expect(try control.decide(lab.inputs(now, charger(now))).amps == nil)
        let later = now.addingTimeInterval(61)
        let decision = try control.decide(lab.inputs(later, charger(later)))
        #expect(decision.amps == 0)
        #expect(decision.reason.contains("set a goal"))
    }

    @Test func hoursUnknownBeforeADeadlineThatNeedsThemAreUsedToo() throws {
        // 40 kWh in four hours need all of them at 11 kW; the first hour's price is not known.
        var control = ChargerControl(use: .goal(40_000, by: hours(4), setAt: now))
        let prices = guidance(from: now, prices: [nil, 0.2, 0.2, 0.2])
        let decision = try control.decide(lab.inputs(now, charger(now), guidance: prices))
        #expect(decision.amps == 16)
        #expect(try #require(control.plan).unmetWattHours > 5000)
    }

    @Test func aSlotWithoutPriceIsUnknownAndNotFree() throws {
        var control = ChargerControl(use: .goal(5000, by: hours(4), setAt: now))
        let prices = guidance(from: now, prices: [nil, 0.4, 0.2, 0.4])
        #expect(try control.decide(lab.inputs(now, charger(now), guidance: prices)).amps == 0)
        #expect(control.plan?.interval(at: hours(2.1)) != nil)
    }

    @Test func guidanceWithoutPricesGoesByCarbonAndFollowsANewForecast() throws {
        var control = ChargerControl(use: .goal(5000, by: hours(4), setAt: now))
        let first = guidance(from: now, prices: [nil, nil, nil, nil], grams: [400, 400, 100, 400])
        _ = try control.decide(lab.inputs(now, charger(now), guidance: first))
        #expect(control.plan?.intervals.allSatisfy { $0.start >= hours(2) && $0.end <= hours(3) } == true)
        #expect(control.plan?.reason.contains("cleanest") == true)
        let second = guidance(from: now, prices: [nil, nil, nil, nil], grams: [400, 50, 300, 400])
        _ = try control.decide(lab.inputs(now, charger(now), guidance: second))
        #expect(control.plan?.intervals.allSatisfy { $0.start >= hours(1) && $0.end <= hours(2) } == true)
    }

    @Test func guidanceWithNothingButRatingsGoesByThem() throws {
        var control = ChargerControl(use: .goal(5000, by: hours(3), setAt: now))
        let rated = guidance(from: now, prices: [nil, nil, nil], ratings: [0.9, 0.1, 0.8])
        _ = try control.decide(lab.inputs(now, charger(now), guidance: rated))
        #expect(control.plan?.intervals.allSatisfy { $0.start >= hours(1) && $0.end <= hours(2) } == true)
    }

    /// Field case C-2: one quarter-hour at 02:00, and the tick lands at 02:01:05.
    @Test func aTickThatLandsLateInItsQuarterHourStartsAllTheSame() throws {
        let start = try utc("2026-12-01T00:00:00Z")
        var prices = [Double?](repeating: 0.5, count: 32)
        prices[8] = 0.05
        let series = guidance(from: start, seconds: 900, prices: prices)
        var control = ChargerControl(use: .goal(2760, by: start.addingTimeInterval(8 * 3600), setAt: start))
        #expect(try control.decide(lab.inputs(start, charger(start), guidance: series)).amps == 0)
        let late = start.addingTimeInterval(2 * 3600 + 65)
        #expect(try control.decide(lab.inputs(late, charger(late), guidance: series)).amps == 16)
        #expect(control.plan?.intervals.last?.end == start.addingTimeInterval(2 * 3600 + 900))
    }

    /// Field case C-3: the same price everywhere; the latest time wins, whatever the last digits of the need are.
    @Test func equalPricesAreDecidedByTheStatedRule() throws {
        let deadline = try utc("2026-12-02T06:45:00Z")
        let need = 11_040.0 * (15 * 60 + 30.46) / 3600
        let flat = guidance(from: now, seconds: 900, prices: [Double?](repeating: 0.291, count: 160))
        var plans: Set<String> = []
        for offset in [0, 1e-7, -1e-7] {
            var control = ChargerControl(use: .goal(need + offset, by: deadline, setAt: now))
            #expect(try control.decide(lab.inputs(now, charger(now), guidance: flat)).amps == 0)
            let plan = try #require(control.plan)
            // All in one piece, up to the margin before the deadline.
            #expect(zip(plan.intervals, plan.intervals.dropFirst()).allSatisfy { $0.end == $1.start })
            let end = try #require(plan.intervals.last?.end)
            #expect(end <= deadline && end > deadline.addingTimeInterval(-180))
            plans.insert(plan.intervals.map { "\($0.start) \($0.end) \(Int(($0.powerWatts ?? 0).rounded()))" }.joined())
        }
        #expect(plans.count == 1)
    }

    @Test(arguments: [120.0, 300, 1000, 2000])
    func anEnergyBelowWhatASlotTakesAtTheLeastCurrentIsStillPlanned(need: Double) throws {
        var control = ChargerControl(use: .goal(need, by: hours(4), setAt: now))
        let prices = guidance(from: now, prices: [0.4, 0.4, 0.1, 0.4])
        _ = try control.decide(lab.inputs(now, charger(now), guidance: prices))
        let plan = try #require(control.plan)
        #expect(plan.unmetWattHours == 0)
        let energy = plan.intervals.reduce(0) { $0 + ($1.powerWatts ?? 0) * $1.end.timeIntervalSince($1.start) / 3600 }
        #expect(abs(energy - need) < 4)
        #expect(plan.intervals.allSatisfy { ($0.powerWatts ?? 0) >= 4140 - 1 })
        #expect(plan.intervals.allSatisfy { $0.start >= hours(2) && $0.end <= hours(3) })
    }

    @Test func whatTheChargerSaysWithNumbersOutOfThisWorldEndsNothing() throws {
        var control = ChargerControl(use: .goal(10_000, by: hours(-1), setAt: now))
        var odd = charger(now, counter: 3e38)
        odd[.phaseCount] = 1e30
        _ = try control.decide(lab.inputs(now, odd))
        let then = now.addingTimeInterval(10)
        #expect(try control.decide(lab.inputs(then, charger(then, watts: 1e30, counter: -3e38))).amps != nil)
    }

    /// Field case C-7.
    @Test func aRunningPlanGoesOnAfterARestartBeforeGuidanceIsThere() throws {
        let prices = guidance(from: now, prices: [0.1, 0.4, 0.4])
        var before = ChargerControl(use: .goal(8000, by: hours(3), setAt: now))
        let amps = try #require(try before.decide(lab.inputs(now, charger(now), guidance: prices)).amps)
        #expect(amps > 0)
        var after = ChargerControl(use: before.use, resuming: before.plan)
        let then = now.addingTimeInterval(60)
        let running = charger(then, watts: 8280, counter: 1100, limit: amps)
        let decision = try after.decide(lab.inputs(then, running))
        #expect(decision.amps == amps)
        #expect(decision.guidance == FollowedGuidance(token: prices.guidanceToken, isFollowing: true))
        #expect(after.announcement == nil)
        let withGuidance = try after.decide(lab.inputs(then, running, guidance: prices))
        #expect(try #require(withGuidance.amps) > 0)
        #expect(after.announcement == nil)
    }

    @Test func aGoalThatWasReachedBeforeARestartIsNotSaidAgain() throws {
        var use = DeviceUse.goal(1000, by: hours(3), setAt: now)
        use.charging?.baselineWattHours = 0
        use.charging?.isReached = true
        var control = ChargerControl(use: use)
        let decision = try control.decide(lab.inputs(now, charger(now, counter: 1000)))
        #expect(decision.amps == 0)
        #expect(control.announcement == nil)
    }

    @Test func aPlanIsMadeOnChangesAndNotOnEveryTick() throws {
        let prices = guidance(from: now, prices: [0.4, 0.4, 0.1, 0.4])
        var control = ChargerControl(use: .goal(5000, by: hours(4), setAt: now))
        _ = try control.decide(lab.inputs(now, charger(now), guidance: prices))
        let first = control.plan
        for tick in 1...300 {
            let then = now.addingTimeInterval(Double(tick) * 10)
            _ = try control.decide(lab.inputs(then, charger(then), guidance: prices))
        }
        #expect(control.plan == first)
    }
}
