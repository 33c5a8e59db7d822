package import Foundation
package import Guidance
package import YAML

/// A source of prices, carbon or solar power as it is configured, shared by all homes that name it.
package struct SourceConfiguration: Sendable {
    /// The way to its figures.
    package enum Way: Sendable {
        /// A provider that is asked.
        case provider(any SourceProvider)
        /// A file, and what reads it.
        case file(URL, any PayloadDecoder)
        /// An MQTT topic, and what reads its payloads.
        case topic(String, any PayloadDecoder)
    }

    /// Its name, unique.
    package var name: String
    /// The way to its figures.
    package var way: Way
    /// What else is said about it.
    package var settings: SourceSettings
    /// Its key, nil without.
    package var key: SourceKey?
    /// The person's own choice of seconds between two fetches.
    package var everySeconds: Double?
    /// The person's own limit of requests a day.
    package var requestsADay: Int?
    /// Where the configuration file describes it.
    package var place: YAMLNode?

    /// What to ask a provider with; nil for files and topics.
    package var spec: SourceSpec? {
        guard case .provider(let provider) = way else { return nil }
        return SourceSpec(
            name: name, provider: provider, settings: settings, key: key, everySeconds: everySeconds,
            requestsADay: requestsADay)
    }
}

/// One of the sources of a side of a home's guidance.
package struct SourceChoice: Sendable, Equatable {
    /// The source's name.
    package var source: String
    /// What is added to its prices and multiplied with them.
    package var composition = PriceComposition()
}

/// The sources of a home's guidance, each side in order of preference.
package struct GuidanceChoices: Sendable, Equatable {
    /// Prices.
    package var price: [SourceChoice] = []
    /// Carbon intensity.
    package var carbon: [SourceChoice] = []
    /// Solar power; several are added up.
    package var solar: [SourceChoice] = []
}
