import Foundation
import Guidance

/// A venue's guidance from series that are there.
enum GuidanceBenchmark {
    static func run() throws -> [Figure] {
        let start = Date(timeIntervalSince1970: 1_712_268_000)
        func series(_ kind: EnergySeries.Kind, _ value: (Double) -> Double) throws -> EnergySeries {
            try EnergySeries(
                kind: kind, source: "benchmark",
                slots: (0..<(96 * 9)).map { index in
                    EnergySeries.Slot(
                        start: start.addingTimeInterval(Double(index) * 900 - 7 * 86_400),
                        end: start.addingTimeInterval(Double(index + 1) * 900 - 7 * 86_400),
                        value: value(Double(index) / 4))
                })
        }
        let inputs = GuidanceInputs(
            price: .init(try series(.price(currency: "EUR")) { 0.25 + 0.1 * sin($0 / 12 * 2 * .pi) }),
            carbon: .init(try series(.carbon(.average)) { 300 + 90 * sin($0 / 9) }), hasPriceSource: true,
            timeZone: TimeZone(identifier: "Europe/Berlin") ?? .gmt, now: start.addingTimeInterval(77))
        let values = (0..<7).map { _ in
            seconds { for _ in 0..<20 { blackHole(composeGuidance(inputs)) } } / 20 * 1e6
        }
        return [Figure(name: "guidance of 48 h of quarter-hours, price and carbon", unit: "µs", values: values)]
    }
}
