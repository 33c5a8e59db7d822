import Foundation
import Planning
import Testing

@Suite struct PlannerTests {
    private let start = 1_769_882_400

    private func problem(
        _ prices: [Double], seconds: Int = 3600, vehicles: [PlanningProblem.Vehicle] = [],
        site: PlanningProblem.Site = PlanningProblem.Site(), battery: PlanningProblem.Battery? = nil,
        change: (Int, inout PlanningProblem.Slot) -> Void = { _, _ in }
    ) -> PlanningProblem {
        let slots = prices.enumerated().map { index, price in
            var slot = PlanningProblem.Slot(
                start: start + index * seconds, end: start + (index + 1) * seconds, importPrice: price)
            change(index, &slot)
            return slot
        }
        return PlanningProblem(slots: slots, vehicles: vehicles, site: site, battery: battery)
    }

    private func car(
        _ id: String = "car", need: Double, most: Double? = nil, hours: Int = 100,
        ranges: [PowerRange] = [PowerRange(4, 11)], startPenalty: Double = 0, initiallyOn: Bool = false
    ) -> PlanningProblem.Vehicle {
        PlanningProblem.Vehicle(
            id: id, arrival: start, departure: start + hours * 3600, minEnergyKWh: need, maxEnergyKWh: most ?? need,
            ranges: ranges, startPenalty: startPenalty, initiallyOn: initiallyOn)
    }

    private func power(_ answer: PlanAnswer, _ id: String = "car") -> [Double] {
        answer.schedule.intervals.map { (($0.vehiclesKW[id] ?? 0) * 1e6).rounded() / 1e6 }
    }

    @Test func paysForAStartOnlyWhereThePriceIsWorthIt() throws {
        let prices = [0.10, 0.30, 0.10, 0.30]
        let free = try Planner.solve(problem(prices, vehicles: [car(need: 22)]))
        #expect(power(free) == [11, 0, 11, 0])
        let dear = try Planner.solve(problem(prices, vehicles: [car(need: 22, startPenalty: 3)]))
        #expect(dear.schedule.intervals.filter { $0.vehiclesKW["car"] != nil }.count == 3)
        #expect(abs(dear.cost - (3 + 1.8 + 0.3 * 4)) < 1e-6)
        #expect(dear.isProvenOptimal)
    }

    @Test func startsForNothingWhereItIsOnAlready() throws {
        let answer = try Planner.solve(
            problem(
                [0.30, 0.29],
                vehicles: [car(need: 11, ranges: [PowerRange(11, 11)], startPenalty: 1, initiallyOn: true)]))
        #expect(power(answer) == [11, 0])
    }

    @Test("C-5: two cars share the cheap hour under one limit and both are ready") func sharesALimit() throws {
        let cars = [
            car("one", need: 8, ranges: [PowerRange(0, 11)]), car("two", need: 8, ranges: [PowerRange(0, 11)]),
        ]
        let answer = try Planner.solve(
            problem([0.10, 0.40], vehicles: cars, site: PlanningProblem.Site(importLimitKW: 11)))
        #expect(answer.unmetEnergyKWh.isEmpty)
        #expect(abs(answer.cost - (11 * 0.1 + 5 * 0.4)) < 1e-6)
        #expect(answer.notes.isEmpty)
    }

    @Test func namesWhatStandsInTheWay() throws {
        let short = try Planner.solve(problem([0.2, 0.2], vehicles: [car(need: 30)]))
        #expect(abs((short.unmetEnergyKWh["car"] ?? 0) - 8) < 1e-4)
        #expect(short.notes == ["car will lack 8.0 kWh: its time of 2.0 h at 11.0 kW gives only 22.0 kWh"])
    }

