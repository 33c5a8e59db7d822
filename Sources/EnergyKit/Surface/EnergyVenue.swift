public import Foundation

/// A place that uses electricity and has guidance of its own: a home.
///
/// Keep the `id`, not the value: fetch the venue again by its id when you need it.
///
/// ## File Format
/// `{id, name, homeID?, timeZone, currency?}`; the zone is an IANA identifier, the currency an ISO 4217 code.
public struct EnergyVenue: Identifiable, Sendable {
    /// The venue's lasting identifier.
    public let id: UUID
    /// The home's name, as a person gave it.
    public let name: String

    let details: Details

    /// What this module knows of a venue beyond Apple's two members.
    struct Details: Sendable {
        var timeZone: TimeZone
        var homeID: UUID?
        var currency: String?
    }

    init(id: UUID, name: String, details: Details) {
        self.id = id
        self.name = name
        self.details = details
    }
}
