public import Foundation

/// What can go wrong between an app and the hub.
///
/// Worth another try after a pause: `serviceUnavailable` and `rateLimitExceeded`. The others need a person or a change.
public enum EnergyKitError: Error, Equatable, Hashable, Sendable {
    /// No guidance is there to serve for this venue now.
    case guidanceUnavailable
    /// The same client already waits for insights about this device.
    case inProgress
    /// An event of the batch breaks a rule; nothing of the batch was stored.
    case invalidLoadEvent
    /// A source of guidance needs the venue's location and none is set.
    case locationServicesDenied
    /// The credential is missing or does not allow this.
    case permissionDenied
    /// Too many requests in a short time.
    case rateLimitExceeded
    /// The hub is not running or cannot be reached.
    case serviceUnavailable
    /// No source of guidance covers the venue's region.
    case unsupportedRegion
    /// There is no such venue, or it is not open to this client.
    case venueUnavailable
}

extension EnergyKitError: LocalizedError {
    /// What is wrong, in one sentence.
    public var errorDescription: String? { texts.description }

    /// Why it came to that.
    public var failureReason: String? { texts.reason }

    /// The case's name, under which the documentation explains it.
    public var helpAnchor: String? { code }

    /// What to do about it.
    public var recoverySuggestion: String? { texts.suggestion }
}

extension EnergyKitError {
    private struct Texts {
        let description: String
        let reason: String
        let suggestion: String
    }

    private var texts: Texts {
        switch self {
        case .guidanceUnavailable:
            Texts(
                description: "There is no electricity guidance for this home right now.",
                reason: "No price or carbon source has delivered values for the coming hours.",
                suggestion: "Check the internet connection and the venue's guidance sources; it comes back by itself.")
        case .inProgress:
            Texts(
                description: "The previous insight request for this device is not finished.",
                reason: "One client may ask for the insights of one device at a home only once at a time.",
                suggestion: "Wait for the first request's answer, then ask again.")
        case .invalidLoadEvent:
            Texts(
                description: "A load event was refused, so none of this batch was stored.",
                reason: "An event breaks a rule about its venue, token, time, order or values.",
                suggestion:
                    "Look up the named event and rule in the hub's log, mend the event and submit the batch again.")
        case .locationServicesDenied:
            Texts(
                description: "The hub does not know where this home is.",
                reason: "A source of guidance needs a location and the venue has none.",
                suggestion: "Set the venue's location in the hub's configuration.")
        case .permissionDenied:
            Texts(
                description: "The hub did not allow this.",
                reason: "The credential is missing, was revoked, or its role is too small.",
                suggestion: "Create a token with the needed role on the hub and give it to this program.")
        case .rateLimitExceeded:
            Texts(
                description: "Too many requests in a short time.",
                reason: "This client went over the hub's limit of requests a minute.",
                suggestion: "Wait and try again, doubling the pause each time; submit several events in one call.")
        case .serviceUnavailable:
            Texts(
                description: "The energy hub cannot be reached.",
                reason: "It is not running, is still starting, or this program was not connected to one.",
                suggestion: "See that the hub runs, then try again.")
        case .unsupportedRegion:
            Texts(
                description: "No guidance source covers the region of this home.",
                reason: "The sources set for the venue have no data for its place.",
                suggestion: "Choose a source that covers the region, or give the venue a rate plan.")
        case .venueUnavailable:
            Texts(
                description: "The hub has no such home.",
                reason: "The identifier is unknown, or the home is not open to this client.",
                suggestion: "List the hub's venues and choose one of them.")
        }
    }
}