    @Test func plansRoundABaseLoadThatIsTooLargeByItselfAndSaysSo() throws {
        let answer = try Planner.solve(
            problem([0.1, 0.2, 0.3], vehicles: [car(need: 8)], site: PlanningProblem.Site(importLimitKW: 6)) {
                $1.baseLoadKW = $0 == 0 ? 9 : 1
            })
        #expect(power(answer) == [0, 4, 4])
        #expect(answer.notes.count == 1)
        #expect(answer.notes.first?.contains("the base load alone") == true)
        #expect(answer.overloads == answer.notes)
    }

    @Test(arguments: [(0.0, "the base load alone draws 9"), (3, "the house draws ")])
    func whatABatteryHelpsIsNotTheBaseLoadAlone(watts: Double, words: String) throws {
        var short = problem(
            [0.1, 0.2], vehicles: watts > 0 ? [] : [car(need: 0)], site: PlanningProblem.Site(importLimitKW: 2)
        ) { _, slot in
            slot.baseLoadKW = 9
        }
        if watts > 0 {
            short.battery = PlanningProblem.Battery(
                capacityKWh: 10, initialKWh: 8, finalKWh: 0, maxChargeKW: watts, maxDischargeKW: watts,
                chargeEfficiency: 1, dischargeEfficiency: 1)
        }
        let notes = try Planner.solve(short).notes
        #expect(notes.isEmpty == false && notes.allSatisfy { $0.hasPrefix(words) }, "\(notes)")
    }

