public import Foundation

// Apple's guidance has no public initialiser and shows neither price nor carbon. These are additions.
extension ElectricityGuidance {
    /// Makes guidance; for those who issue guidance, not for apps.
    /// - Parameters:
    ///   - guidanceToken: the token by which load events will quote it.
    ///   - energyVenueID: the venue.
    ///   - suggestedAction: what it was asked for.
    ///   - issuedAt: when it was made.
    ///   - interval: from the start of the first value to the end of the last.
    ///   - options: what is known of the rate plan.
    ///   - values: sorted, half-open periods.
    public init(
        guidanceToken: UUID, energyVenueID: UUID, suggestedAction: SuggestedAction, issuedAt: Date,
        interval: DateInterval, options: Set<Options>, values: [Value]
    ) {
        self.init(
            guidanceToken: guidanceToken, energyVenueID: energyVenueID, interval: interval,
            suggestedAction: suggestedAction, values: values, options: options, issued: issuedAt)
    }

    /// When this guidance was made.
    ///
    /// An addition to Apple's surface.
    public var issuedAt: Date { issued }
}

extension ElectricityGuidance.Query {
    /// What was asked for.
    ///
    /// An addition to Apple's surface.
    public var suggestedAction: ElectricityGuidance.SuggestedAction { action }
}

extension ElectricityGuidance.Value {
    /// Makes a rated period with the signals behind its rating.
    ///
    /// An addition to Apple's surface.
    /// - Parameters:
    ///   - interval: the period, half-open.
    ///   - rating: 0 to 1, lower is better.
    ///   - pricePerKWh: in the venue's currency; may be negative; `nil` if unknown.
    ///   - gramsCO2PerKWh: grams of CO2 equivalent per kWh; `nil` if unknown.
    public init(interval: DateInterval, rating: Double, pricePerKWh: Double?, gramsCO2PerKWh: Double?) {
        self.init(
            interval: interval, rating: rating,
            signals: Signals(pricePerKWh: pricePerKWh, gramsCO2PerKWh: gramsCO2PerKWh))
    }

    /// The price in the venue's currency per kWh, `nil` if unknown.
    ///
    /// An addition to Apple's surface.
    public var pricePerKWh: Double? { signals.pricePerKWh }

    /// Grams of CO2 equivalent per kWh, `nil` if unknown.
    ///
    /// An addition to Apple's surface.
    public var gramsCO2PerKWh: Double? { signals.gramsCO2PerKWh }
}
