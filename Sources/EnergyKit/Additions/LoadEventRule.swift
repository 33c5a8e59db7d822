public import Foundation

/// The rules that a submitted load event must keep.
///
/// An addition to Apple's surface.
///
/// The raw value is the rule's name in JSON and in error texts.
public enum LoadEventRule: String, CaseIterable, Codable, Hashable, Sendable {
    /// The JSON is not a load event.
    case malformed
    /// The type is none of this module's events.
    case unknownEventType
    /// The venue does not exist, or the event names another.
    case venue
    /// The hub never issued the quoted guidance token.
    case tokenNeverIssued
    /// The quoted guidance was issued for another venue.
    case tokenOfAnotherVenue
    /// The quoted guidance was fetched by another client, and the venue is strict about it.
    case tokenOfAnotherClient
    /// The quoted guidance does not reach to the event's time.
    case tokenOutOfTime
    /// The energy is negative, more than any home moves, or not a number.
    case energy
    /// The power is negative, more than any home takes, or not a number.
    case power
    /// The state of charge is outside 0 to 100.
    case stateOfCharge
    /// The stage is outside 0 to 100.
    case stage
    /// The event lies before its session's begin, or is a second one.
    case beforeBegin
    /// The event lies after its session's end.
    case afterEnd
    /// One session has both directions.
    case twoDirections
    /// Two devices use one session id.
    case sessionOfAnotherDevice
    /// The time lies more than five minutes ahead of the hub's clock.
    case inTheFuture
    /// The time lies more than 400 days back.
    case tooOld
    /// The device id is empty.
    case emptyDeviceID
    /// The device id is too long or has characters that nobody can see.
    case deviceID
    /// The device is one that the hub itself reads and records.
    case deviceOfTheHub
    /// The event's id was used before, for an event that says something else.
    case idReused

    /// The rule in words: what an event must be.
    public var text: String {
        switch self {
        case .malformed: "an event has the members and types that the API describes"
        case .unknownEventType: "an event is an electric vehicle's, an HVAC device's or a vehicle's status event"
        case .venue: "an event belongs to the venue it is submitted to, and that venue exists"
        case .tokenNeverIssued: "the guidance token is one that this hub has issued"
        case .tokenOfAnotherVenue: "the guidance token was issued for this venue"
        case .tokenOfAnotherClient: "the guidance token was fetched by the client that submits, as this venue demands"
        case .tokenOutOfTime: "the event lies within the guidance's interval or at most 24 hours beside it"
        case .energy: "energy is 0 to 1,000,000,000 Wh, counted from the session's begin"
        case .power: "power is 0 to 1,000,000,000 W; the direction says which way it flows"
        case .stateOfCharge: "the state of charge is 0 to 100 percent"
        case .stage: "the stage is 0 to 100"
        case .beforeBegin: "a session has one begin, and no event of it lies before"
        case .afterEnd: "no event of a session lies after its end"
        case .twoDirections: "a session has one direction; discharging is a session of its own"
        case .sessionOfAnotherDevice: "a session id belongs to one device"
        case .inTheFuture: "an event lies at most 5 minutes ahead of the hub's clock; check the device's clock"
        case .tooOld: "an event is at most 400 days old"
        case .emptyDeviceID: "the device id is not empty"
        case .deviceID: "a device id is at most 128 visible characters, spaces among them"
        case .deviceOfTheHub:
            "sessions of a device that the hub reads are recorded by the hub alone; use a device id of your own"
        case .idReused: "an event id is used once; only the same event may be sent again under it"
        }
    }
}

/// Which event of a batch breaks which rule.
///
/// An addition to Apple's surface.
public struct InvalidLoadEvent: Hashable, Sendable, CustomStringConvertible {
    /// The event's place in the batch, from 0; `nil` if the whole batch is meant.
    public let index: Int?
    /// The event's identifier, if it could be read.
    public let eventID: UUID?
    /// The rule that it breaks.
    public let rule: LoadEventRule
    /// What exactly was found, in words; may be empty.
    public let detail: String

    /// Names an event and a rule.
    public init(index: Int? = nil, eventID: UUID? = nil, rule: LoadEventRule, detail: String = "") {
        self.index = index
        self.eventID = eventID
        self.rule = rule
        self.detail = detail
    }

    /// The event, the rule and what was found, in one sentence.
    public var description: String {
        let place = index.map { "event \($0)" } ?? "the batch"
        let found = detail.isEmpty ? "" : "; found: \(detail)"
        return "\(place) breaks the rule \(rule.rawValue): \(rule.text)\(found)"
    }
}