    @Test func messagesRoundTheirNumbers() throws {
        let answer = try Planner.solve(
            problem(
                [0.1, 0.2], vehicles: [car(need: 0)], site: PlanningProblem.Site(importLimitKW: 2.1449628175106796)
            ) {
                $1.baseLoadKW = $0 == 0 ? 9.123456789 : 1
            })
        #expect(
            answer.overloads.first?.contains("draws 9.123 kW, the limit is 2.145 kW") == true, "\(answer.overloads)")
        let none = try Planner.solve(
            problem([0.1], vehicles: [car(need: 0)], site: PlanningProblem.Site(importLimitKW: -0.0)) {
                $1.baseLoadKW = 1
            })
        #expect(none.overloads.first?.contains("the limit is 0.0 kW") == true, "\(none.overloads)")
    }

    @Test func curesAnOverloadWhereTheLoadsCan() throws {
        let battery = PlanningProblem.Battery(
            capacityKWh: 5, initialKWh: 5, finalKWh: 0, maxChargeKW: 5, maxDischargeKW: 5)
        let relieved = try Planner.solve(
            problem([0.1, 0.5], site: PlanningProblem.Site(importLimitKW: 6), battery: battery) {
                $1.baseLoadKW = $0 == 0 ? 9 : 4
            })
        #expect(relieved.notes.isEmpty)
        #expect(abs(relieved.schedule.intervals[0].batteryDischargeKW - 3) < 1e-6)
        let sunny = try Planner.solve(
            problem(
                [0.1, 0.5], vehicles: [car(need: 4, most: 30)],
                site: PlanningProblem.Site(exportAllowed: true, exportLimitKW: 2)
            ) {
                $1.pvKW = $0 == 1 ? 8 : 0
                $1.exportPrice = 0.3
            })
        #expect(sunny.notes.isEmpty)
        #expect(power(sunny) == [0, 6])
    }

    @Test func usesTheSunBeforeTheGridAndCurtailsWhatNobodyPaysFor() throws {
        let site = PlanningProblem.Site(exportAllowed: true, exportLimitKW: 2, curtailAllowed: true)
        let answer = try Planner.solve(
            problem([0.3, 0.3], vehicles: [car(need: 5, ranges: [PowerRange(0, 11)])], site: site) {
                $1.pvKW = $0 == 1 ? 6 : 0
                $1.exportPrice = 0.08
            })
        #expect(power(answer) == [0, 5])
        #expect(abs(answer.cost + 0.08) < 1e-9)
        let idle = try Planner.solve(
            problem([0.3, 0.3], vehicles: [car(need: 0)], site: site) {
                $1.pvKW = $0 == 1 ? 6 : 0
                $1.exportPrice = $0 == 1 ? -0.01 : 0.08
            })
        #expect(idle.schedule.intervals[1].curtailKW == 6)
        #expect(idle.cost == 0)
    }

    @Test func curtailsTheSunToBePaidForDrawing() throws {
        let answer = try Planner.solve(
            problem(
                [-0.1], vehicles: [car(need: 4)], site: PlanningProblem.Site(importLimitKW: 7, curtailAllowed: true)
            ) {
                $1.pvKW = 3
            })
        #expect(abs(answer.cost + 0.4) < 1e-6)
        #expect(answer.schedule.intervals[0].curtailKW == 3)
    }

    @Test func storesCheapPowerForDearHoursOnlyWhereItPays() throws {
        func battery(wear: Double) -> PlanningProblem.Battery {
            PlanningProblem.Battery(
                capacityKWh: 5, initialKWh: 0, finalKWh: 0, maxChargeKW: 5, maxDischargeKW: 5, chargeEfficiency: 0.9,
                dischargeEfficiency: 0.9, wearPerKWh: wear)
        }
        let prices = [0.10, 0.40]
        let stored = try Planner.solve(problem(prices, battery: battery(wear: 0.02)) { $1.baseLoadKW = 2 })
        #expect(abs(stored.schedule.intervals[1].batteryDischargeKW - 2) < 1e-6)
        #expect(abs(stored.cost - (0.2 + 0.1 * 2 / 0.81 + 0.02 * 2)) < 1e-6)
        let worn = try Planner.solve(problem(prices, battery: battery(wear: 0.30)) { $1.baseLoadKW = 2 })
        #expect(worn.schedule.intervals.allSatisfy { $0.batteryDischargeKW == 0 })
        #expect(abs(worn.cost - 1) < 1e-6)
    }

    @Test func neverChargesAndDischargesAtOnceToBurnPaidPower() throws {
        let battery = PlanningProblem.Battery(
            capacityKWh: 1, initialKWh: 0, finalKWh: 0, maxChargeKW: 5, maxDischargeKW: 5, chargeEfficiency: 0.8,
            dischargeEfficiency: 0.8)
        let answer = try Planner.solve(problem([-0.5], battery: battery) { $1.baseLoadKW = 1 })
        let interval = try #require(answer.schedule.intervals.first)
        #expect(min(interval.batteryChargeKW, interval.batteryDischargeKW) == 0)
        #expect(abs(answer.cost + 0.5 * (1 + 1 / 0.8)) < 1e-6)
    }

    @Test func tellsWhatABatteryCannotReach() {
        let battery = PlanningProblem.Battery(
            capacityKWh: 10, initialKWh: 0, finalKWh: 9, maxChargeKW: 2, maxDischargeKW: 2)
        #expect {
            try Planner.solve(problem([0.1, 0.1], battery: battery))
        } throws: { error in
            guard case PlanningError.infeasible(let reasons) = error else { return false }
            return reasons.first?.contains("at most 4.0 kWh") == true
        }
    }

    @Test func refusesAnInvalidProblem() {
        #expect(throws: PlanningError.self) { try Planner.solve(PlanningProblem(slots: [])) }
        #expect(throws: PlanningError.self) { try Planner.solve(problem([.nan], vehicles: [car(need: 1)])) }
    }

    @Test func encodesTheContract() throws {
        var answer = try Planner.solve(problem([0.3, 0.1], vehicles: [car(need: 11, hours: 2)]))
        answer.seconds = 0.5
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(
            String(decoding: try encoder.encode(answer), as: UTF8.self)
                == #"{"bound":1.1,"cost":1.1,"schedule":[{"end":"2026-01-31T19:00:00Z","start":"2026-01-31T18:00:00Z","#
                + #""vehicles":{}},{"end":"2026-01-31T20:00:00Z","start":"2026-01-31T19:00:00Z","vehicles":{"car":11}}],"#
                + #""seconds":0.5,"unmetEnergyKWh":{}}"#)
    }
}
