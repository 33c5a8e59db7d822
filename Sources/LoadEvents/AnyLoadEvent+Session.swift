import EnergyKit
import Foundation

extension AnyLoadEvent {
    /// Where in its session the event stands: `begin`, `active` or `end`; `nil` for a status event.
    var stateName: String? {
        switch self {
        case .electricVehicle(let event): event.session.state.rawValue
        case .hvac(let event): event.session.state.rawValue
        case .electricVehicleStatus: nil
        }
    }

    /// Whether the device kept to the guidance it quotes; `nil` for a status event.
    var wasFollowing: Bool? {
        switch self {
        case .electricVehicle(let event): event.session.guidanceState.wasFollowingGuidance
        case .hvac(let event): event.session.guidanceState.wasFollowingGuidance
        case .electricVehicleStatus: nil
        }
    }

    /// What kind of session it belongs to, with the direction of the flow.
    var flowName: String {
        switch self {
        case .electricVehicle(let event): event.measurement.direction == .imported ? "ev imported" : "ev exported"
        case .hvac: "hvac"
        case .electricVehicleStatus: "status"
        }
    }

    /// The energy since the session's begin in watt-hours, where the event tells one.
    var energyWattHours: Double? {
        guard case .electricVehicle(let event) = self else { return nil }
        return event.measurement.energy.wattHours
    }

    /// Whether some of the energy was worked out from the power.
    var isEstimated: Bool {
        guard case .electricVehicle(let event) = self else { return false }
        return event.measurement.isEnergyEstimated
    }

    /// Whether power or stage is above 0.
    var isRunning: Bool {
        switch self {
        case .electricVehicle(let event): event.measurement.power.watts > 0
        case .hvac(let event): event.measurement.stage > 0
        case .electricVehicleStatus: false
        }
    }
}
