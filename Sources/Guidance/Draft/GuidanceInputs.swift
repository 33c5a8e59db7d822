package import Foundation

/// All that a guidance is composed from.
package struct GuidanceInputs: Sendable {
    /// A series with the time it was fetched.
    package struct Signal: Sendable, Equatable {
        /// The values, as far back as they are known.
        package var series: EnergySeries
        /// When the source last delivered it, nil when that is not known.
        package var fetchedAt: Date?

        /// Makes a signal.
        package init(_ series: EnergySeries, fetchedAt: Date? = nil) {
            self.series = series
            self.fetchedAt = fetchedAt
        }
    }

    /// Dynamic prices per kWh before the rate plan's taxes and fees, past and future; nil while there are none.
    package var price: Signal?
    /// Carbon intensity, past and future; nil while there is none.
    package var carbon: Signal?
    /// The rate plan, nil when none is configured.
    package var ratePlan: RatePlan?
    /// Whether a price source is configured, even if it has not delivered yet.
    package var hasPriceSource: Bool
    /// The venue's time zone.
    package var timeZone: TimeZone
    /// The venue's currency, for plans that name none.
    package var currency: String
    /// How much each signal counts.
    package var weights: RatingWeights
    /// What is asked for.
    package var action: GuidanceAction
    /// The present.
    package var now: Date
    /// How far a guidance reaches at most, from its first value's start, in seconds.
    package var horizonSeconds: Double
    /// Where the classes of cleanliness begin.
    package var thresholds: CleanlinessThresholds
    /// The energy used this month, for a plan with tiers.
    package var monthToDateKWh: Double?

    /// Makes inputs; everything but the zone and the present may be left out.
    package init(
        price: Signal? = nil, carbon: Signal? = nil, ratePlan: RatePlan? = nil, hasPriceSource: Bool = false,
        timeZone: TimeZone, currency: String = "EUR", weights: RatingWeights = RatingWeights(),
        action: GuidanceAction = .shift, now: Date, horizonSeconds: Double = 48 * 3600,
        thresholds: CleanlinessThresholds = CleanlinessThresholds(), monthToDateKWh: Double? = nil
    ) {
        self.price = price
        self.carbon = carbon
        self.ratePlan = ratePlan
        self.hasPriceSource = hasPriceSource
        self.timeZone = timeZone
        self.currency = currency
        self.weights = weights
        self.action = action
        self.now = now
        self.horizonSeconds = horizonSeconds
        self.thresholds = thresholds
        self.monthToDateKWh = monthToDateKWh
    }

    /// How far back ratings look, in seconds: seven days.
    static let historySeconds = 7.0 * 86_400
    /// A horizon shorter than this, in seconds, is rated against the history too.
    static let shortHorizonSeconds = 6.0 * 3600
}
