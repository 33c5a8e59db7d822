import Foundation
import Planning

/// A day of quarter-hours with solar power, beside EMHASS on the same day: a load that is on or off, and a home battery.
///
/// EMHASS comes from PyPI (`scripts/install-packages bench`). Its time is that of its optimisation: the model and HiGHS,
/// without reading, forecasts and configuration; its gap is set to nothing.
enum EMHASSBenchmark {
    private static let instances = 3

    static func run() throws -> [Figure] {
        try measure("a load that is on or off", load) + measure("a home battery", battery)
    }

    private static func measure(_ name: String, _ problem: (Int) -> PlanningProblem) throws -> [Figure] {
        var ours: [Double] = [], gaps: [Double] = [], factors: [Double] = []
        for seed in 0..<instances {
            let problem = problem(seed)
            var cost = 0.0
            let took = try (0..<7).map { _ in
                try seconds { for _ in 0..<10 { cost = try Planner.solve(problem, deadlineSeconds: 0.25).cost } } / 10
            }
            ours.append(took.sorted()[took.count / 2] * 1000)
            guard let peer = try PlanningPeer.plan("OFFPEAK_BENCH_EMHASS", json(problem)) else { continue }
            gaps.append((cost - peer.cost) / max(peer.cost.magnitude, 0.1) * 100)
            factors.append(peer.seconds * 1000 / (ours.last ?? .infinity))
        }
        var figures = [Figure(name: "plan a day of quarter-hours, sun, \(name)", unit: "ms", values: ours, bound: 10)]
        guard factors.count == ours.count else {
            print("  EMHASS is not installed; 'scripts/install-packages bench' does that")
            return figures
        }
        figures.append(Figure(name: "the same, cost above EMHASS", unit: "%", values: gaps, bound: 0.01))
        figures.append(
            Figure(name: "the same, times as fast as EMHASS", unit: "×", values: factors, bound: 100, wantsAbove: true))
        return figures
    }

    private static func load(_ seed: Int) -> PlanningProblem {
        let slots = slots(seed)
        let need = 2.76 * Double(11 + seed)
        return PlanningProblem(
            slots: slots,
            vehicles: [
                PlanningProblem.Vehicle(
                    id: "car", arrival: slots[0].start, departure: slots[slots.count - 1].end, minEnergyKWh: need,
                    maxEnergyKWh: need, ranges: [PowerRange(11.04, 11.04)])
            ], site: PlanningProblem.Site(importLimitKW: 25, exportAllowed: true))
    }

    private static func battery(_ seed: Int) -> PlanningProblem {
        PlanningProblem(
            slots: slots(seed), site: PlanningProblem.Site(importLimitKW: 25, exportAllowed: true),
            battery: PlanningProblem.Battery(
                capacityKWh: 10, minKWh: 1, initialKWh: 5, finalKWh: 5, maxChargeKW: 5, maxDischargeKW: 5,
                chargeEfficiency: 0.95, dischargeEfficiency: 0.95))
    }

    private static func json(_ problem: PlanningProblem) -> [String: Any] {
        var json: [String: Any] = [
            "importLimitKW": problem.site.importLimitKW ?? 0,
            "slots": problem.slots.map {
                [
                    "start": $0.start, "end": $0.end, "importPrice": $0.importPrice, "exportPrice": $0.exportPrice ?? 0,
                    "baseLoadKW": $0.baseLoadKW, "pvKW": $0.pvKW,
                ]
            },
        ]
        if let car = problem.vehicles.first {
            let power = car.ranges[0].highKW
            json["load"] = ["powerKW": power, "steps": Int((car.minEnergyKWh / power * 4).rounded())] as [String: Any]
        }
        if let battery = problem.battery {
            json["battery"] = [
                "capacityKWh": battery.capacityKWh, "minKWh": battery.minKWh, "initialKWh": battery.initialKWh,
                "powerKW": battery.maxChargeKW, "efficiency": battery.chargeEfficiency,
            ]
        }
        return json
    }

    /// A day from noon to noon.
    private static func slots(_ seed: Int) -> [PlanningProblem.Slot] {
        var chance = UInt64(seed + 1)
        func next(_ range: ClosedRange<Double>) -> Double {
            // Marsaglia's xorshift.
            chance ^= chance << 13
            chance ^= chance >> 7
            chance ^= chance << 17
            return range.lowerBound + (range.upperBound - range.lowerBound) * Double(chance >> 11) / Double(1 << 53)
        }
        for _ in 0..<20 { _ = next(0...1) }
        let start = 1_712_268_000
        return (0..<96).map { index -> PlanningProblem.Slot in
            let hour = Double(index) / 4
            let price: Double = 0.25 + 0.1 * sin(hour / 12 * 2 * .pi) + 0.03 * sin(hour * 1.7) + next(-0.01...0.01)
            let clear = max(0, 6 * sin((hour - 12) / 12 * .pi))
            return PlanningProblem.Slot(
                start: start + index * 900, end: start + (index + 1) * 900, importPrice: (price * 1e5).rounded() / 1e5,
                exportPrice: 0.08, baseLoadKW: next(0.4...1.4), pvKW: clear * next(0.5...1))
        }
    }
}
