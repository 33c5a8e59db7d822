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
    ///   - counted: the charger's counter in watt-hours.
    ///   - stateOfCharge: the car's charge in percent, measured or estimated.
    ///   - vehicle: what is known of the car.
    static func of(
        _ goal: DeviceUse.StoredGoal, counted: Double?, stateOfCharge: Double?, vehicle: VehicleConfiguration?
    ) -> EnergyNeed {
        if let percent = goal.stateOfCharge {
            guard let capacity = vehicle?.capacityWattHours, let vehicle else {
                return .unknown("a goal in percent needs the car's capacity; add vehicle: {capacity_kwh: 58}")
            }
            guard let stateOfCharge else { return .unknown("the car's charge is not known yet") }
            let missing = max(0, percent - stateOfCharge) / 100 * capacity / vehicle.efficiency
            return missing < 1 ? .reached : .wattHours(missing)
        }
        guard let counted, let baseline = goal.baselineWattHours else {
            return .unknown("the charger's counter is not known yet")
        }
        let missing = (goal.energyWattHours ?? 0) - (counted - baseline)
        return missing < 1 ? .reached : .wattHours(missing)
    }
}

/// The car's charge: what was read, or what can be worked out since it was plugged in.
enum StateOfCharge {
    /// Percent, or nothing where neither a measurement nor a counter exists.
    /// - Parameters:
    ///   - reading: the charger's last reading.
    ///   - use: where the car was plugged in, by the counter.
    ///   - counted: the charger's counter in watt-hours.
    ///   - vehicle: what is known of the car.
    static func percent(
        _ reading: DeviceReading, use: DeviceUse, counted: Double?, vehicle: VehicleConfiguration?
    ) -> Double? {
        if let measured = reading[.stateOfChargePercent] { return measured }
        guard let vehicle, let capacity = vehicle.capacityWattHours, let counted,
            let start = use.pluggedAtWattHours ?? use.charging?.baselineWattHours
        else { return nil }
        // With nothing known of the battery, assume that it was empty: the goal is then surely met.
        let assumed = vehicle.assumedStateOfCharge ?? 0
        return min(100, assumed + max(0, counted - start) * vehicle.efficiency / capacity * 100)
    }
}
