import Foundation

/// A record of insights as the hub writes it: `{start, end, totalWattHours?, totalSeconds?, cleanliness?, tariff?}`.
struct InsightRecordWire: Decodable {
    private struct Cleanliness: Decodable {
        var cleaner, lessClean, avoid, unknown: Double?
    }

    private struct Tariff: Decodable {
        var superOffPeak, offPeak, partialPeak, onPeak, criticalPeak, unknown: Double?
    }

    private enum Key: String, CodingKey {
        case totalWattHours, totalSeconds, cleanliness, tariff
    }

    private let range: DateInterval
    private let totalWattHours: Double?
    private let totalSeconds: Double?
    private let cleanliness: Cleanliness?
    private let tariff: Tariff?

    init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        range = try WireInterval(from: decoder).interval
        totalWattHours = try json.decodeIfPresent(Double.self, forKey: .totalWattHours)
        totalSeconds = try json.decodeIfPresent(Double.self, forKey: .totalSeconds)
        cleanliness = try json.decodeIfPresent(Cleanliness.self, forKey: .cleanliness)
        tariff = try json.decodeIfPresent(Tariff.self, forKey: .tariff)
    }

    /// The record of energy.
    var energy: ElectricityInsightRecord<Measurement<UnitEnergy>> {
        record { .wattHours($0) }
    }

    /// The record of running time; the parts of its breakdowns are seconds.
    var runtime: ElectricityInsightRecord<Duration> {
        record { Self.duration($0) }
    }

    private func record<Measure>(_ measure: (Double) -> Measure) -> ElectricityInsightRecord<Measure> {
        // The API writes 0 for a class that did not occur, where the services themselves leave it out.
        func part(_ value: Double?) -> Measure? { value.flatMap { $0 == 0 ? nil : measure($0) } }
        return ElectricityInsightRecord(
            range: range, totalEnergy: totalWattHours.map { .wattHours($0) },
            totalRuntime: totalSeconds.map { Self.duration($0) },
            dataByTariffPeak: tariff.map {
                .init(
                    superOffPeak: part($0.superOffPeak), offPeak: part($0.offPeak), partialPeak: part($0.partialPeak),
                    onPeak: part($0.onPeak), criticalPeak: part($0.criticalPeak), unknown: part($0.unknown))
            },
            dataByGridCleanliness: cleanliness.map {
                .init(
                    cleaner: part($0.cleaner), lessClean: part($0.lessClean), avoid: part($0.avoid),
                    unknown: part($0.unknown))
            })
    }

    /// To the microsecond, as the services count.
    private static func duration(_ seconds: Double) -> Duration {
        .microseconds(Int64((min(max(seconds, -1e12), 1e12) * 1e6).rounded()))
    }
}
