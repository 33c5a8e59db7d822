public import Foundation

/// What stands behind EnergyKit's surface: the hub's own services, or a client of a hub elsewhere.
///
/// A program chooses one at its start with `EnergyKitSystem.bootstrap(_:)`. An app never calls it directly.
///
/// ## Errors
/// Throw `EnergyKitFailure` (with details) or `EnergyKitError`. Anything else that is thrown counts as
/// `EnergyKitError.serviceUnavailable`, except `CancellationError`, which stays what it is.
///
/// ## Thread Safety
/// Every requirement may be called from any task, several at once.
public protocol EnergyKitBackend: Sendable {
    /// All venues that this client may see.
    ///
    /// None is a normal answer.
    func venues() async throws -> [EnergyVenue]

    /// The venue of that identifier.
    /// - Throws: `venueUnavailable` if there is none.
    func venue(id: UUID) async throws -> EnergyVenue

    /// The venue of the home that another home system knows by that identifier.
    /// - Throws: `venueUnavailable` if there is none.
    func venue(homeID: UUID) async throws -> EnergyVenue

    /// Guidance as it is now, at once, and then every change of it.
    ///
    /// Each call starts a delivery of its own; it must stop when the stream's consumer goes (`onTermination`). Keep only
    /// the newest guidance for a slow consumer. A lost connection is made again underneath; the stream fails only with
    /// `permissionDenied`, `venueUnavailable`, `unsupportedRegion`, `locationServicesDenied`, or, when there is nothing
    /// left to serve, `guidanceUnavailable`.
    func guidance(_ request: GuidanceRequest) -> AsyncThrowingStream<ElectricityGuidance, any Error>

    /// Stores a batch of events, all or nothing; returns only when they are safe.
    /// - Throws: `invalidLoadEvent` with the event and the rule, `venueUnavailable`, `rateLimitExceeded` with the time
    /// to wait.
    func submit(_ events: [AnyLoadEvent], venueID: UUID) async throws -> LoadEventReceipt

    /// The energy that a device used or gave, one record for each period, oldest first.
    func energyInsights(_ request: InsightRequest) async throws -> [ElectricityInsightRecord<Measurement<UnitEnergy>>]

    /// The time that a device ran, one record for each period, oldest first.
    func runtimeInsights(_ request: InsightRequest) async throws -> [ElectricityInsightRecord<Duration>]
}

/// A request for guidance.
public struct GuidanceRequest: Hashable, Sendable {
    /// What the device can do with guidance.
    public let suggestedAction: ElectricityGuidance.SuggestedAction
    /// The venue.
    public let venueID: UUID
    /// The device that will quote the guidance's token; `nil` if the client as a whole asks.
    public let deviceID: String?

    /// Makes a request.
    public init(suggestedAction: ElectricityGuidance.SuggestedAction, venueID: UUID, deviceID: String? = nil) {
        self.suggestedAction = suggestedAction
        self.venueID = venueID
        self.deviceID = deviceID
    }

    /// The device that asks; nil where the program as a whole does, or the id is one that no event can have, since no
    /// token is ever quoted under it.
    package var requester: String? { deviceID.flatMap { LoadDeviceID.isPossible($0) ? $0 : nil } }
}

/// A request for insights.
public struct InsightRequest: Sendable {
    /// What is asked.
    public let query: ElectricityInsightQuery
    /// The device that is asked about, by the `deviceID` of its events.
    public let deviceID: String
    /// The venue.
    public let venueID: UUID

    /// Makes a request.
    public init(query: ElectricityInsightQuery, deviceID: String, venueID: UUID) {
        self.query = query
        self.deviceID = deviceID
        self.venueID = venueID
    }
}

/// What became of a batch of events that was accepted.
public struct LoadEventReceipt: Codable, Hashable, Sendable {
    /// How many events are new and stored.
    public let accepted: Int
    /// How many were there before, with the same content.
    public let duplicates: Int

    /// Makes a receipt.
    public init(accepted: Int, duplicates: Int) {
        self.accepted = accepted
        self.duplicates = duplicates
    }
}
