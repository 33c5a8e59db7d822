import EnergyKit

/// What the events of the tour add up to.
enum InsightTour {
    static func run(at home: EnergyVenue, day: DateInterval) async throws {
        let options: ElectricityInsightQuery.Options = [.cleanliness, .tariff]
        try expect(ElectricityInsightQuery.Options(rawValue: options.rawValue) == options, "options")
        let granularities: [ElectricityInsightQuery.Granularity] = [.hourly, .daily, .weekly, .monthly, .yearly]
        for granularity in granularities {
            let query = ElectricityInsightQuery(
                options: options, range: day, granularity: granularity, flowDirection: .imported)
            try check(query, day, granularity)
            try await energy(query, at: home)
            try await runtime(query, at: home)
        }
        let none = ElectricityInsightQuery(options: [], range: day, granularity: .daily, flowDirection: .exported)
        try await expectError(.venueUnavailable) {
            _ = try await ElectricityInsightService.shared.energyInsights(
                forDeviceID: "tour-car", using: none, atVenue: UUID())
        }
        say("insights of \(granularities.count) granularities")
    }

    private static func check(
        _ query: ElectricityInsightQuery, _ day: DateInterval, _ granularity: ElectricityInsightQuery.Granularity
    ) throws {
        try expect(query.range == day && query.granularity == granularity, "another query")
        try expect(query.flowDirection == .imported && query.options.contains(.tariff), "other options")
        try expectSame(query) { $0.options == $1.options && $0.granularity == $1.granularity }
    }

    private static func energy(_ query: ElectricityInsightQuery, at home: EnergyVenue) async throws {
        let service: ElectricityInsightService = .shared
        let records: AsyncStream<ElectricityInsightRecord<Measurement<UnitEnergy>>> =
            try await service.energyInsights(forDeviceID: "tour-car", using: query, atVenue: home.id)
        var sum = 0.0
        var last = query.range.start
        for await record in records {
            try expect(record.range.start >= last, "records out of order")
            last = record.range.end
            sum += record.totalEnergy?.converted(to: .EnergyKit.milliwattHours).value ?? 0
            try expect(record.totalRuntime == nil, "a running time among energies")
            guard record.totalEnergy != nil else { continue }
            let tariff = record.dataByTariffPeak.map(parts) ?? []
            let clean = record.dataByGridCleanliness.map(parts) ?? []
            for classes in [tariff, clean] {
                let total = classes.compactMap { $0?.converted(to: .EnergyKit.milliwattHours).value }.reduce(0, +)
                let whole = record.totalEnergy?.converted(to: .EnergyKit.milliwattHours).value ?? 0
                try expect(abs(total - whole) < 0.5, "classes that do not add up: \(total) of \(whole)")
            }
        }
        try expect(abs(sum - 200_000) < 1, "\(sum) mWh instead of 200000")
    }

    private static func runtime(_ query: ElectricityInsightQuery, at home: EnergyVenue) async throws {
        let records: AsyncStream<ElectricityInsightRecord<Duration>> =
            try await ElectricityInsightService.shared.runtimeInsights(
                forDeviceID: "tour-pump", using: query, atVenue: home.id)
        var sum = Duration.zero
        for await record in records { sum += record.totalRuntime ?? .zero }
        try expect(sum == .seconds(60), "\(sum) instead of 60 s")
    }

    private static func parts<Measure>(_ peak: ElectricityInsightRecord<Measure>.TariffPeak) -> [Measure?] {
        let same = ElectricityInsightRecord<Measure>.TariffPeak(
            superOffPeak: peak.superOffPeak, offPeak: peak.offPeak, partialPeak: peak.partialPeak,
            onPeak: peak.onPeak, criticalPeak: peak.criticalPeak, unknown: peak.unknown)
        return [same.superOffPeak, same.offPeak, same.partialPeak, same.onPeak, same.criticalPeak, same.unknown]
    }

    private static func parts<Measure>(_ grid: ElectricityInsightRecord<Measure>.GridCleanliness) -> [Measure?] {
        let same = ElectricityInsightRecord<Measure>.GridCleanliness(
            cleaner: grid.cleaner, lessClean: grid.lessClean, avoid: grid.avoid, unknown: grid.unknown)
        return [same.cleaner, same.lessClean, same.avoid, same.unknown]
    }
}

/// Only the two kinds of measure that Apple's records have.
private func isMeasure<Measure: ElectricityInsightMeasure>(_ type: Measure.Type) -> Bool { true }

/// Compiles only as long as both are measures.
let measures = [isMeasure(Duration.self), isMeasure(Measurement<UnitEnergy>.self)]
