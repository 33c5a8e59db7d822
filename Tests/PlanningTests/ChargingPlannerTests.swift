import Foundation
import Planning
import Testing

@Suite struct ChargingPlannerTests {
    @Test func fillsTheCheapestSlotsAndTheMarginalOneInPart() throws {
        let priced = slots([0.40, 0.10, 0.30, 0.20])
        let plan = try ChargingPlanner.plan(task(priced, need: 27, ranges: [PowerRange(0, 11)]))
        #expect(powers(plan, priced) == [0, 11, 5, 11])
        #expect(abs(plan.cost - (11 * 0.10 + 11 * 0.20 + 5 * 0.30)) < 1e-9)
        #expect(plan.bound == plan.cost)
        #expect(plan.facts.lowestPriceAvoided == 0.40)
        #expect(plan.facts.highestPricePaid == 0.30)
    }

    @Test func keepsTheLeastPowerWhereTheRestWouldFallBelowIt() throws {
        // 12 kWh: an hour at 11 leaves 1 kWh, which no hour can carry alone at 4 kW.
        let priced = slots([0.10, 0.20, 0.30])
        let plan = try ChargingPlanner.plan(task(priced, need: 12, ranges: [PowerRange(4, 11)]))
        #expect(powers(plan, priced) == [8, 4, 0])
    }

    @Test func picksWholeSlotsForALoadThatIsOnlyOnOrOff() throws {
        let priced = slots([0.30, 0.10, 0.20, 0.15], minutes: 15)
        let plan = try ChargingPlanner.plan(task(priced, need: 1.15, ranges: [PowerRange(2.3, 2.3)]))
        #expect(powers(plan, priced) == [0, 2.3, 0, 2.3])
    }

    @Test func neverDrawsAPowerBetweenTwoRanges() throws {
        let ranges = [PowerRange(1.38, 3.68), PowerRange(4.14, 11.04)]
        let priced = slots([0.10, 0.90])
        let plan = try ChargingPlanner.plan(task(priced, need: 4, ranges: ranges))
        for power in powers(plan, priced) where power > 0 {
            #expect(ranges.contains { $0.lowKW <= power && power <= $0.highKW })
        }
        #expect(abs(plan.energyKWh - 4) < 1e-6)
    }

    @Test func takesMoreThanNeededOnlyWherePaidFor() throws {
        let priced = slots([0.20, -0.05, -0.10, 0.10])
        let plan = try ChargingPlanner.plan(task(priced, need: 5, most: 60, ranges: [PowerRange(4, 11)]))
        #expect(powers(plan, priced) == [0, 11, 11, 0])
        #expect(abs(plan.cost + 11 * 0.15) < 1e-9)
    }

    @Test func usesSolarSurplusBeforeTheGridAtItsOwnPrice() throws {
        let priced = slots([0.30, 0.30, 0.25]) { index, slot in
            if index == 1 {
                slot.surplusKW = 3
                slot.surplusPriceMicro = PlanUnits.micro(0.08)
            }
        }
        let plan = try ChargingPlanner.plan(task(priced, need: 6, ranges: [PowerRange(0, 11)]))
        #expect(powers(plan, priced) == [0, 3, 3])
        #expect(abs(plan.cost - (3 * 0.08 + 3 * 0.25)) < 1e-9)
        #expect(plan.facts.surplusEnergyKWh == 3)
    }

    @Test func respectsTheLimitOfASlot() throws {
        let priced = slots([0.10, 0.20, 0.30]) { index, slot in
            if index == 0 { slot.maxPowerKW = 3 }
            if index == 1 { slot.maxPowerKW = 5 }
        }
        let plan = try ChargingPlanner.plan(task(priced, need: 10, ranges: [PowerRange(4, 11)]))
        #expect(powers(plan, priced) == [0, 5, 5])
    }

    @Test func chargesAllItCanWhereTheDeadlineIsImpossibleAndNamesWhatIsMissing() throws {
        let plan = try ChargingPlanner.plan(task(slots([0.1, 0.5]), need: 30, efficiency: 0.9))
        #expect(abs(plan.energyKWh - 19.8) < 1e-6)
        #expect(abs(plan.unmetEnergyKWh - 10.2) < 1e-6)
        #expect(plan.facts.usesEverySlot)
    }

    @Test func leavesAsLittleUnmetAsWholeSlotsAllowAndThenTheCheapest() throws {
        let priced = slots([0.30, 0.10, 0.20])
        let plan = try ChargingPlanner.plan(task(priced, need: 5, ranges: [PowerRange(2, 2)]))
        #expect(powers(plan, priced) == [0, 2, 2])
        #expect(abs(plan.unmetEnergyKWh - 1) < 1e-9)
    }

