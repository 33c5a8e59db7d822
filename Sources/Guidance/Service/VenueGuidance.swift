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
    /// The rate plan, where it has one.
    package var ratePlan: RatePlan?
    /// How much price and carbon count.
    package var weights: RatingWeights
    /// Where cleaner energy begins and ends.
    package var thresholds: CleanlinessThresholds

    /// Names what is there.
    package init(
        venue: Venue, price: (any SeriesProvider)? = nil, composition: PriceComposition = PriceComposition(),
        carbon: (any SeriesProvider)? = nil, ratePlan: RatePlan? = nil, weights: RatingWeights = RatingWeights(),
        thresholds: CleanlinessThresholds = CleanlinessThresholds()
    ) {
        self.venue = venue
        self.price = price
        self.composition = composition
        self.carbon = carbon
        self.ratePlan = ratePlan
        self.weights = weights
        self.thresholds = thresholds
    }

    /// Whether anything at all can rate this home's hours.
    package var hasSource: Bool { price != nil || carbon != nil || ratePlan != nil }
}

/// The last good series of a venue: a source that fails never empties what is there.
struct VenueSignals: Sendable {
    var price: GuidanceInputs.Signal?
    var carbon: GuidanceInputs.Signal?
    var faults: [String: String] = [:]

    /// Asks the sources, and keeps what they had where they fail.
    mutating func refresh(_ guidance: VenueGuidance, around now: Date, log: HubLog) async {
        let range = now.addingTimeInterval(-8 * 86_400)..<now.addingTimeInterval(3 * 86_400)
        if let source = guidance.price, let series = await fetch(source, range, log) {
            price = GuidanceInputs.Signal(guidance.composition.applied(to: series), fetchedAt: now)
        }
        if let source = guidance.carbon, let series = await fetch(source, range, log) {
            carbon = GuidanceInputs.Signal(series, fetchedAt: now)
        }
    }

    private mutating func fetch(_ source: any SeriesProvider, _ range: Range<Date>, _ log: HubLog) async
        -> EnergySeries?
    {
        do {
            let series = try await source.series(covering: range)
            if faults.removeValue(forKey: source.name) != nil { log.notice("\(source.name) gives figures again") }
            return series
        } catch {
            let text = plainWords(of: error)
            if faults[source.name] != text {
                faults[source.name] = text
                log.warning("\(source.name) gives nothing: \(text); what it gave before stays in force")
            }
            return nil
        }
    }
}
