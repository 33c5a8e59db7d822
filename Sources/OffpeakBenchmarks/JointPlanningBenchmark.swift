import Foundation
import Planning

/// Planning four cars under one fuse with solar power over two days of quarter-hours, beside HiGHS on the same problem.
///
/// HiGHS comes from PyPI (`scripts/install-packages bench`); its time is that of `run()` alone, without building the
/// model. Its own tolerance, a ten-thousandth of the cost, is the gap that both may leave.
enum JointPlanningBenchmark {
    private static let instances = 8
    private static let tolerance = 1e-4

    static func run() throws -> [Figure] {
        var ours: [Double] = [], gaps: [Double] = [], factors: [Double] = []
        for seed in 0..<instances {
            let problem = problem(seed)
            var best: PlanAnswer?
            let took = try (0..<5).map { _ in
                try seconds {
                    let cost = best?.cost ?? 30
                    best = try Planner.solve(problem, deadlineSeconds: 0.25, acceptableGap: tolerance * cost)
                }
            }
            guard let answer = best else { continue }
            ours.append(took.sorted()[took.count / 2] * 1000)
            let peer = try PlanningPeer.plan("OFFPEAK_BENCH_HIGHS", json(problem))
            // Against the peer's cost where it is there, which may be the better or the worse by its tolerance.
            let least = peer?.cost ?? answer.bound ?? answer.cost
            gaps.append((answer.cost - least) / answer.cost * 100)
            if let peer { factors.append(peer.seconds * 1000 / (ours.last ?? .infinity)) }
        }
        var figures = [
            Figure(name: "plan two days of quarter-hours, four cars, fuse, sun", unit: "ms", values: ours, bound: 250),
            Figure(name: "the same, cost above HiGHS", unit: "%", values: gaps, bound: tolerance * 100),
        ]
        guard factors.count == ours.count else {
            print("  HiGHS is not installed; 'scripts/install-packages bench' does that")
            return figures
        }
        figures.append(
            Figure(name: "the same, times as fast as HiGHS", unit: "×", values: factors, bound: 20, wantsAbove: true))
        return figures
    }

    private static func json(_ problem: PlanningProblem) -> [String: Any] {
        [
            "importLimitKW": problem.site.importLimitKW ?? 0,
            "slots": problem.slots.map {
                [
                    "start": $0.start, "end": $0.end, "importPrice": $0.importPrice, "exportPrice": $0.exportPrice ?? 0,
                    "netKW": $0.baseLoadKW - $0.pvKW,
                ]
            },
            "vehicles": problem.vehicles.map {
                [
                    "arrival": $0.arrival, "departure": $0.departure, "energyKWh": $0.minEnergyKWh,
                    "efficiency": $0.efficiency, "low": $0.ranges[0].lowKW, "high": $0.ranges[0].highKW,
                ]
            },
        ]
    }

    /// Prices, clouds and needs that differ from instance to instance.
    private static func problem(_ seed: Int) -> PlanningProblem {
        var chance = UInt64(seed + 1)
        func next(_ range: ClosedRange<Double>) -> Double {
            // Marsaglia's xorshift.
            chance ^= chance << 13
            chance ^= chance >> 7
            chance ^= chance << 17
            return range.lowerBound + (range.upperBound - range.lowerBound) * Double(chance >> 11) / Double(1 << 53)
        }
        for _ in 0..<20 { _ = next(0...1) }
        let start = 1_712_268_000, count = 192
        let slots = (0..<count).map { index -> PlanningProblem.Slot in
            let hour = Double(index) / 4
            let price: Double = 0.25 + 0.1 * sin(hour / 12 * 2 * .pi) + 0.03 * sin(hour * 1.7) + next(-0.01...0.01)
            let clear = max(0, 6 * sin((hour.truncatingRemainder(dividingBy: 24) - 12) / 12 * .pi))
            return PlanningProblem.Slot(
                start: start + index * 900, end: start + (index + 1) * 900, importPrice: (price * 1e5).rounded() / 1e5,
                exportPrice: 0.08, baseLoadKW: next(0.4...1.4), pvKW: clear * next(0.5...1))
        }
        let ranges = [PowerRange(4.14, 11.04), PowerRange(4.14, 11.04), PowerRange(1.38, 7.36), PowerRange(1.38, 3.68)]
        let vehicles = ranges.enumerated().map { index, range -> PlanningProblem.Vehicle in
            let arrival = Int(next(0...39)), departure = Int(next(120...191))
            let reach = Double(departure - arrival) / 4 * range.highKW
            let need = (min(reach / 2, next(15...60)) * 100).rounded() / 100
            return PlanningProblem.Vehicle(
                id: "car\(index)", arrival: start + arrival * 900, departure: start + departure * 900,
                minEnergyKWh: need, maxEnergyKWh: need, ranges: [range], efficiency: 0.9)
        }
        return PlanningProblem(
            slots: slots, vehicles: vehicles, site: PlanningProblem.Site(importLimitKW: 14, exportAllowed: true))
    }
}