    @Test func plansNothingBeforeNowNorAfterTheDeadline() throws {
        var charging = task(slots([0.01, 0.50, 0.40, 0.01]), need: 8, ranges: [PowerRange(0, 8)])
        charging.now = evening + 5400
        charging.deadline = evening + 3 * 3600
        let plan = try ChargingPlanner.plan(charging)
        #expect(plan.intervals == [PlannedInterval(start: evening + 7200, end: evening + 10_800, powerKW: 8)])
        charging.windowStart = evening + 9000
        let late = try ChargingPlanner.plan(charging)
        #expect(late.intervals.first?.start == evening + 9000)
        #expect(abs(late.unmetEnergyKWh - 4) < 1e-9)
    }

    @Test("G-14: a gap in the prices is never planned in") func leavesGapsAlone() throws {
        var priced = slots([0.30, 0.01, 0.20])
        priced.remove(at: 1)
        let plan = try ChargingPlanner.plan(task(priced, need: 15, ranges: [PowerRange(0, 11)]))
        #expect(powers(plan, priced) == [4, 11])
        #expect(plan.powerKW(at: evening + 5400) == 0)
    }

    @Test("C-3: flat prices are decided by the stated tie-break", arguments: [PowerRange(0, 11), PowerRange(4.14, 11)])
    func decidesFlatPricesByTheTieBreak(range: PowerRange) throws {
        // 15 min 30.46 s at 11 kW, by 06:45 two days on.
        let need = 11.0 * 930.46 / 3600
        let priced = slots(Array(repeating: 0.291, count: 147), minutes: 15)
        let late = try ChargingPlanner.plan(task(priced, need: need, ranges: [range]))
        #expect(late.intervals.first?.start == evening + 145 * 900)
        #expect(late.intervals.last?.end == evening + 147 * 900)
        #expect(late.facts.isFlat)
        let early = try ChargingPlanner.plan(task(priced, need: need, ranges: [range], tieBreak: .earliest))
        #expect(early.intervals.first?.start == evening)
        #expect(early.intervals.last?.end == evening + 1800)
    }

    @Test func choosesTheCleanerOfTwoEquallyCheapSlots() throws {
        let priced = slots([0.2, 0.2, 0.2]) { index, slot in slot.secondary = [300, 90, 400][index] }
        let plan = try ChargingPlanner.plan(task(priced, need: 11))
        #expect(powers(plan, priced) == [0, 11, 0])
    }

    @Test func listsEveryFaultOfATask() throws {
        var wrong = task(slots([0.1, 0.2]), need: 5, most: 4, ranges: [PowerRange(4, 11), PowerRange(8, 12)])
        wrong.efficiency = .nan
        wrong.slots[1].start = wrong.slots[0].start
        #expect(Set(wrong.check().map(\.path)) == ["slots[1]", "maxEnergyKWh", "efficiency", "ranges[1]"])
        #expect(throws: PlanningError.self) { try ChargingPlanner.plan(wrong) }
    }
}

@Suite struct ChargingStabilityTests {
    private let prices = [0.30, 0.20, 0.205, 0.40]
    private let running = [PlannedInterval(start: evening + 7200, end: evening + 10_800, powerKW: 11)]

    @Test func keepsTheRunningPlanWithinTheThreshold() throws {
        let priced = slots(prices)
        let plan = try ChargingPlanner.plan(task(priced, need: 11, running: running, threshold: 0.10))
        #expect(powers(plan, priced) == [0, 0, 11, 0])
        #expect(plan.keepsRunningPlan)
        #expect(plan.bound < plan.cost)
    }

    @Test func leavesItWhereTheNewPlanSavesMore() throws {
        let priced = slots(prices)
        let plan = try ChargingPlanner.plan(task(priced, need: 11, running: running, threshold: 0.05))
        #expect(powers(plan, priced) == [0, 11, 0, 0])
        #expect(!plan.keepsRunningPlan)
    }

    @Test func adaptsItToAMeasuredDeviation() throws {
        let priced = slots(prices)
        let plan = try ChargingPlanner.plan(task(priced, need: 12, running: running, threshold: 0.10))
        #expect(powers(plan, priced) == [0, 1, 11, 0])
    }

    @Test func prefersItAmongEqualPricesEvenWithoutAThreshold() throws {
        let priced = slots([0.2, 0.2, 0.2, 0.2])
        let plan = try ChargingPlanner.plan(task(priced, need: 11, running: running))
        #expect(powers(plan, priced) == [0, 0, 11, 0])
    }

    @Test func givesTheSamePlanForTheSamePlanAgain() throws {
        var dice = Dice(seed: 5)
        let priced = slots((0..<96).map { _ in Double(Int.random(in: 5...9, using: &dice)) / 20 }, minutes: 15)
        let first = try ChargingPlanner.plan(task(priced, need: 23.7, ranges: [PowerRange(4.14, 11.04)]))
        let again = try ChargingPlanner.plan(
            task(priced, need: 23.7, ranges: [PowerRange(4.14, 11.04)], running: first.intervals, threshold: 0.01))
        #expect(again.intervals == first.intervals)
    }
}
