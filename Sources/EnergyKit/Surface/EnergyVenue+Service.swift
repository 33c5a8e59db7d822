public import Foundation

extension EnergyVenue {
    /// All homes of the hub that this program may see; none is a normal answer.
    /// - Throws: `EnergyKitError`.
    public static func venues() async throws -> [EnergyVenue] {
        try await EnergyKitSystem.call { try await $0.venues() }
    }

    /// The home of that identifier.
    /// - Throws: `EnergyKitError.venueUnavailable` if there is none.
    public static func venue(for id: UUID) async throws -> EnergyVenue {
        try await EnergyKitSystem.call { try await $0.venue(id: id) }
    }

    /// The home that another home system knows by that identifier.
    /// - Throws: `EnergyKitError.venueUnavailable` if there is none.
    public static func venue(matchingHomeUniqueIdentifier: UUID) async throws -> EnergyVenue {
        try await EnergyKitSystem.call { try await $0.venue(homeID: matchingHomeUniqueIdentifier) }
    }

    /// Submits events of one kind, all or nothing; an event that was submitted before is harmless.
    /// - Throws: `EnergyKitError.invalidLoadEvent` if any event breaks a rule; then none is stored.
    public func submitEvents<Event>(_ events: [Event]) async throws where Event: ElectricalLoadEventProtocol {
        try await submitErased(events)
    }

    /// Submits events of several kinds, all or nothing.
    /// - Throws: `EnergyKitError.invalidLoadEvent` if any event breaks a rule; then none is stored.
    @_disfavoredOverload
    public func submitEvents(_ events: [any ElectricalLoadEventProtocol]) async throws {
        try await submitErased(events)
    }

    private func submitErased(_ events: [any ElectricalLoadEventProtocol]) async throws {
        let known = try events.map { event in
            guard let known = AnyLoadEvent(event) else { throw EnergyKitError.invalidLoadEvent }
            return known
        }
        _ = try await EnergyKitSystem.call { try await $0.submit(known, venueID: id) }
    }
}
