import EnergyKit

/// Homes: all, by identifier, by the identifier of HomeKit's home.
enum VenueTour {
    /// The home that the test's hub says it has in HomeKit.
    static let homeKitHome = "0D7A6A4B-6B2E-4A8F-9C53-2F9A4B1E7C10"

    static func run() async throws -> EnergyVenue {
        let venues: [EnergyVenue] = try await EnergyVenue.venues()
        guard let home = venues.first, let homeID = UUID(uuidString: homeKitHome) else {
            throw Surprise(description: "no home")
        }
        let same: EnergyVenue = try await EnergyVenue.venue(for: home.id)
        try expect(same.name == home.name, "a home has two names")
        let matching = try await EnergyVenue.venue(matchingHomeUniqueIdentifier: homeID)
        try expect(matching.id == home.id, "HomeKit's home is another")
        try expectSame(home) { $0.id == $1.id && $0.name == $1.name }
        try await expectError(.venueUnavailable) { _ = try await EnergyVenue.venue(for: UUID()) }
        try await expectError(.venueUnavailable) {
            _ = try await EnergyVenue.venue(matchingHomeUniqueIdentifier: UUID())
        }
        say("home \(home.name) \(identity(of: home))")
        return home
    }

    private static func identity<Thing: Identifiable & Sendable>(of thing: Thing) -> Thing.ID { thing.id }
}

/// Ends the tour unless the call throws that error.
func expectError(_ expected: EnergyKitError, _ call: () async throws -> Void) async throws {
    do {
        try await call()
    } catch let error as EnergyKitError {
        return try expect(error == expected, "\(error) instead of \(expected)")
    }
    throw Surprise(description: "no \(expected)")
}
