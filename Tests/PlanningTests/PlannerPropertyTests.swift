import Foundation
import Planning
import Testing

/// Two independent methods must agree: the order of price, and the general solver, which a second vehicle that needs
/// nothing brings in.
@Suite struct PlannerPropertyTests {
    @Test("the order of price agrees with the general solver", arguments: 0..<60)
    func methodsAgree(seed: Int) throws {
        var dice = Dice(seed: seed)
        var problem = RandomProblem.make(&dice)
        let ordered = try Planner.solve(problem)
        problem.vehicles.append(
            PlanningProblem.Vehicle(
                id: "idle", arrival: problem.vehicles[0].arrival, departure: problem.vehicles[0].departure,
                minEnergyKWh: 0, maxEnergyKWh: 0, ranges: [PowerRange(0, 1)]))
        let general = try Planner.solve(problem, deadlineSeconds: 20)
        let unmet = ordered.unmetEnergyKWh.values.reduce(0, +) - general.unmetEnergyKWh.values.reduce(0, +)
        #expect(abs(unmet) < 2e-4, "\(problem)")
        #expect(abs(ordered.cost - general.cost) < 1e-4, "\(problem)")
        #expect(ordered.isProvenOptimal)
        #expect(general.isProvenOptimal)
    }

    @Test("a programme starts at the cheapest of all minutes", arguments: 0..<40)
    func programmeStartsAtTheCheapestMinute(seed: Int) throws {
        var dice = Dice(seed: seed)
        let problem = RandomProblem.appliance(&dice)
        let appliance = try #require(problem.appliance)
        let answer = try Planner.solve(problem)
        var best = Double.infinity
        for start in stride(
            from: appliance.earliestStart, through: appliance.latestEnd - appliance.totalSeconds, by: 60)
        {
            best = min(best, RandomProblem.cost(problem, appliance, start))
        }
        #expect(abs(answer.cost - best) < 1e-9)
        for start in answer.starts {
            #expect(start >= appliance.earliestStart && start + appliance.totalSeconds <= appliance.latestEnd)
            #expect(abs(RandomProblem.cost(problem, appliance, start) - answer.cost) < 1e-9)
        }
    }

    @Test func saysThatAProgrammeDoesNotFit() throws {
        var dice = Dice(seed: 1)
        var problem = RandomProblem.appliance(&dice)
        problem.appliance?.phases[0].seconds = 86_400 * 2
        #expect(throws: PlanningError.self) { try Planner.solve(problem) }
        problem.appliance?.latestEnd += 86_400 * 9
        #expect(throws: PlanningError.self) { try Planner.solve(problem) }
    }
}

private enum RandomProblem {
    static let start = 1_769_882_400

    static func make(_ dice: inout Dice) -> PlanningProblem {
        let count = Int.random(in: 3...14, using: &dice)
        let isSunny = Bool.random(using: &dice), isCheapOnly = Bool.random(using: &dice)
        var at = start
        let slots = (0..<count).map { _ in
            let length = [900, 1800, 3600].randomElement(using: &dice) ?? 900
            defer { at += length }
            let price = Double(Int.random(in: (isCheapOnly || isSunny ? 1 : -3)...12, using: &dice)) / 30
            return PlanningProblem.Slot(
                start: at, end: at + length, importPrice: price,
                exportPrice: Double(Int.random(in: -2...6, using: &dice)) / 50,
                baseLoadKW: Double(Int.random(in: 0...20, using: &dice)) / 10,
                pvKW: isSunny ? Double(Int.random(in: 0...70, using: &dice)) / 10 : 0,
                carbonGPerKWh: Double(Int.random(in: 20...500, using: &dice)))
        }
        let ranges: [[PowerRange]] = [
            [PowerRange(0, 11)], [PowerRange(4.14, 11.04)], [PowerRange(1.38, 3.68), PowerRange(4.14, 11.04)],
            [PowerRange(2, 2)],
        ]
        let chosen = ranges.randomElement(using: &dice) ?? []
        let reach = (chosen.last?.highKW ?? 0) * Double(at - start) / 3600
        let need = (Double.random(in: 0...0.9, using: &dice) * reach * 10).rounded() / 10
        let vehicle = PlanningProblem.Vehicle(
            id: "car", arrival: start + Int.random(in: -2...9, using: &dice) * 300,
            departure: at - Int.random(in: -2...5, using: &dice) * 300 + 1, minEnergyKWh: need * 0.9,
            maxEnergyKWh: need * 0.9 + Double(Int.random(in: 0...10, using: &dice)), ranges: chosen, efficiency: 0.9)
        return PlanningProblem(
            slots: slots, vehicles: [vehicle],
            site: PlanningProblem.Site(
                importLimitKW: Bool.random(using: &dice) ? 8.5 : nil, exportAllowed: isSunny,
                exportLimitKW: Bool.random(using: &dice) ? 3 : nil, curtailAllowed: isSunny),
            carbonPricePerKg: Bool.random(using: &dice) ? 0.1 : 0)
    }

    static func appliance(_ dice: inout Dice) -> PlanningProblem {
        let slots = (0..<24).map {
            PlanningProblem.Slot(
                start: start + $0 * 1800, end: start + ($0 + 1) * 1800,
                importPrice: Double(Int.random(in: -5...40, using: &dice)) / 100)
        }
        let phases = (0..<Int.random(in: 1...4, using: &dice)).map { _ in
            PlanningProblem.Appliance.Phase(
                seconds: Int.random(in: 3...70, using: &dice) * 60,
                powerKW: Double(Int.random(in: 0...22, using: &dice)) / 10)
        }
        return PlanningProblem(
            slots: slots,
            appliance: PlanningProblem.Appliance(
                earliestStart: start + Int.random(in: 0...60, using: &dice) * 60,
                latestEnd: start + Int.random(in: 400...720, using: &dice) * 60, phases: phases))
    }

    static func cost(_ problem: PlanningProblem, _ appliance: PlanningProblem.Appliance, _ start: Int) -> Double {
        var at = start, cost = 0.0
        for phase in appliance.phases {
            for slot in problem.slots {
                let seconds = max(0, min(slot.end, at + phase.seconds) - max(slot.start, at))
                cost += Double(seconds) / 3600 * phase.powerKW * slot.importPrice
            }
            at += phase.seconds
        }
        return cost
    }
}
