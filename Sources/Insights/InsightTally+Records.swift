package import EnergyKit
package import Foundation

/// What the store knows of a device beyond the events of a range: when it was recorded, and whether it measures energy.
package struct RecordedSpan: Sendable, Equatable {
    /// The time of its first event.
    package var first: Instant
    /// The time of its last event.
    package var last: Instant
    /// Whether its events carry energy.
    package var measuresEnergy: Bool

    /// Makes a span.
    package init(first: Instant, last: Instant, measuresEnergy: Bool) {
        self.first = first
        self.last = last
        self.measuresEnergy = measuresEnergy
    }
}

/// ## What is 0 and what is unknown
/// A bucket that touches the time from the device's first to its last event has a total, 0 where nothing flowed: devices
/// tell of every session, so silence within that time means idleness. Before the first and after the last event nothing
/// is known: no totals. A device that measures no energy never has one. Energy that is given, not used, has no classes.
extension InsightTally {
    /// One record of energy for each bucket; in milliwatt-hours, so that classes add up to totals exactly.
    package func energyRecords(
        _ options: ElectricityInsightQuery.Options, span: RecordedSpan?
    ) -> [ElectricityInsightRecord<Measurement<UnitEnergy>>] {
        buckets.indices.map { index in
            let range = range(index)
            guard let span, span.measuresEnergy, isRecorded(index, span) else {
                return ElectricityInsightRecord(range: range)
            }
            return ElectricityInsightRecord(
                range: range, totalEnergy: .milliwattHours(buckets[index].energy),
                dataByTariffPeak: shows(.tariff, options) ? .init(tariff(index)) { .milliwattHours($0) } : nil,
                dataByGridCleanliness: shows(.cleanliness, options)
                    ? .init(cleanliness(index)) { .milliwattHours($0) } : nil)
        }
    }

    /// One record of running time for each bucket, with the energy where the device measures it.
    package func runtimeRecords(
        _ options: ElectricityInsightQuery.Options, span: RecordedSpan?
    ) -> [ElectricityInsightRecord<Duration>] {
        buckets.indices.map { index in
            let range = range(index)
            guard let span, isRecorded(index, span) else { return ElectricityInsightRecord(range: range) }
            return ElectricityInsightRecord(
                range: range, totalEnergy: span.measuresEnergy ? .milliwattHours(buckets[index].energy) : nil,
                totalRuntime: .microseconds(buckets[index].runtime),
                dataByTariffPeak: shows(.tariff, options) ? .init(tariff(index)) { .microseconds($0) } : nil,
                dataByGridCleanliness: shows(.cleanliness, options)
                    ? .init(cleanliness(index)) { .microseconds($0) } : nil)
        }
    }

    private func range(_ index: Int) -> DateInterval {
        DateInterval(start: edges[index].date, end: edges[index + 1].date)
    }

    private func isRecorded(_ index: Int, _ span: RecordedSpan) -> Bool {
        edges[index] <= span.last && edges[index + 1] > span.first
    }

    private func shows(_ option: ElectricityInsightQuery.Options, _ options: ElectricityInsightQuery.Options) -> Bool {
        options.contains(option) && flow == .imported
    }
}

extension Measurement where UnitType == UnitEnergy {
    fileprivate static func milliwattHours(_ value: Int64) -> Self {
        Measurement(value: Double(value), unit: .EnergyKit.milliwattHours)
    }
}

extension ElectricityInsightRecord.TariffPeak {
    /// The classes in the order of `PeakClass`; what did not occur is nil.
    fileprivate init(_ sums: [Int64], _ measure: (Int64) -> Measure) {
        func part(_ peak: PeakClass) -> Measure? { sums[peak.rawValue] == 0 ? nil : measure(sums[peak.rawValue]) }
        self.init(
            superOffPeak: part(.superOffPeak), offPeak: part(.offPeak), partialPeak: part(.partialPeak),
            onPeak: part(.onPeak), criticalPeak: part(.criticalPeak), unknown: part(.unknown))
    }
}

extension ElectricityInsightRecord.GridCleanliness {
    /// The classes in the order of `Cleanliness`; what did not occur is nil.
    fileprivate init(_ sums: [Int64], _ measure: (Int64) -> Measure) {
        func part(_ class: Cleanliness) -> Measure? {
            sums[`class`.rawValue] == 0 ? nil : measure(sums[`class`.rawValue])
        }
        self.init(
            cleaner: part(.cleaner), lessClean: part(.lessClean), avoid: part(.avoid), unknown: part(.unknown))
    }
}
