import EnergyKit
import Foundation
import Storage

extension GuidanceDraft {
    /// The draft as a guidance with a new token; nothing where it rates no time at all.
    func record(venue: UUID, signals: VenueSignals, hasRatePlan: Bool) -> StoredGuidance? {
        guard let interval else { return nil }
        let guidance = ElectricityGuidance(
            guidanceToken: UUID(), energyVenueID: venue, suggestedAction: action == .shift ? .shift : .reduce,
            issuedAt: composedAt, interval: DateInterval(start: interval.lowerBound, end: interval.upperBound),
            options: Set(
                options.map { $0 == .locationHasRatePlan ? .locationHasRatePlan : .guidanceIncorporatesRatePlan }),
            values: values.map {
                ElectricityGuidance.Value(
                    interval: DateInterval(start: $0.start, end: $0.end), rating: $0.rating,
                    pricePerKWh: $0.pricePerKWh, gramsCO2PerKWh: $0.gramsCO2PerKWh)
            })
        return StoredGuidance(
            guidance: guidance,
            details: values.map { .init(carbonRating: $0.carbonRating, tariffClass: $0.tariffClass?.rawValue) },
            cleanerBelow: thresholds.cleanerBelow, avoidAbove: thresholds.avoidAbove,
            sources: sources.map { source in
                GuidanceSource(
                    name: source.name, kind: source.kind,
                    fetchedAt: source.ageSeconds.map { composedAt.addingTimeInterval(-$0) })
            })
    }

    /// The draft that a kept guidance came from, as far as it matters for telling a new one apart.
    init(_ record: StoredGuidance) {
        let guidance = record.guidance
        let values = zip(guidance.values, record.details).map { value, detail in
            Value(
                start: value.interval.start, end: value.interval.end, rating: value.rating,
                pricePerKWh: value.pricePerKWh, gramsCO2PerKWh: value.gramsCO2PerKWh, carbonRating: detail.carbonRating,
                cleanliness: nil, tariffClass: detail.tariffClass.flatMap { TariffClass(rawValue: $0) })
        }
        self.init(
            action: guidance.suggestedAction == .shift ? .shift : .reduce, composedAt: guidance.issuedAt,
            values: values,
            options: Option.allCases.filter { option in
                guidance.options.contains(
                    option == .locationHasRatePlan ? .locationHasRatePlan : .guidanceIncorporatesRatePlan)
            },
            sources: [], currency: nil, weights: RatingWeights(),
            thresholds: CleanlinessThresholds(cleanerBelow: record.cleanerBelow, avoidAbove: record.avoidAbove))
    }
}
