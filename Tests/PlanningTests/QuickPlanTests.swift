import Planning
import Testing

/// What is answered when there is no time at all, compared with what the general solver finds with all the time it wants.
@Suite struct QuickPlanTests {
    private static let start = 1_769_882_400

    /// Cars on one phase and on three under a fuse that counts L1, whose needs fill it nearly.
    private static func garage(_ seed: Int) -> PlanningProblem {
        var dice = Dice(seed: seed + 31)
        let hours = Int.random(in: 4...8, using: &dice), count = Int.random(in: 2...4, using: &dice)
        let slots = (0..<hours).map {
            PlanningProblem.Slot(
                start: start + $0 * 3600, end: start + ($0 + 1) * 3600,
                importPrice: Double(Int.random(in: 10...40, using: &dice)) / 100,
                baseLoadKW: Double(Int.random(in: 0...10, using: &dice)) / 10)
        }
        let limit = Double(Int.random(in: 30...60, using: &dice)) / 10
        var shares: [String: Double] = [:]
        let vehicles = (0..<count).map { index in
            let phases = Bool.random(using: &dice) ? 1.0 : 3.0
            let arrival = Int.random(in: 0..<hours / 2, using: &dice)
            let departure = Int.random(in: arrival + 2...hours, using: &dice)
            shares["car\(index)"] = 1 / phases
            let reach = Double(departure - arrival) * 3.68 * phases
            return PlanningProblem.Vehicle(
                id: "car\(index)", arrival: start + arrival * 3600, departure: start + departure * 3600,
                minEnergyKWh: reach * Double(Int.random(in: 2...6, using: &dice)) / 10, maxEnergyKWh: reach,
                ranges: [PowerRange(seed % 3 == 0 ? 1.38 * phases : 0, 3.68 * phases)])
        }
        return PlanningProblem(
            slots: slots, vehicles: vehicles,
            site: PlanningProblem.Site(importLimitKW: seed % 2 == 0 ? nil : 14),
            limits: [
                PlanningProblem.SharedLimit(
                    id: "L1", limitKW: slots.map { limit - $0.baseLoadKW / 3 }, shares: shares)
            ])
    }

    @Test("cars that count differently miss no more than they must, or hardly", arguments: 0..<60)
    func mixedPhases(seed: Int) throws {
        let problem = Self.garage(seed)
        let best = try Planner.solve(problem), quick = try Planner.solve(problem, deadlineSeconds: 0)
        #expect(problem.evaluate(quick.schedule).faults.isEmpty)
        let least = best.unmetEnergyKWh.values.reduce(0, +), unmet = quick.unmetEnergyKWh.values.reduce(0, +)
        let needs = problem.vehicles.reduce(0) { $0 + $1.minEnergyKWh }
        // What together is feasible is met; where the connection is too small, some may be given away.
        #expect(
            unmet <= least + (least < 1e-3 ? 1e-3 : needs / (seed % 3 == 0 ? 12 : 100)), "\(unmet) instead of \(least)")
        if let bound = quick.bound { #expect(bound <= best.cost + 1e-4) }
    }

    /// A battery that has to help: loads above the fuse, or sun that may not be fed in.
    private static func hostile(_ seed: Int, cars: Int) -> PlanningProblem {
        var dice = Dice(seed: seed + 977)
        let count = 24
        let battery = PlanningProblem.Battery(
            capacityKWh: 10, minKWh: 1, initialKWh: 5, finalKWh: Double(Int.random(in: 2...9, using: &dice)),
            maxChargeKW: 4, maxDischargeKW: 4, chargeEfficiency: 0.95, dischargeEfficiency: 0.93, wearPerKWh: 0.02)
        // A course that is possible, with loads and sun around it that leave no other way.
        var held = battery.initialKWh
        var slots: [PlanningProblem.Slot] = []
        for index in 0..<count {
            let left = Double(count - 1 - index)
            var power = Double(Int.random(in: -30...30, using: &dice)) / 10
            if battery.finalKWh - held > left * 3 { power = 4 }
            power = max(-(held - battery.minKWh) * 0.93, min(power, (battery.capacityKWh - held) / 0.95))
            if index == count - 1 { power = max(power, min(4, (battery.finalKWh - held) / 0.95)) }
            held += power > 0 ? power * 0.95 : power / 0.93
            slots.append(
                PlanningProblem.Slot(
                    start: start + index * 3600, end: start + (index + 1) * 3600,
                    importPrice: Double(Int.random(in: 10...40, using: &dice)) / 100, exportPrice: 0.08,
                    baseLoadKW: power < 0 ? 5 - power : Double(Int.random(in: 0...20, using: &dice)) / 10,
                    pvKW: power > 0 ? Double(Int.random(in: 0...20, using: &dice)) / 10 + 3 + power : 0))
        }
        let vehicles = (0..<cars).map { index in
            PlanningProblem.Vehicle(
                id: "car\(index)", arrival: start, departure: start + count * 3600, minEnergyKWh: 6, maxEnergyKWh: 8,
                ranges: [PowerRange(1.4, 3.7)], efficiency: 0.9)
        }
        return PlanningProblem(
            slots: slots, vehicles: vehicles,
            site: PlanningProblem.Site(importLimitKW: 5.01, exportAllowed: true, exportLimitKW: 5.01), battery: battery)
    }

