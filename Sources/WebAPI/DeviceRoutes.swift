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

    private func state(_ text: String) throws -> DeviceState {
        guard let id = DeviceID(text), let state = services.board[id] else {
            throw Problem(404, "notFound", "there is no device '\(text)'; GET /api/v1/devices lists them")
        }
        return state
    }

    private struct ModeBody: Decodable { var mode: String }

    func setMode(_ request: HTTPRequest, _ text: String) async throws -> HTTPResponse {
        let id = try state(text).configuration.id
        let body = try decoded(ModeBody.self, request)
        guard let mode = DeviceMode(rawValue: body.mode) else {
            let known = DeviceMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(422, "refused", "'\(body.mode)' is not a mode; use one of \(known)")
        }
        try await services.controller.setMode(mode, for: id)
        return try device(text)
    }

    private struct GoalBody: Decodable {
        var energyWattHours: Double?
        var stateOfCharge: Double?
        var readyBy: Date?
        var minimumAmps: Double?
        var repeatsDaily: Bool?
        var setpointCelsius: Double?
        var comfortBandKelvin: Double?
    }

    func setGoal(_ request: HTTPRequest, _ text: String) async throws -> HTTPResponse {
        let state = try state(text)
        let body = try decoded(GoalBody.self, request)
        let id = state.configuration.id
        if let setpoint = body.setpointCelsius {
            let before: Double? = if case .comfort(let goal) = state.goal { goal.comfortBandKelvin } else { nil }
            let goal = ComfortGoal(setpointCelsius: setpoint, comfortBandKelvin: body.comfortBandKelvin ?? before ?? 1)
            try await services.controller.setGoal(.comfort(goal), for: id)
            return try device(text)
        }
        let amounts = [body.energyWattHours, body.stateOfCharge].compactMap(\.self)
        guard amounts.count == 1 else {
            throw Problem(422, "refused", "a goal is energyWattHours or stateOfCharge, or for heating setpointCelsius")
        }
        guard let readyBy = body.readyBy else { throw Problem(422, "refused", "a charging goal needs readyBy") }
        let amount: ChargingGoal.Amount =
            body.energyWattHours.map { .energy(wattHours: $0) } ?? .stateOfCharge(percent: body.stateOfCharge ?? 0)
        let goal = ChargingGoal(
            amount: amount, readyBy: readyBy, repeatsDaily: body.repeatsDaily ?? false, minimumAmps: body.minimumAmps,
            setAt: services.clock.now)
        try await services.controller.setGoal(.charge(goal), for: id)
        return try device(text)
    }

    func clearGoal(_ text: String) async throws -> HTTPResponse {
        try await services.controller.setGoal(nil, for: try state(text).configuration.id)
        return try device(text)
    }
}
