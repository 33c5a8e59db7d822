import Foundation
import Guidance

/// From a provider's payload to the guidance of many homes, all from series that are at hand.
enum GuidanceBenchmark {
    private static let start = Date(timeIntervalSince1970: 1_712_268_000)
    private static let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

    static func run() throws -> [Figure] {
        let price = try series(.price(currency: "EUR"), days: 7) { hour in 0.25 + 0.1 * sin(hour / 12 * 2 * .pi) }
        let carbon = try series(.carbon(.average), days: 7) { hour in 300 + 90 * sin(hour / 9) }
        return try [decoding(), resampling(price), guidance(price, carbon), homes(price, carbon), growth()]
    }

    /// A week of quarter-hours in the form of Energy-Charts.
    private static func decoding() throws -> Figure {
        let times = (0..<672).map { "\(1_712_268_000 + $0 * 900)" }.joined(separator: ",")
        let values = (0..<672).map { "\(Double($0 % 96) * 1.37 - 20)" }.joined(separator: ",")
        let payload = Data(#"{"unix_seconds":[\#(times)],"price":[\#(values)],"unit":"EUR / MWh"}"#.utf8)
        let decoder = EnergyChartsDecoder()
        let micros = try (0..<7).map { _ in
            try seconds { for _ in 0..<20 { blackHole(try decoder.series(from: payload)) } } / 20 * 1e6
        }
        return Figure(name: "decoding a week of quarter-hours", unit: "µs", values: micros)
    }

    private static func resampling(_ price: EnergySeries) -> Figure {
        let micros = (0..<7).map { _ in
            seconds { for _ in 0..<20 { blackHole(price.resampled(toMinutes: 60)) } } / 20 * 1e6
        }
        return Figure(name: "resampling nine days of quarter-hours to hours", unit: "µs", values: micros)
    }

    private static func inputs(_ price: EnergySeries, _ carbon: EnergySeries) -> GuidanceInputs {
        GuidanceInputs(
            price: .init(price), carbon: .init(carbon), hasPriceSource: true, timeZone: zone,
            now: start.addingTimeInterval(77))
    }

    private static func guidance(_ price: EnergySeries, _ carbon: EnergySeries) -> Figure {
        let inputs = inputs(price, carbon)
        let micros = (0..<7).map { _ in
            seconds { for _ in 0..<20 { blackHole(composeGuidance(inputs)) } } / 20 * 1e6
        }
        return Figure(
            name: "guidance of 48 h of quarter-hours, price and carbon", unit: "µs", values: micros, bound: 200)
    }

    /// Homes that share their sources and differ in fees: what is new is rated for each.
    private static func homes(_ price: EnergySeries, _ carbon: EnergySeries) -> Figure {
        let millis = (0..<3).map { _ in
            seconds {
                for home in 0..<1000 {
                    let fees = PriceComposition(addPerKWh: 0.1 + Double(home) / 10_000, factor: 1.19)
                    blackHole(composeGuidance(inputs(fees.applied(to: price), carbon)))
                }
            } * 1000
        }
        return Figure(name: "rating 1,000 homes", unit: "ms", values: millis)
    }

    /// What a source hands out of two years of history, against what it hands out of a week.
    private static func growth() throws -> Figure {
        let short = try series(.price(currency: "EUR"), days: 8) { 0.25 + 0.1 * sin($0) }
        let long = try series(.price(currency: "EUR"), days: 730) { 0.25 + 0.1 * sin($0) }
        let span = start.addingTimeInterval(-8 * 86_400)..<start.addingTimeInterval(3 * 86_400)
        let ratios = (0..<7).map { _ in
            let few = seconds { for _ in 0..<200 { blackHole(short.clipped(to: span)) } }
            return seconds { for _ in 0..<200 { blackHole(long.clipped(to: span)) } } / few
        }
        return Figure(
            name: "a source's delivery with two years of history, against a week", unit: "×", values: ratios, bound: 1.5
        )
    }

    /// Some days of history and two days to come, in quarter-hours.
    private static func series(
        _ kind: EnergySeries.Kind, days: Int, _ value: (Double) -> Double
    ) throws -> EnergySeries {
        var slots: [EnergySeries.Slot] = []
        for index in -96 * days..<192 {
            let begin = start.addingTimeInterval(Double(index) * 900)
            slots.append(
                EnergySeries.Slot(start: begin, end: begin.addingTimeInterval(900), value: value(Double(index) / 4)))
        }
        return try EnergySeries(kind: kind, source: "benchmark", slots: slots)
    }
}
