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
    ///   - now: the present moment; what flowed since the reading is counted by its power.
    static func of(
        _ goal: DeviceUse.StoredGoal, reading: DeviceReading, stateOfCharge: Double?, vehicle: VehicleConfiguration?,
        at now: Date
    ) -> EnergyNeed {
        // Once reached it stays so: the last few watt-hours are not worth another start.
        let enough = goal.isReached ? 50.0 : 1.0
        if let percent = goal.stateOfCharge {
            guard let capacity = vehicle?.capacityWattHours, let vehicle else {
                return .unknown("a goal in percent needs the car's capacity; add vehicle: {capacity_kwh: 58}")
            }
            // With nothing known of the battery, assume that it is empty: the goal is then surely met.
            let missing = max(0, percent - (stateOfCharge ?? 0)) / 100 * capacity / vehicle.efficiency
            return missing < enough ? .reached : .wattHours(missing)
        }
        guard let counter = counter(reading, at: now), let baseline = goal.baselineWattHours else {
            return .unknown("the charger's counter is not known yet")
        }
        let missing = (goal.energyWattHours ?? 0) - (counter - baseline)
        return missing < enough ? .reached : .wattHours(missing)
    }

    /// The counter as it stands now: what was read, and what has flowed since at the power that was read.
    ///
    /// Without that a charger stops up to a whole polling interval too late; not more than a minute is added, since an
    /// old reading says nothing of the present.
    private static func counter(_ reading: DeviceReading, at now: Date) -> Double? {
        guard let counter = reading[.importWattHours] else { return nil }
        guard reading.charging == .charging, let watts = reading.powerWatts, watts > 0 else { return counter }
        return counter + watts * min(60, max(0, now.timeIntervalSince(reading.at))) / 3600
    }
}
