import Control
import Foundation
import HubKit
import WebServer

extension HubAPI {
    func devices() throws -> HTTPResponse {
        try json(services.board.all.map { deviceJSON($0) })
    }

    func device(_ text: String) throws -> HTTPResponse {
        try json(deviceJSON(try state(text)))
    }

    func deviceJSON(_ state: DeviceState) -> DeviceJSON {
        DeviceJSON(
            state, plan: services.plans[state.configuration.id],
            currency: services.venues[state.configuration.venueID]?.currency)
    }

    func state(_ text: String) throws -> DeviceState {
        guard let id = DeviceID(text), let state = services.board[id] else {
            throw Problem(
                404, "notFound", "there is no device '\(HTTPRequest.shown(text))'; GET /api/v1/devices lists them")
        }
        return state
    }

    private struct ModeBody: Decodable { var mode: String }

    func setMode(_ request: HTTPRequest, _ text: String) async throws -> HTTPResponse {
        let id = try state(text).configuration.id
        let body = try decoded(ModeBody.self, request, .mode)
        try await services.controller.setMode(try DeviceMode(named: body.mode), for: id)
        return try device(text)
    }

    /// Without a mode of its own a device goes by the configuration's, as when nobody ever chose one.
    func clearMode(_ text: String) async throws -> HTTPResponse {
        let configuration = try state(text).configuration
        try await services.controller.setMode(configuration.mode ?? .guided, for: configuration.id)
        return try device(text)
    }

    func setGoal(_ request: HTTPRequest, _ text: String) async throws -> HTTPResponse {
        let state = try state(text)
        let goal = try decoded(GoalRequest.self, request, .goal).goal(for: state, at: services.clock.now)
        try await services.controller.setGoal(goal, for: state.configuration.id)
        return try device(text)
    }

    func clearGoal(_ text: String) async throws -> HTTPResponse {
        try await services.controller.setGoal(nil, for: try state(text).configuration.id)
        return try device(text)
    }

    func setLimit(_ request: HTTPRequest, _ text: String) async throws -> HTTPResponse {
        let id = try state(text).configuration.id
        try await services.controller.setLimit(try decoded(PriceLimit.self, request, .limit), for: id)
        return try device(text)
    }

    func clearLimit(_ text: String) async throws -> HTTPResponse {
        try await services.controller.setLimit(nil, for: try state(text).configuration.id)
        return try device(text)
    }
}
