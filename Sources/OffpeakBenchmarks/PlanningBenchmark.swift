import Foundation
import Planning

/// Planning one car, as the controller does at every change.
enum PlanningBenchmark {
    static func run() throws -> [Figure] {
        [
            Figure(name: "plan a day of quarter-hours, one car", unit: "ms", values: try measure(days: 1), bound: 1),
            Figure(name: "plan a week of quarter-hours, one car", unit: "ms", values: try measure(days: 7), bound: 1),
        ]
    }

    private static func measure(days: Int) throws -> [Double] {
        let task = task(days: days)
        return try (0..<7).map { _ in
            try seconds { for _ in 0..<50 { blackHole(try ChargingPlanner.plan(task)) } } / 50 * 1000
        }
    }

    /// Prices that go up and down twice a day and differ in every slot, so that nothing is decided by ties.
    private static func task(days: Int) -> ChargingTask {
        let start = Date(timeIntervalSince1970: 1_712_268_000)
        var slots: [PricedSlot] = []
        for index in 0..<(96 * days) {
            let hour = Double(index) / 4
            let begin = start.addingTimeInterval(Double(index) * 900)
            let price: Double = 0.25 + 0.1 * sin(hour / 12 * 2 * .pi) + 0.03 * sin(hour * 1.7)
            let carbon: Double = 300 + 100 * sin(hour)
            slots.append(
                PricedSlot(
                    start: begin, end: begin.addingTimeInterval(900), importPriceMicro: PlanUnits.micro(price),
                    secondary: Int64(carbon)))
        }
        return ChargingTask(
            slots: slots, now: start.addingTimeInterval(437),
            deadline: start.addingTimeInterval(Double(days) * 86_400 - 3000),
            minEnergyKWh: 31.7, maxEnergyKWh: 31.7, ranges: [PowerRange(4.14, 11.04)])
    }
}
