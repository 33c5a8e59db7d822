package import EnergyKit
import Foundation
package import HubKit

/// Why a provider's payload gives no series.
package struct PayloadError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sort of failure; its name stands first in the message.
    ///
    /// Where EnergyKit has an error for it, the name is the same.
    package enum Kind: String, Sendable, CaseIterable {
        /// The provider refuses more requests for now.
        case rateLimitExceeded
        /// The provider has nothing for the time asked for, or not yet; no outage.
        case guidanceUnavailable
        /// The payload does not hold the area asked for.
        case unsupportedRegion
        /// The key or token is missing, wrong or not enough.
        case permissionDenied
        /// The provider answered with an error of its own.
        case serviceUnavailable
        /// Something must be told before the payload can be read, such as which of its areas is meant.
        case argumentNeeded
        /// The payload is a right one, but of a sort that gives no such series.
        case notASeries
        /// The payload is not what this source delivers.
        case malformed

        /// Whether only a person can mend it.
        var needsPerson: Bool {
            switch self {
            case .permissionDenied, .unsupportedRegion, .argumentNeeded, .notASeries: true
            case .rateLimitExceeded, .guidanceUnavailable, .serviceUnavailable, .malformed: false
            }
        }
    }

    /// The sort of failure.
    package let kind: Kind
    /// What is wrong.
    package let what: String
    /// How to mend it.
    package let remedy: String
    /// Not to be asked again before this instant, where the provider said so.
    package let retryAt: Date?
    /// The file at fault, when there is one.
    package var file: String?

    /// Makes an error.
    package init(_ kind: Kind, _ what: String, remedy: String, retryAt: Date? = nil) {
        self.kind = kind
        self.what = what
        self.remedy = remedy
        self.retryAt = retryAt
    }

    /// `FILE: kind: what; remedy`.
    package var description: String {
        let wait = retryAt.map { ", not before \(InstantText.text($0))" } ?? ""
        return [file, kind.rawValue, "\(what); \(remedy)\(wait)"].compactMap(\.self).joined(separator: ": ")
    }

    /// The payload is not what the source delivers.
    static func malformed(_ what: String) -> PayloadError {
        PayloadError(.malformed, what, remedy: "check that the payload belongs to this source and is complete")
    }

    /// A topic or a file that gives something else than it is used for.
    static func otherSide(_ what: String, _ given: String, _ wanted: SourceSettings.Side) -> PayloadError {
        PayloadError(
            .notASeries, "the \(what) gives \(given), not \(wanted.rawValue)", remedy: "use it for \(given)")
    }

    /// Prices in a currency that is not the home's would be taken for what they are not.
    static func foreign(_ currency: String, home: String) -> PayloadError {
        PayloadError(
            .notASeries, "its prices are in \(currency), the home's currency is \(home)",
            remedy: "tell the source currency: \(home) if it has that, or give the home the other currency")
    }

    /// The provider has nothing, or not yet.
    static func nothing(_ what: String) -> PayloadError {
        PayloadError(.guidanceUnavailable, what, remedy: "ask again after the provider's time of publication")
    }
}

extension PayloadError: RetryableError {
    /// What a caller should do: wait, try again, or call a person.
    package var retryClass: RetryClass {
        if kind == .rateLimitExceeded { return .rateLimited(until: retryAt) }
        return kind.needsPerson ? .needsPerson : .transient
    }

    /// The failure in EnergyKit's terms.
    package var energyKitError: EnergyKitError {
        switch kind {
        case .rateLimitExceeded: .rateLimitExceeded
        case .permissionDenied: .permissionDenied
        case .unsupportedRegion: .unsupportedRegion
        case .serviceUnavailable: .serviceUnavailable
        case .guidanceUnavailable, .argumentNeeded, .notASeries, .malformed: .guidanceUnavailable
        }
    }
}
