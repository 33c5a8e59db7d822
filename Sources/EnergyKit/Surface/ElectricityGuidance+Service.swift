public import Foundation

extension ElectricityGuidance {
    /// Where apps get guidance from.
    public static let sharedService = Service()

    /// Serves guidance of any venue.
    public final class Service: Sendable {
        init() {}

        /// Guidance now and every change of it, until the iteration is left or its task is cancelled.
        ///
        /// The call itself starts nothing: each iteration of the sequence has a delivery of its own, and throws
        /// `EnergyKitError` if the venue is wrong or nothing can be served. Cancelling ends it without an error.
        public final func guidance(
            using query: ElectricityGuidance.Query, at energyVenueID: UUID
        ) -> some AsyncSequence<ElectricityGuidance, any Error> {
            GuidanceSequence(request: GuidanceRequest(suggestedAction: query.action, venueID: energyVenueID))
        }

    }
}
