import Control
import EnergyKit
import Foundation
import Guidance
import HubKit
import WebServer

/// A home as HTTP shows it.
struct VenueJSON: Encodable {
    var id: UUID
    var name: String
    var homeID: UUID?
    var timeZone: String
    var currency: String?
    /// Where another system tells it.
    var presence: Presence?

    init(_ venue: Venue, _ services: HubServices) {
        id = venue.id
        name = venue.name
        homeID = venue.homeID
        timeZone = venue.timeZone.identifier
        currency = venue.currency
        presence = services.controller.presence.presence(at: venue.id, services.clock.now)
    }
}

extension HubAPI {
    func venues(_ request: HTTPRequest) throws -> HTTPResponse {
        guard let text = request.query("homeID") else {
            return try json(services.venues.all.map { VenueJSON($0, services) })
        }
        guard let homeID = UUID(uuidString: text) else {
            throw Problem.badRequest("homeID is a UUID, not '\(HTTPRequest.shown(text))'")
        }
        return try json(services.venues.all.filter { $0.homeID == homeID }.map { VenueJSON($0, services) })
    }

    func venue(_ text: String) throws -> HTTPResponse {
        try json(VenueJSON(try known(text), services))
    }

    func known(_ text: String) throws -> Venue {
        guard let id = UUID(uuidString: text), let venue = services.venues[id] else {
            throw Problem(
                404, "venueUnavailable", "there is no venue '\(HTTPRequest.shown(text))'; GET /api/v1/venues lists them"
            )
        }
        return venue
    }

    func plan(_ text: String) throws -> HTTPResponse {
        let venue = try known(text)
        return try json(VenuePlanJSON(venue, services.plans.all))
    }

    /// The guidance in force; as a stream where the client asks for one.
    func guidance(_ request: HTTPRequest, _ text: String) async throws -> HTTPResponse {
        let venue = try known(text)
        let action: ElectricityGuidance.SuggestedAction =
            try request.choice("action", ["shift", "reduce"]) == "shift" ? .shift : .reduce
        let requester = request.query("device") ?? gate.client(of: request)
        guard requester.count <= 128 else { throw Problem.badRequest("device is at most 128 characters") }
        let first = try await services.guidance.guidance(action, at: venue.id, for: requester)
        guard request.headers["Accept"]?.contains("text/event-stream") == true else { return try json(first) }
        return guidanceStream(action, at: venue.id, for: requester)
    }
}
