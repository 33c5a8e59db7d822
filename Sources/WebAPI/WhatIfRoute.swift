import Control
import Foundation
import HubKit
import WebServer

extension HubAPI {
    /// What would be planned for a charger with another goal.
    func whatIf(_ request: HTTPRequest, _ text: String) async throws -> HTTPResponse {
        let state = try state(text)
        let id = state.configuration.id
        let energy = try request.number("energyWattHours"), percent = try request.number("stateOfCharge")
        guard (energy == nil) != (percent == nil) else {
            throw Problem.badRequest("give energyWattHours or stateOfCharge, one of the two")
        }
        let amount: ChargingGoal.Amount =
            energy.map { .energy(wattHours: $0) } ?? .stateOfCharge(percent: percent ?? 0)
        let goal = ChargingGoal(
            amount: amount, readyBy: try request.requiredTime("readyBy"), setAt: services.clock.now)
        let answer = try await services.controller.whatIf(goal, for: id)
        return try json(
            WhatIfJSON(
                answer, current: services.plans[id],
                currency: services.venues[state.configuration.venueID]?.currency))
    }
}
