import Foundation
import Planning
import Testing

/// What is answered when the time is too short for the general solver.
@Suite struct DeadlineTests {
    /// Cars that come and go within two days of quarter-hours, and perhaps a battery.
    private static func problem(_ seed: Int, slots count: Int, cars: Int, battery: Bool) -> PlanningProblem {
        var dice = Dice(seed: seed)
        let start = 1_769_882_400
        let slots = (0..<count).map { index in
            PlanningProblem.Slot(
                start: start + index * 900, end: start + (index + 1) * 900,
                importPrice: Double(Int.random(in: 100...400, using: &dice)) / 1000, exportPrice: 0.08,
                baseLoadKW: Double(Int.random(in: 0...15, using: &dice)) / 10,
                pvKW: Double(Int.random(in: 0...30, using: &dice)) / 10)
        }
        let vehicles = (0..<cars).map { index in
            let arrival = Int.random(in: 0..<count / 2, using: &dice)
            let departure = Int.random(in: arrival + count / 4...count, using: &dice)
            let need = Double(departure - arrival) / 4 * 1.2
            return PlanningProblem.Vehicle(
                id: "car\(index)", arrival: start + arrival * 900, departure: start + departure * 900,
                minEnergyKWh: need, maxEnergyKWh: need * 1.2, ranges: [PowerRange(1.4, 3.7), PowerRange(4.2, 11)],
                efficiency: 0.9, startPenalty: 0.02)
        }
        let store = PlanningProblem.Battery(
            capacityKWh: 10, minKWh: 1, initialKWh: 4, finalKWh: 6, maxChargeKW: 5, maxDischargeKW: 5,
            chargeEfficiency: 0.95, dischargeEfficiency: 0.95, wearPerKWh: 0.01)
        return PlanningProblem(
            slots: slots, vehicles: vehicles,
            site: PlanningProblem.Site(
                importLimitKW: 30, exportAllowed: true, exportLimitKW: 10, curtailAllowed: true),
            battery: battery ? store : nil)
    }

    @Test(arguments: 0..<6) func aDeadlineOfNothingStillGivesAScheduleThatKeepsEveryRule(seed: Int) throws {
        let problem = Self.problem(seed, slots: 96, cars: 6, battery: seed % 2 == 0)
        let answer = try Planner.solve(problem, deadlineSeconds: 0.001)
        let judged = problem.evaluate(answer.schedule)
        #expect(judged.faults.isEmpty, "\(judged.faults)")
        #expect(abs(judged.cost - answer.cost) < 1e-9)
        #expect(answer.bound.map { $0 <= answer.cost } ?? true)
    }

    @Test(arguments: 0..<6) func theBoundOfAHurriedAnswerHolds(seed: Int) throws {
        let problem = Self.problem(seed, slots: 12, cars: 2, battery: false)
        let hurried = try Planner.solve(problem, deadlineSeconds: 0.000_001)
        let best = try Planner.solve(problem)
        #expect(best.unmetEnergyKWh.isEmpty && hurried.unmetEnergyKWh.isEmpty)
        #expect(hurried.cost >= best.cost - 1e-6)
        let bound = try #require(hurried.bound)
        #expect(bound <= best.cost + 1e-6, "\(bound) above \(best.cost)")
    }
}
