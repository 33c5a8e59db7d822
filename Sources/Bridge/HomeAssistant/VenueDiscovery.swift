import Foundation
import HubKit

/// A home in Home Assistant: how good the hour is and when the next good hours are.
struct VenueDiscovery {
    let venue: Venue
    /// The base topic of the hub.
    let base: String
    let version: String

    /// The whole message.
    var document: DiscoveryDocument {
        let id = venue.id.uuidString.lowercased()
        let object = HomeAssistantTopics.object("venue_\(id)", base: base)
        var components: [String: DiscoveryEntity] = [
            "rating": .sensor("Rating now", "rating", precision: 2),
            "carbon": .sensor("Carbon intensity", "gramsCO2PerKWh", unit: "gCO2/kWh", precision: 0),
            "good_from": .sensor("Next good hours from", "goodFrom", class: "timestamp", state: nil),
            "good_until": .sensor("Next good hours until", "goodUntil", class: "timestamp", state: nil),
        ]
        components["price"] = .sensor(
            "Price", "pricePerKWh", unit: "\(venue.currency ?? "money")/kWh", precision: 3)
        for key in components.keys { components[key]?.uniqueId = "\(object)_\(key)" }
        return DiscoveryDocument(
            device: .init(identifiers: [object], name: venue.name, model: "Home", swVersion: version),
            origin: .init(swVersion: version), availability: [.init(topic: "\(base)/status")],
            stateTopic: "\(base)/venues/\(venue.id)/state", components: components)
    }
}
