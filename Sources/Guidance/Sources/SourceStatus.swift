package import Foundation

/// How a source is doing, for people; no secret is in it.
package struct SourceStatus: Sendable, Equatable, Codable {
    /// Its name in the configuration.
    package var name: String
    /// Who provides it, such as `energy-charts` or `file`.
    package var provider: String
    /// `price`, `carbon` or `solar`.
    package var kind: String
    /// When it was asked last.
    package var lastFetch: Date?
    /// When it last answered with something usable.
    package var lastSuccess: Date?
    /// When it is asked next; nil where nothing is asked, such as of a topic.
    package var nextFetch: Date?
    /// Since when it does not answer as it should, nil while all is well.
    package var staleSince: Date?
    /// Until when its figures reach, nil without any.
    package var knownUntil: Date?
    /// Failures in a row.
    package var failures: Int
    /// How many more requests its quota leaves now, nil where there is none.
    package var requestsLeft: Int?
    /// The last failure, nil while all is well.
    package var lastError: String?

    /// Makes a status.
    package init(
        name: String, provider: String, kind: String, lastFetch: Date? = nil, lastSuccess: Date? = nil,
        nextFetch: Date? = nil, staleSince: Date? = nil, knownUntil: Date? = nil, failures: Int = 0,
        requestsLeft: Int? = nil, lastError: String? = nil
    ) {
        self.name = name
        self.provider = provider
        self.kind = kind
        self.lastFetch = lastFetch
        self.lastSuccess = lastSuccess
        self.nextFetch = nextFetch
        self.staleSince = staleSince
        self.knownUntil = knownUntil
        self.failures = failures
        self.requestsLeft = requestsLeft
        self.lastError = lastError
    }
}
