import EnergyKit
import Foundation
package import HubKit

/// Everything a venue's guidance is made from.
package struct VenueGuidance: Sendable {
    /// The home.
    package var venue: Venue
    /// Prices, before fees and taxes.
    package var price: (any SeriesProvider)?
    /// What is added to each price and multiplied with it.
    package var composition: PriceComposition
    /// Carbon intensity.
    package var carbon: (any SeriesProvider)?
    /// The expected power of the home's solar system.
    package var solar: (any SeriesProvider)?
    /// The rate plan, where it has one.
    package var ratePlan: RatePlan?
    /// How much price and carbon count.
    package var weights: RatingWeights
    /// Where cleaner energy begins and ends.
    package var thresholds: CleanlinessThresholds

    /// Names what is there.
    package init(
        venue: Venue, price: (any SeriesProvider)? = nil, composition: PriceComposition = PriceComposition(),
        carbon: (any SeriesProvider)? = nil, solar: (any SeriesProvider)? = nil, ratePlan: RatePlan? = nil,
        weights: RatingWeights = RatingWeights(), thresholds: CleanlinessThresholds = CleanlinessThresholds()
    ) {
        self.venue = venue
        self.price = price
        self.composition = composition
        self.carbon = carbon
        self.solar = solar
        self.ratePlan = ratePlan
        self.weights = weights
        self.thresholds = thresholds
    }

    /// Whether anything at all can rate this home's hours.
    package var hasSource: Bool { price != nil || carbon != nil || ratePlan != nil }

    /// Whether it is made from the source with this name.
    func uses(_ source: String) -> Bool {
        [price, carbon, solar].contains { $0?.sourceNames.contains(source) ?? false }
    }
}

/// What a venue's sources have to say: figures at hand, and what is wrong with them.
struct VenueSignals: Sendable {
    var price: GuidanceInputs.Signal?
    var carbon: GuidanceInputs.Signal?
    var solar: GuidanceInputs.Signal?
    var faults: [String: PayloadError] = [:]
    /// Whether the present has a rating; nil before the first look.
    var knowsNow: Bool?

    /// The span of time that sources are asked about.
    static func span(around now: Date) -> Range<Date> {
        now.addingTimeInterval(-KeptSeries.historySeconds)..<now.addingTimeInterval(KeptSeries.aheadSeconds)
    }

    /// Asks the sources for what they have at hand.
    mutating func refresh(_ guidance: VenueGuidance, around now: Date) async {
        let range = Self.span(around: now)
        faults = [:]
        let fresh = await signal(guidance.price, range) { guidance.composition.applied(to: $0) }
        price = inOwnCurrency(fresh, guidance) ?? price
        carbon = await signal(guidance.carbon, range) { $0 } ?? carbon
        solar = await signal(guidance.solar, range) { $0 } ?? solar
    }

    /// Prices in a currency that is not the home's would be taken for what they are not.
    private mutating func inOwnCurrency(
        _ signal: GuidanceInputs.Signal?, _ guidance: VenueGuidance
    ) -> GuidanceInputs.Signal? {
        guard let theirs = signal?.series.currency, let own = guidance.venue.currency, theirs != own else {
            return signal
        }
        faults[guidance.price?.name ?? "price"] = .foreign(theirs, home: own)
        return nil
    }

    private mutating func signal(
        _ source: (any SeriesProvider)?, _ range: Range<Date>, _ change: (EnergySeries) -> EnergySeries
    ) async -> GuidanceInputs.Signal? {
        guard let delivery = await source?.delivery(covering: range) else { return nil }
        faults.merge(delivery.faults) { first, _ in first }
        return delivery.series.map { GuidanceInputs.Signal(change($0), fetchedAt: delivery.fetchedAt) }
    }
}

extension VenueSignals {
    /// Why nothing is known of the coming hours, in EnergyKit's terms: what all its sources agree on, else that there is no guidance.
    func failure(at venue: String, now: Date) -> EnergyKitFailure {
        let kinds = Set(faults.values.map(\.energyKitError))
        let error = kinds.count == 1 ? kinds.first ?? .guidanceUnavailable : .guidanceUnavailable
        let said = faults.map { "\($0.key): \($0.value)" }.sorted().joined(separator: "; ")
        let wait = faults.values.compactMap(\.retryAt).min().map { max(1, $0.timeIntervalSince(now)) }
        return EnergyKitFailure(
            error,
            detail: "nothing is known of the coming hours of \(venue)" + (said.isEmpty ? "" : " (\(said))"),
            retryAfter: wait.map { .seconds($0) })
    }
}
