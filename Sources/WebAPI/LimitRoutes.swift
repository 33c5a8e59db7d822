import Control
import Foundation
import HubKit
import WebServer

/// The limit that a system outside sets for all chargers of a home.
extension HubAPI {
    func externalLimit(_ text: String) async throws -> HTTPResponse {
        let limit = await services.controller.externalLimit(at: try known(text).id)
        return try json(ExternalLimitJSON(limit.said, limit.allowed))
    }

    private struct Body: Decodable {
        // A body without a limit is a slip; DELETE says that there is none.
        var powerWatts: Double
        var durationSeconds: Double?
    }

    func setExternalLimit(_ request: HTTPRequest, _ text: String) async throws -> HTTPResponse {
        let venue = try known(text).id
        let body = try decoded(Body.self, request, .powerLimit)
        try await services.controller.setExternalLimit(
            watts: body.powerWatts, seconds: body.durationSeconds, at: venue)
        return try await externalLimit(text)
    }

    func clearExternalLimit(_ text: String) async throws -> HTTPResponse {
        try await services.controller.setExternalLimit(watts: nil, seconds: nil, at: try known(text).id)
        return try await externalLimit(text)
    }
}
