import Foundation
import Guidance

/// A venue's guidance from series that are there.
enum GuidanceBenchmark {
    static func run() throws -> [Figure] {
        let start = Date(timeIntervalSince1970: 1_712_268_000)
        let price = try series(.price(currency: "EUR"), from: start) { hour in 0.25 + 0.1 * sin(hour / 12 * 2 * .pi) }
        let carbon = try series(.carbon(.average), from: start) { hour in 300 + 90 * sin(hour / 9) }
        let inputs = GuidanceInputs(
            price: .init(price), carbon: .init(carbon), hasPriceSource: true,
            timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt, now: start.addingTimeInterval(77))
        let values = (0..<7).map { _ in
            seconds { for _ in 0..<20 { blackHole(composeGuidance(inputs)) } } / 20 * 1e6
        }
        return [Figure(name: "guidance of 48 h of quarter-hours, price and carbon", unit: "µs", values: values)]
    }

    /// A week of history and two days to come, in quarter-hours.
    private static func series(
        _ kind: EnergySeries.Kind, from now: Date, _ value: (Double) -> Double
    ) throws -> EnergySeries {
        var slots: [EnergySeries.Slot] = []
        for index in -672..<192 {
            let begin = now.addingTimeInterval(Double(index) * 900)
            slots.append(
                EnergySeries.Slot(start: begin, end: begin.addingTimeInterval(900), value: value(Double(index) / 4)))
        }
        return try EnergySeries(kind: kind, source: "benchmark", slots: slots)
    }
}
