public import Foundation

/// An `EnergyKitError` with its details.
///
/// An addition to Apple's surface.
///
/// Services and clients throw this; at Apple's surface it becomes the plain `EnergyKitError`, which carries nothing.
public struct EnergyKitFailure: Error, Hashable, Sendable {
    /// The error in Apple's terms.
    public let error: EnergyKitError
    /// What exactly went wrong, for a person; may be empty.
    public let detail: String
    /// How long to wait before trying again; `nil` where that is unknown or trying again makes no sense.
    public let retryAfter: Duration?
    /// The event and the rule behind an `invalidLoadEvent`.
    public let invalidEvent: InvalidLoadEvent?

    /// Makes a failure.
    public init(_ error: EnergyKitError, detail: String = "", retryAfter: Duration? = nil) {
        self.error = error
        self.detail = detail
        self.retryAfter = retryAfter
        invalidEvent = nil
    }

    /// Makes an `invalidLoadEvent` that names the event and the rule.
    public init(_ invalidEvent: InvalidLoadEvent) {
        error = .invalidLoadEvent
        detail = invalidEvent.description
        retryAfter = nil
        self.invalidEvent = invalidEvent
    }

    /// Makes a failure of any error: itself, an `EnergyKitError` without details, or else `serviceUnavailable`.
    public init(wrapping error: any Error) {
        switch error {
        case let failure as EnergyKitFailure: self = failure
        case let error as EnergyKitError: self.init(error)
        case let error as any LocalizedError where error.errorDescription != nil:
            self.init(.serviceUnavailable, detail: error.errorDescription ?? "")
        case let error as any CustomStringConvertible: self.init(.serviceUnavailable, detail: error.description)
        default: self.init(.serviceUnavailable, detail: "an unexpected fault (\(type(of: error)))")
        }
    }
}

extension EnergyKitFailure: CustomStringConvertible {
    /// The error in words, as in `errorDescription`.
    public var description: String { errorDescription ?? detail }
}

extension EnergyKitFailure: LocalizedError {
    /// What is wrong, with the details.
    public var errorDescription: String? {
        [error.errorDescription, detail.isEmpty ? nil : detail].compactMap(\.self).joined(separator: " ")
    }

    /// Why it came to that.
    public var failureReason: String? { error.failureReason }

    /// The error's name, under which the documentation explains it.
    public var helpAnchor: String? { error.helpAnchor }

    /// What to do about it.
    public var recoverySuggestion: String? { error.recoverySuggestion }
}

extension EnergyKitError {
    static let all: [EnergyKitError] = [
        .guidanceUnavailable, .inProgress, .invalidLoadEvent, .locationServicesDenied, .permissionDenied,
        .rateLimitExceeded, .serviceUnavailable, .unsupportedRegion, .venueUnavailable,
    ]

    /// The error whose name is `code`; `nil` if there is none.
    ///
    /// An addition to Apple's surface.
    public init?(code: String) {
        guard let error = Self.all.first(where: { $0.code == code }) else { return nil }
        self = error
    }

    /// The case's name, as it stands in the API's problem documents.
    ///
    /// An addition to Apple's surface.
    public var code: String {
        switch self {
        case .guidanceUnavailable: "guidanceUnavailable"
        case .inProgress: "inProgress"
        case .invalidLoadEvent: "invalidLoadEvent"
        case .locationServicesDenied: "locationServicesDenied"
        case .permissionDenied: "permissionDenied"
        case .rateLimitExceeded: "rateLimitExceeded"
        case .serviceUnavailable: "serviceUnavailable"
        case .unsupportedRegion: "unsupportedRegion"
        case .venueUnavailable: "venueUnavailable"
        }
    }
}
