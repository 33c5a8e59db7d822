import Foundation
import HubKit

/// How much a car still needs, worked out from its goal and what is known; pure.
enum EnergyNeed: Equatable {
    /// The goal is reached.
    case reached
    /// This much at the meter, in watt-hours.
    case wattHours(Double)
    /// The counter or the battery is not known yet.
    case unknown(String)

    /// Works out the need.
    /// - Parameters:
    ///   - goal: what is wanted and from where it is counted.
    ///   - reading: the charger's last reading.
    ///   - stateOfCharge: the car's charge in percent, measured or estimated.
    ///   - vehicle: what is known of the car.
    static func of(
        _ goal: DeviceUse.StoredGoal, reading: DeviceReading, stateOfCharge: Double?, vehicle: VehicleConfiguration?
    ) -> EnergyNeed {
        if let percent = goal.stateOfCharge {
            guard let capacity = vehicle?.capacityWattHours, let vehicle else {
                return .unknown("a goal in percent needs the car's capacity; add vehicle: {capacity_kwh: 58}")
            }
            // With nothing known of the battery, assume that it is empty: the goal is then surely met.
            let missing = max(0, percent - (stateOfCharge ?? 0)) / 100 * capacity / vehicle.efficiency
            return missing < 1 ? .reached : .wattHours(missing)
        }
        guard let counter = reading[.importWattHours], let baseline = goal.baselineWattHours else {
            return .unknown("the charger's counter is not known yet")
        }
        let missing = (goal.energyWattHours ?? 0) - (counter - baseline)
        return missing < 1 ? .reached : .wattHours(missing)
    }
}
