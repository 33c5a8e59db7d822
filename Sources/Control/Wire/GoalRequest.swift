package import Foundation
package import HubKit

/// A goal as HTTP and MQTT bring it.
package struct GoalRequest: Decodable, Sendable {
    var energyWattHours: Double?
    var stateOfCharge: Double?
    var readyBy: Date?
    var minimumAmps: Double?
    var repeatsDaily: Bool?
    var setpointCelsius: Double?
    var comfortBandKelvin: Double?

    /// What is asked for.
    /// - Parameters:
    ///   - device: the device it is for; a comfort band that is not named stays as it is.
    ///   - now: the moment energy is counted from.
    ///   - keepsTime: whether a charging goal without a time keeps that of the goal in force.
    /// - Throws: `HubError` that says what is missing.
    package func goal(
        for device: DeviceState, at now: Date, keepsTime: Bool = false
    ) throws(HubError) -> DeviceGoal {
        let isForCharging = [energyWattHours, stateOfCharge, minimumAmps].contains { $0 != nil } || readyBy != nil
        guard !isForCharging && repeatsDaily == nil || setpointCelsius == nil && comfortBandKelvin == nil else {
            throw HubError(.refused, "a goal is for charging or for heating; give the members of one of them")
        }
        if let setpoint = setpointCelsius {
            var band = 1.0
            if case .comfort(let before) = device.goal { band = before.comfortBandKelvin }
            return .comfort(ComfortGoal(setpointCelsius: setpoint, comfortBandKelvin: comfortBandKelvin ?? band))
        }
        guard (energyWattHours == nil) != (stateOfCharge == nil) else {
            throw HubError(.refused, "a goal is energyWattHours or stateOfCharge, or for heating setpointCelsius")
        }
        var before: ChargingGoal?
        if keepsTime, readyBy == nil, case .charge(let goal) = device.goal { before = goal }
        guard let readyBy = readyBy ?? before?.readyBy else {
            throw HubError(.refused, "a charging goal needs readyBy")
        }
        let amount: ChargingGoal.Amount =
            energyWattHours.map { .energy(wattHours: $0) } ?? .stateOfCharge(percent: stateOfCharge ?? 0)
        return .charge(
            ChargingGoal(
                amount: amount, readyBy: readyBy, repeatsDaily: repeatsDaily ?? before?.repeatsDaily ?? false,
                minimumAmps: minimumAmps ?? before?.minimumAmps,
                setAt: now))
    }
}

extension DeviceMode {
    /// The mode of this name.
    /// - Throws: `HubError` that lists the names.
    package init(named name: String) throws(HubError) {
        guard let mode = DeviceMode(rawValue: name) else {
            let known = DeviceMode.allCases.map(\.rawValue).joined(separator: ", ")
            throw HubError(.refused, "'\(name)' is not a mode; use one of \(known)")
        }
        self = mode
    }
}
