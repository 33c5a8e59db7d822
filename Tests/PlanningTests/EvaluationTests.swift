import Planning
import Testing

@Suite struct EvaluationTests {
    private let start = 1_769_882_400

    private var problem: PlanningProblem {
        PlanningProblem(
            slots: [
                PlanningProblem.Slot(start: start, end: start + 3600, importPrice: 0.3, baseLoadKW: 1),
                PlanningProblem.Slot(
                    start: start + 3600, end: start + 7200, importPrice: 0.2, exportPrice: 0.1, pvKW: 4,
                    carbonGPerKWh: 500),
            ],
            vehicles: [
                PlanningProblem.Vehicle(
                    id: "car", arrival: start, departure: start + 7200, minEnergyKWh: 5, maxEnergyKWh: 9,
                    ranges: [PowerRange(2, 7)], efficiency: 0.5, startPenalty: 0.25)
            ],
            site: PlanningProblem.Site(importLimitKW: 8, exportAllowed: true, exportLimitKW: 3, curtailAllowed: true),
            carbonPricePerKg: 0.1)
    }

    private func schedule(
        _ first: Double, _ second: Double, change: (inout Schedule) -> Void = { _ in }
    ) -> Schedule {
        var schedule = Schedule(intervals: [
            Schedule.Interval(start: start, end: start + 3600, vehiclesKW: ["car": first]),
            Schedule.Interval(start: start + 3600, end: start + 7200, vehiclesKW: ["car": second]),
        ])
        change(&schedule)
        return schedule
    }

    @Test func pricesImportExportCarbonAndStarts() {
        // 8 kW for 0.30, one start; then 6 kW beside 4 kW of sun: 2 kW for 0.20 and 1 kg of carbon for 0.10.
        let result = problem.evaluate(schedule(7, 6))
        #expect(result.faults.isEmpty)
        #expect(abs(result.cost - (2.4 + 0.25 + 0.4 + 0.1)) < 1e-12)
        #expect(result.unmetEnergyKWh.isEmpty)
        let exporting = problem.evaluate(schedule(0, 2))
        #expect(abs(exporting.cost - (0.3 + 0.25 - 0.2)) < 1e-12)
        #expect(abs((exporting.unmetEnergyKWh["car"] ?? 0) - 4) < 1e-12)
    }

    @Test(
        "finds what breaks a rule",
        arguments: [
            (1.0, 6.0, "cannot draw 1.0 kW"), (8, 6, "cannot draw 8.0 kW"), (7, 0, "feeds in 4.0 kW"),
            (-3, 6, "cannot draw -3.0 kW"), (.nan, 6, "cannot draw nan kW"), (7, 7, nil),
        ] as [(Double, Double, String?)])
    func findsWhatBreaksARule(first: Double, second: Double, fault: String?) {
        let faults = problem.evaluate(schedule(first, second)).faults
        #expect(fault.map { text in faults.contains { $0.contains(text) } } ?? faults.isEmpty)
    }

    @Test func findsGapsStrangersBatteriesAndCurtailment() {
        func faults(_ change: (inout Schedule) -> Void) -> String {
            problem.evaluate(schedule(5, 5, change: change)).faults.joined()
        }
        #expect(faults { $0.intervals.removeLast() }.contains("does not cover"))
        #expect(faults { $0.intervals[1].start += 60 }.contains("gap or overlap"))
        #expect(faults { $0.intervals[0].end += 60 }.contains("not within one slot"))
        #expect(faults { $0.intervals[0].vehiclesKW["van"] = 3 }.contains("no vehicle van"))
        #expect(faults { $0.intervals[0].batteryChargeKW = 1 }.contains("no battery"))
        #expect(faults { $0.intervals[1].curtailKW = 5 }.contains("cannot give up"))
        var narrow = problem
        narrow.vehicles[0].maxEnergyKWh = 5
        narrow.vehicles[0].departure -= 60
        let late = narrow.evaluate(schedule(5, 7)).faults.joined()
        #expect(late.contains("outside its window"))
        #expect(late.contains("its most is 5.0"))
    }
}
