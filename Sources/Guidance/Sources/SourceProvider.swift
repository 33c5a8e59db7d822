package import Foundation

/// A provider of prices, carbon or solar forecasts: what to ask it for, and how its answers are read.
package protocol SourceProvider: Sendable {
    /// What is to be known about it.
    var facts: ProviderFacts { get }
    /// Reads its answers.
    var decoder: any PayloadDecoder { get }

    /// The requests for a span of time, the most wanted first.
    /// - Throws: `PayloadError` when something must be told first, or the provider does not cover the area.
    func requests(_ settings: SourceSettings, _ ask: SourceAsk) throws(PayloadError) -> [SourceRequest]

    /// What the decoder must be told.
    func options(_ settings: SourceSettings, _ ask: SourceAsk) -> PayloadOptions

    /// What to do before the requests, for providers that exchange a password for a token.
    func login(_ settings: SourceSettings) -> SourceLogin?

    /// What a refusal means, where the provider says it in its own way; nil for the usual meaning of the status.
    func refusal(_ response: SourceResponse) -> PayloadError?

    /// When it has something new for a side.
    func publication(_ side: SourceSettings.Side) -> Publication

    /// What to make of all that is known now, such as a forecast where the provider only has the past.
    func completed(_ series: EnergySeries, now: Date) -> EnergySeries
}

extension SourceProvider {
    /// The name in configurations.
    package var name: String { facts.name }

    /// What the settings say.
    package func options(_ settings: SourceSettings, _ ask: SourceAsk) -> PayloadOptions {
        settings.options(openEndsAt: ask.end)
    }

    /// None.
    package func login(_ settings: SourceSettings) -> SourceLogin? { nil }

    /// The usual meaning.
    package func refusal(_ response: SourceResponse) -> PayloadError? { nil }

    /// The same for every side.
    package func publication(_ side: SourceSettings.Side) -> Publication { facts.publication }

    /// The series as it is.
    package func completed(_ series: EnergySeries, now: Date) -> EnergySeries { series }
}

/// The span of time a source is asked for.
package struct SourceAsk: Sendable, Equatable {
    /// The present.
    package var now: Date
    /// From when figures are wanted.
    package var start: Date
    /// Until when figures are wanted, exclusive.
    package var end: Date

    /// Makes a span.
    package init(now: Date, start: Date, end: Date) {
        self.now = now
        self.start = start
        self.end = end
    }

    /// The local days of a zone that the span touches, the present and the coming ones first, then the past ones, newest first.
    func days(in zone: String) -> [CivilDay] {
        let clock = LocalClock(zone: TimeZone(identifier: zone) ?? .gmt)
        let today = clock.day(at: now).daysSince1970
        let first = clock.day(at: start).daysSince1970
        // Nobody publishes further ahead than the day after tomorrow.
        let last = min(clock.day(at: end.addingTimeInterval(-1)).daysSince1970, today + 1)
        let numbers = Array(today...max(today, last)) + Array(min(first, today)..<today).reversed()
        return numbers.map { CivilDay(daysSince1970: $0) }
    }
}

/// The exchange of a password for a token.
package struct SourceLogin: Sendable {
    /// The request; its `{key}` is the password.
    package var request: SourceRequest
    /// How long a token is good for, in seconds.
    package var validSeconds: Double
    /// Turns the key file's text into what the request carries.
    package var credential: @Sendable (String) -> String
    /// Takes the token out of the answer.
    package var token: @Sendable (Data) -> String?
}

/// What is to be known about a provider before it is used.
package struct ProviderFacts: Sendable {
    /// Whether it wants a key.
    package enum KeyNeed: String, Sendable, Codable {
        /// It takes none.
        case none
        /// It gives more with one.
        case optional
        /// It gives nothing without one.
        case required
    }

    /// A setting beside the key.
    package enum Setting: String, Sendable, CaseIterable {
        case area, product, field, currency, vat, location, plane, address, entity, shape
        case timeZone = "time_zone"
    }

    /// The name in configurations, the same as the decoder's.
    package var name: String
    /// What people call it.
    package var title: String
    /// What it gives.
    package var sides: [SourceSettings.Side]
    /// Where it covers homes.
    package var region: String
    /// Whether it wants a key.
    package var key: KeyNeed
    /// What the key file holds, and where to get it.
    package var keyHint: String?
    /// What must be told.
    package var required: [Setting]
    /// What may be told.
    package var optional: [Setting]
    /// What `area` means there, and the areas that are known, if the list is closed.
    package var areaHint: String?
    /// The areas it covers, when the list is closed.
    package var areas: [String]?
    /// When it has something new.
    package var publication: Publication
    /// How much it may be asked.
    package var quotas: [RequestQuota]
    /// Its terms, for people.
    package var terms: String?

    /// Makes facts.
    package init(
        _ name: String, _ title: String, _ sides: [SourceSettings.Side], region: String, key: KeyNeed = .none,
        keyHint: String? = nil, required: [Setting] = [], optional: [Setting] = [], areaHint: String? = nil,
        areas: [String]? = nil, publication: Publication, quotas: [RequestQuota] = [], terms: String? = nil
    ) {
        self.name = name
        self.title = title
        self.sides = sides
        self.region = region
        self.key = key
        self.keyHint = keyHint
        self.required = required
        self.optional = optional
        self.areaHint = areaHint
        self.areas = areas
        self.publication = publication
        self.quotas = quotas
        self.terms = terms
    }

    /// The known area that a text names, in any case of letters; the text itself where the list is not closed.
    /// - Throws: `PayloadError` of kind `unsupportedRegion` for any other, `argumentNeeded` for none.
    package func area(_ settings: SourceSettings) throws(PayloadError) -> String {
        guard let wanted = settings.area else {
            throw PayloadError(
                .argumentNeeded, "\(name) needs an area", remedy: "tell \(areaHint ?? "which area the home is in")")
        }
        guard let areas else { return wanted }
        if let known = areas.first(where: { $0.lowercased() == wanted.lowercased() }) { return known }
        throw PayloadError(
            .unsupportedRegion, "\(name) does not cover '\(wanted)'",
            remedy: "it covers \(areas.joined(separator: ", ")); choose another source for other places")
    }
}
