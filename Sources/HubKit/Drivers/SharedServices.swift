public import EnergyKit

/// The guidance service as drivers and edges see it.
public protocol GuidanceProviding: Sendable {
    /// The guidance in force.
    /// - Parameters:
    ///   - action: shift for a car, reduce for heating and cooling.
    ///   - venue: the home.
    ///   - requester: the device or client that will quote the token; kept with the guidance.
    /// - Throws: `EnergyKitFailure` with `venueUnavailable`, `unsupportedRegion` or `guidanceUnavailable`.
    func guidance(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) async throws -> ElectricityGuidance

    /// The guidance in force now, then each new one.
    func updates(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> AsyncThrowingStream<ElectricityGuidance, any Error>
}

/// What became of a batch of load events.
public struct SubmissionReceipt: Sendable, Equatable, Codable {
    /// Events that are new and on disk now.
    public let accepted: Int
    /// Events that were there already, unchanged.
    public let duplicates: Int

    /// Makes a receipt.
    public init(accepted: Int, duplicates: Int) {
        self.accepted = accepted
        self.duplicates = duplicates
    }
}

/// The way in for load events: all or nothing, on disk before it returns.
public protocol EventSubmitting: Sendable {
    /// Stores events and queues them for every sink, in one transaction.
    /// - Parameters:
    ///   - events: what happened, in order.
    ///   - venue: the home it happened in.
    ///   - client: who submits, for the rate limit; `nil` for the hub itself.
    /// - Throws: `EnergyKitFailure` with `invalidLoadEvent` (naming event and rule), `venueUnavailable`,
    ///   `rateLimitExceeded` or `serviceUnavailable`.
    func submit(_ events: [AnyLoadEvent], at venue: UUID, from client: String?) async throws -> SubmissionReceipt
}
