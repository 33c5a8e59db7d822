public import Foundation

/// A forecast of when using electricity is better and when it is worse, for one venue.
///
/// ## File Format
/// `{guidanceToken, energyVenueID, action, issuedAt, interval:{start,end}, options:[…],
/// values:[{start,end,rating,pricePerKWh?,gramsCO2PerKWh?}]}`
public struct ElectricityGuidance: Sendable {
    /// The token that load events quote when they followed this guidance.
    public let guidanceToken: UUID
    /// The venue that this guidance is for.
    public let energyVenueID: UUID
    /// The time from the start of the first value to the end of the last, half-open.
    public let interval: DateInterval
    /// What a device is asked to do with this guidance.
    public let suggestedAction: SuggestedAction
    /// The rated periods: sorted, half-open, contiguous except where nothing is known.
    public let values: [Value]
    /// What is known of the venue's rate plan.
    public let options: Set<Options>

    let issued: Date

    init(
        guidanceToken: UUID, energyVenueID: UUID, interval: DateInterval, suggestedAction: SuggestedAction,
        values: [Value], options: Set<Options>, issued: Date
    ) {
        self.guidanceToken = guidanceToken
        self.energyVenueID = energyVenueID
        self.interval = interval
        self.suggestedAction = suggestedAction
        self.values = values
        self.options = options
        self.issued = issued
    }

    /// What an app asks guidance for.
    public struct Query: Sendable {
        let action: SuggestedAction

        /// Asks for guidance to shift or to reduce.
        public init(suggestedAction: SuggestedAction) {
            action = suggestedAction
        }
    }

    /// One rated period.
    public struct Value: Sendable {
        /// The period, half-open.
        public let interval: DateInterval
        /// How costly it is to use electricity now, 0 to 1; lower is cleaner and cheaper.
        public let rating: Double

        let signals: Signals

        /// The raw signals behind a rating, as far as they are known.
        struct Signals: Sendable {
            var pricePerKWh: Double?
            var gramsCO2PerKWh: Double?
        }

        /// Makes a rated period.
        ///
        /// The rating is kept as given; whoever issues guidance keeps it within 0 to 1.
        public init(interval: DateInterval, rating: Double) {
            self.init(interval: interval, rating: rating, signals: Signals())
        }

        init(interval: DateInterval, rating: Double, signals: Signals) {
            self.interval = interval
            self.rating = rating
            self.signals = signals
        }
    }

    /// Facts about the venue's rate plan.
    ///
    /// The raw value is the name in JSON.
    public enum Options: String, CaseIterable, Codable, Equatable, Hashable, Sendable {
        /// A rate plan or a price source is known for the venue.
        case locationHasRatePlan
        /// Prices took part in the ratings of this guidance.
        case guidanceIncorporatesRatePlan
    }

    /// What a device can do with guidance.
    ///
    /// The raw value is the name in JSON.
    public enum SuggestedAction: String, Codable, Equatable, Hashable, Sendable {
        /// Move a fixed amount of energy to better hours, as a car does.
        case shift
        /// Use less in worse hours, as heating and cooling do.
        case reduce
    }
}
