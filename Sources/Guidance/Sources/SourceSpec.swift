package import Foundation

/// A source as it is configured: which provider, how to ask it, and what it may be asked.
package struct SourceSpec: Sendable {
    /// Its name in the configuration, unique.
    package var name: String
    /// The provider, ready to read answers under the settings.
    package var provider: any SourceProvider
    /// What the configuration says about it.
    package var settings: SourceSettings
    /// Its key, nil without.
    package var key: SourceKey?
    /// The person's own choice of seconds between two fetches, in place of the provider's rhythm.
    package var everySeconds: Double?
    /// The person's own limit of requests a day, beside the provider's.
    package var requestsADay: Int?

    /// Makes a source.
    package init(
        name: String, provider: any SourceProvider, settings: SourceSettings, key: SourceKey? = nil,
        everySeconds: Double? = nil, requestsADay: Int? = nil
    ) {
        self.name = name
        self.provider = provider.configured(settings)
        self.settings = settings
        self.key = key
        self.everySeconds = everySeconds
        self.requestsADay = requestsADay
    }

    /// When it is asked.
    var plan: FetchPlan {
        let publication = everySeconds.map { Publication.rolling(seconds: $0) } ?? provider.publication(settings.side)
        let own = requestsADay.map { [RequestQuota($0, perSeconds: 86_400)] } ?? []
        return FetchPlan(publication: publication, quotas: provider.facts.quotas + own)
    }

    /// Tells what was fetched under other settings.
    var fingerprint: String { provider.name + "|" + settings.fingerprint }

    /// What is wrong with the settings before anything was asked, such as an area the provider does not cover.
    /// - Parameter now: the present, since addresses have days in them.
    /// - Throws: `PayloadError`.
    package func check(now: Date) throws(PayloadError) {
        guard provider.facts.sides.contains(settings.side) else {
            throw PayloadError(
                .notASeries, "\(provider.name) does not give \(settings.side.rawValue)",
                remedy: "use it for \(provider.facts.sides.map(\.rawValue).joined(separator: " or "))")
        }
        _ = try provider.requests(settings, SourceAsk(now: now, start: now, end: now.addingTimeInterval(86_400)))
        if provider.facts.key == .required, key == nil {
            throw PayloadError(
                .permissionDenied, "\(provider.name) needs a key",
                remedy: "name a file with key_file" + (provider.facts.keyHint.map { "; it holds \($0)" } ?? ""))
        }
    }
}
