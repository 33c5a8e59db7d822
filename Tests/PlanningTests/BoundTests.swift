import Planning
import Testing

/// What an answer without time says of how far it may be from the best.
@Suite struct BoundTests {
    private static let start = 1_769_882_400

    /// Everything that makes a bound doubtful: starts that cost, gaps between powers, paid hours, feeding in that pays
    /// more than drawing costs, sun to give up, circuits and batteries.
    private static func odd(_ seed: Int) -> PlanningProblem {
        var dice = Dice(seed: seed + 4711)
        func chance() -> Bool { Bool.random(using: &dice) }
        let count = Int.random(in: 4...8, using: &dice)
        let slots = (0..<count).map { index in
            PlanningProblem.Slot(
                start: start + index * 3600, end: start + (index + 1) * 3600,
                importPrice: Double(Int.random(in: -10...40, using: &dice)) / 100,
                exportPrice: Double(Int.random(in: 0...20, using: &dice)) / 100,
                baseLoadKW: Double(Int.random(in: 0...10, using: &dice)) / 10,
                pvKW: Double(Int.random(in: 0...40, using: &dice)) / 10)
        }
        let ranges = [[PowerRange(0, 7)], [PowerRange(4, 11)], [PowerRange(1.4, 3.7), PowerRange(4.2, 11)]]
        let vehicles = (0..<Int.random(in: 1...3, using: &dice)).map { index in
            let arrival = Int.random(in: 0..<count / 2, using: &dice)
            let departure = Int.random(in: arrival + 2...count, using: &dice)
            let need = Double(departure - arrival) * Double(Int.random(in: 2...25, using: &dice)) / 10
            return PlanningProblem.Vehicle(
                id: "car\(index)", arrival: start + arrival * 3600, departure: start + departure * 3600,
                minEnergyKWh: need, maxEnergyKWh: need * (chance() ? 1 : 1.3),
                ranges: ranges[Int.random(in: 0..<3, using: &dice)], efficiency: 0.9,
                startPenalty: chance() ? 0 : 0.15, initiallyOn: chance())
        }
        let battery = PlanningProblem.Battery(
            capacityKWh: 6, minKWh: 0.5, initialKWh: 3, finalKWh: 3, maxChargeKW: 3, maxDischargeKW: 3,
            chargeEfficiency: chance() ? 0.9 : 1, dischargeEfficiency: chance() ? 0.95 : 1,
            wearPerKWh: chance() ? 0 : 0.02)
        let circuit = PlanningProblem.SharedLimit(
            id: "garage", limitKW: slots.map { _ in Double(Int.random(in: 5...9, using: &dice)) },
            shares: Dictionary(uniqueKeysWithValues: vehicles.prefix(2).map { ($0.id, 1) }))
        return PlanningProblem(
            slots: slots, vehicles: vehicles,
            site: PlanningProblem.Site(
                importLimitKW: chance() ? nil : 12, exportAllowed: chance(), exportLimitKW: chance() ? nil : 2,
                curtailAllowed: true),
            limits: chance() ? [circuit] : [], battery: chance() ? battery : nil)
    }

    @Test("no schedule costs less than the bound", arguments: 0..<120) func holds(seed: Int) throws {
        let problem = Self.odd(seed)
        let best = try Planner.solve(problem), hurried = try Planner.solve(problem, deadlineSeconds: 0)
        guard best.unmetEnergyKWh.isEmpty, hurried.unmetEnergyKWh.isEmpty else { return }
        let bound = try #require(hurried.bound)
        #expect(bound <= best.cost + 1e-5, "\(bound) above \(best.cost): \(problem)")
    }

    /// Cars that all want the same cheap hours, with starts that cost a little so that no exact method of our own serves.
    @Test(
        "hours that a limit makes dearer are counted so", arguments: [nil, "garage"] as [String?], [0.02, 0.2])
    func crowdingIsPriced(circuit: String?, penalty: Double) throws {
        let slots = (0..<48).map { index in
            PlanningProblem.Slot(
                start: Self.start + index * 900, end: Self.start + (index + 1) * 900,
                importPrice: index < 12 ? 0.1 : 0.3 + 0.002 * Double(index), baseLoadKW: 1)
        }
        let cars = (0..<4).map { index in
            PlanningProblem.Vehicle(
                id: "car\(index)", arrival: Self.start, departure: Self.start + 48 * 900, minEnergyKWh: 20,
                maxEnergyKWh: 20, ranges: [PowerRange(0, 11)], startPenalty: penalty)
        }
        let limit = circuit.map {
            PlanningProblem.SharedLimit(
                id: $0, limitKW: slots.map { _ in 11 },
                shares: Dictionary(uniqueKeysWithValues: cars.map { ($0.id, 1) }))
        }
        let problem = PlanningProblem(
            slots: slots, vehicles: cars, site: PlanningProblem.Site(importLimitKW: limit == nil ? 12 : 40),
            limits: limit.map { [$0] } ?? [])
        let answer = try Planner.solve(problem, deadlineSeconds: 0)
        let bound = try #require(answer.bound)
        // In the cheap hours 33 kWh have room, the rest is paid for at three times the price.
        #expect(bound > 3.3 + 0.32 * 47)
        #expect(bound > 0.95 * answer.cost, "\(bound) of \(answer.cost)")
    }

    /// A car that has to be on again and again, and a battery between two prices.
    @Test func startsAndTheBatteryAreCounted() throws {
        let slots = (0..<24).map { index in
            PlanningProblem.Slot(
                start: Self.start + index * 3600, end: Self.start + (index + 1) * 3600,
                importPrice: index % 2 == 0 ? 0.1 : 0.4, baseLoadKW: 1)
        }
        let car = PlanningProblem.Vehicle(
            id: "car", arrival: Self.start, departure: Self.start + 24 * 3600, minEnergyKWh: 60, maxEnergyKWh: 60,
            ranges: [PowerRange(2, 5)], startPenalty: 0.2)
        let battery = PlanningProblem.Battery(
            capacityKWh: 4, initialKWh: 2, finalKWh: 2, maxChargeKW: 2, maxDischargeKW: 2, chargeEfficiency: 0.95,
            dischargeEfficiency: 0.95, wearPerKWh: 0.01)
        let problem = PlanningProblem(
            slots: slots, vehicles: [car], site: PlanningProblem.Site(importLimitKW: 8), battery: battery)
        let answer = try Planner.solve(problem, deadlineSeconds: 0)
        let bound = try #require(answer.bound)
        #expect(bound > 0.85 * answer.cost, "\(bound) of \(answer.cost)")
    }
}
