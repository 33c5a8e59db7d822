import Foundation
import HubKit

/// A home in Home Assistant: how good the hour is and when the next good hours are.
struct VenueDiscovery {
    let venue: Venue
    /// The base topic of the hub.
    let base: String
    let version: String
    /// Whether a limit of the chargers means anything there.
    let hasChargers: Bool
    /// Whether anything tells if somebody is there.
    let hasPresence: Bool

    /// The whole message.
    var document: DiscoveryDocument {
        DiscoveryDocument(
            object: HomeAssistantTopics.object("venue_\(venue.id.uuidString.lowercased())", base: base),
            name: venue.name, model: "Home", version: version, availability: [.init(topic: "\(base)/status")],
            stateTopic: "\(base)/venues/\(venue.id)/state",
            components: [
                "rating": .sensor("Rating now", "rating", precision: 2),
                "price": .sensor(
                    "Price", "pricePerKWh", unit: "\(venue.currency ?? "money")/kWh", precision: 3),
                "carbon": .sensor("Carbon intensity", "gramsCO2PerKWh", unit: "gCO2/kWh", precision: 0),
                "good_from": .sensor("Next good hours from", "goodFrom", class: "timestamp", state: nil),
                "good_until": .sensor("Next good hours until", "goodUntil", class: "timestamp", state: nil),
            ].merging(hasChargers ? ["limit": limit] : [:]) { first, _ in first }
                .merging(hasPresence ? ["presence": presence] : [:]) { first, _ in first })
    }

    private var presence: DiscoveryEntity {
        .binary("Somebody at home", "presence", isOneOf: ["home"], class: "presence")
    }

    /// What all chargers may draw together; emptied, nothing limits them.
    private var limit: DiscoveryEntity {
        var entity = DiscoveryEntity(.number, name: "Power limit")
        entity.valueTemplate = DiscoveryEntity.shown("v.limitWatts | default(none)")
        entity.commandTopic = "\(base)/venues/\(venue.id)/set/limit"
        entity.unitOfMeasurement = "W"
        entity.deviceClass = "power"
        (entity.min, entity.max, entity.step) = (0, 100_000, 1)
        entity.mode = "box"
        entity.payloadReset = "None"
        return entity
    }
}