    @Test("a battery that has to help does, and its course is the cheapest", arguments: 0..<40)
    func hostileBattery(seed: Int) throws {
        let problem = Self.hostile(seed, cars: 0)
        let best = try Planner.solve(problem), quick = try Planner.solve(problem, deadlineSeconds: 0)
        guard best.overloads.isEmpty else {
            // Even the battery can't cure every limit of this one.
            #expect(!quick.overloads.isEmpty)
            return
        }
        #expect(problem.evaluate(quick.schedule).faults.isEmpty)
        #expect(quick.overloads.isEmpty && quick.notes.isEmpty)
        #expect(abs(quick.cost - best.cost) < 1e-4, "\(quick.cost) instead of \(best.cost)")
        let bound = try #require(quick.bound)
        #expect(bound > best.cost - 1e-3 && bound < best.cost + 1e-4)
    }

    @Test("cars beside such a battery get a schedule with its gap", arguments: 0..<20)
    func carsBesideTheBattery(seed: Int) throws {
        let problem = Self.hostile(seed, cars: 2)
        let quick = try Planner.solve(problem, deadlineSeconds: 0)
        let judged = problem.evaluate(quick.schedule)
        #expect(judged.faults.isEmpty, "\(judged.faults)")
        #expect(quick.overloads.isEmpty)
        if quick.unmetEnergyKWh.isEmpty {
            let bound = try #require(quick.bound)
            let best = try Planner.solve(problem, deadlineSeconds: 20)
            #expect(bound <= best.cost + 1e-4, "\(bound) above \(best.cost)")
            #expect(bound > quick.cost - 0.2 * quick.cost.magnitude - 0.2, "\(bound), \(quick.cost), \(best.cost)")
        }
    }

    @Test("start costs, feed-in that is dearer than import, and negative prices have a bound too", arguments: 0..<60)
    func boundOfAnyProblem(seed: Int) throws {
        var dice = Dice(seed: seed + 4242)
        var problem = seed % 2 == 0 ? Self.garage(seed) : Self.hostile(seed, cars: 2)
        for index in problem.vehicles.indices {
            problem.vehicles[index].startPenalty = Double(Int.random(in: 0...20, using: &dice)) / 100
            problem.vehicles[index].minEnergyKWh /= 2
        }
        for index in problem.slots.indices where seed % 3 > 0 {
            problem.slots[index].importPrice -= Double(Int.random(in: 0...30, using: &dice)) / 100
            problem.slots[index].exportPrice = Double(Int.random(in: -5...30, using: &dice)) / 100
        }
        let quick = try Planner.solve(problem, deadlineSeconds: 0)
        guard quick.unmetEnergyKWh.isEmpty, quick.overloads.isEmpty else { return }
        let bound = try #require(quick.bound)
        #expect(bound <= quick.cost + 1e-9)
        let best = try Planner.solve(problem, deadlineSeconds: 5)
        #expect(bound <= best.cost + 1e-4, "\(bound) above \(best.cost)")
    }

    @Test("a battery that can't hold what it must is said at once")
    func impossible() throws {
        var problem = Self.hostile(1, cars: 1)
        problem.battery?.finalKWh = 10
        problem.battery?.maxChargeKW = 0.01
        let error = #expect(throws: PlanningError.self) { _ = try Planner.solve(problem, deadlineSeconds: 0) }
        #expect(try #require(error).description.contains("the battery can hold at most"))
    }
}
