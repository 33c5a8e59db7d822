import Foundation
import Planning
import Testing

/// What a home battery is told.
@Suite struct BatteryPlannerTests {
    private static func battery(_ held: Double = 2) -> PlanningProblem.Battery {
        PlanningProblem.Battery(
            capacityKWh: 10, minKWh: 1, initialKWh: held, finalKWh: 1, maxChargeKW: 5, maxDischargeKW: 5,
            chargeEfficiency: 0.95, dischargeEfficiency: 0.95)
    }

    private static func task(
        _ prices: [Double], net: [Double], held: Double = 2, feedIn: Double = 0.08, limit: Double? = nil,
        change: (inout BatteryTask) -> Void = { _ in }
    ) -> BatteryTask {
        var task = BatteryTask(
            slots: prices.indices.map {
                BatteryTask.Slot(
                    start: evening + Double($0) * 3600, end: evening + Double($0 + 1) * 3600, importPrice: prices[$0],
                    feedPrice: feedIn, netKW: net[$0])
            }, battery: battery(held), importLimitKW: limit)
        change(&task)
        return task
    }

    private static func hours(_ plan: BatteryPlan, _ isMeant: (BatteryPlan.Action) -> Bool) -> Set<Int> {
        Set(
            plan.intervals.filter { isMeant($0.action) }.flatMap { interval in
                stride(
                    from: interval.start.timeIntervalSince(evening), to: interval.end.timeIntervalSince(evening),
                    by: 3600
                )
                .map { Int($0 / 3600) }
            })
    }

    private static func charges(_ action: BatteryPlan.Action) -> Bool { action != .hold }

    @Test func itIsFilledInCheapHoursForDearOnes() throws {
        let plan = BatteryPlanner.plan(
            Self.task([0.3, 0.1, 0.1, 0.3, 0.5, 0.5], net: [1, 0.5, 0.5, 1, 3, 3]))
        #expect(Self.hours(plan, Self.charges).isSubset(of: [1, 2]) && !plan.intervals.isEmpty)
        #expect(plan.costFollowing - plan.cost > 1)
        let price = try #require(plan.chargingPrice)
        #expect(abs(price - 0.1) < 1e-9)
        #expect(plan.highestPrice == 0.5)
    }

    /// A car that charges in a cheap hour would otherwise empty the battery just then.
    @Test func itKeepsItsChargeWhileACarChargesCheaply() {
        let plan = BatteryPlanner.plan(
            Self.task([0.25, 0.25, 0.5, 0.5], net: [11, 11, 4, 4], held: 9) { $0.chargesFromGrid = false })
        #expect(Self.hours(plan) { $0 == .hold } == [0, 1])
    }

    @Test func whatItCannotBeToldIsNotPlanned() {
        let prices = [0.25, 0.1, 0.5, 0.5], net = [11.0, 11, 4, 4]
        let held = BatteryPlanner.plan(Self.task(prices, net: net, held: 9) { $0.canHold = false })
        #expect(!held.intervals.contains { $0.action == .hold })
        let filled = BatteryPlanner.plan(Self.task(prices, net: net) { $0.chargesFromGrid = false })
        #expect(!filled.intervals.contains { Self.charges($0.action) })
    }

    @Test func whereNothingIsToBeSavedItFollowsTheHouse() {
        let flat = BatteryPlanner.plan(Self.task(Array(repeating: 0.3, count: 12), net: Array(repeating: 1, count: 12)))
        #expect(flat.intervals.isEmpty)
        // A difference below what is lost on the way.
        let near = BatteryPlanner.plan(Self.task([0.30, 0.31, 0.32, 0.31], net: [1, 1, 1, 1]))
        #expect(near.intervals.isEmpty)
        #expect(BatteryPlanner.plan(Self.task([], net: [])).intervals.isEmpty)
    }

    @Test func theSunIsTakenBeforeTheGrid() {
        // Enough sun by noon: nothing has to be bought in the cheap night.
        let plan = BatteryPlanner.plan(
            Self.task([0.2, 0.2, 0.25, 0.25, 0.4, 0.4], net: [0.5, 0.5, -6, -6, 3, 3], held: 1))
        #expect(!plan.intervals.contains { Self.charges($0.action) })
    }

    @Test(arguments: 0..<200) func noPlanCostsMoreThanFollowingNorBreaksTheFuse(seed: Int) {
        var dice = Dice(seed: seed + 4000)
        let count = Int.random(in: 2...36, using: &dice)
        let prices = (0..<count).map { _ in Double(Int.random(in: -10...60, using: &dice)) / 100 }
        let net = (0..<count).map { _ in Double(Int.random(in: -60...110, using: &dice)) / 10 }
        let held = Double(Int.random(in: 1...10, using: &dice))
        let plan = BatteryPlanner.plan(Self.task(prices, net: net, held: held, limit: 12))
        #expect(plan.cost <= plan.costFollowing + 1e-9)
        #expect(plan.intervals.isEmpty || plan.costFollowing - plan.cost >= 0.02)
        for interval in plan.intervals {
            guard case .charge(let power) = interval.action else { continue }
            for hour in Self.hours(BatteryPlan.only(interval), { _ in true }) {
                #expect(power <= 5 + 1e-6 && net[hour] + power <= 12 + 1e-6)
            }
        }
        #expect(zip(plan.intervals, plan.intervals.dropFirst()).allSatisfy { $0.end <= $1.start })
    }
}

extension BatteryPlan {
    fileprivate static func only(_ interval: BatteryPlan.Interval) -> BatteryPlan {
        var plan = BatteryPlanner.plan(
            BatteryTask(
                slots: [],
                battery: PlanningProblem.Battery(
                    capacityKWh: 1, initialKWh: 0, finalKWh: 0, maxChargeKW: 1, maxDischargeKW: 1)))
        plan.intervals = [interval]
        return plan
    }
}
