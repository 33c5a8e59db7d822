public import Foundation

extension ElectricityGuidance.Service {
    /// The same as `guidance(using:at:)`, for one device.
    ///
    /// An addition to Apple's surface: on Apple's systems the device is the one the app runs on; a program that speaks for
    /// several devices names the one that will quote the token.
    /// - Parameters:
    ///   - query: what is asked for.
    ///   - energyVenueID: the venue.
    ///   - deviceID: the device, by the `deviceID` of its events.
    public func guidance(
        using query: ElectricityGuidance.Query, at energyVenueID: UUID, forDeviceID deviceID: String
    ) -> some AsyncSequence<ElectricityGuidance, any Error> {
        GuidanceSequence(
            request: GuidanceRequest(suggestedAction: query.action, venueID: energyVenueID, deviceID: deviceID))
    }
}
