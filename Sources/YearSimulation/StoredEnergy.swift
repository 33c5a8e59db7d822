import Foundation
import HubKit

/// A home battery as it really is: it follows the house by what flows, within what it holds.
struct StoredEnergy: Sendable {
    let battery: BatteryConfiguration
    private(set) var heldWattHours: Double

    /// What it holds more than at the beginning.
    var gainWattHours: Double { heldWattHours - battery.capacityWattHours / 2 }

    init(_ battery: BatteryConfiguration) {
        self.battery = battery
        heldWattHours = battery.capacityWattHours / 2
    }

    var percent: Double { heldWattHours / battery.capacityWattHours * 100 }

    private var oneWay: Double { battery.efficiency.squareRoot() }

    /// What it would draw with an order beside a net load, in watts; below zero it gives.
    func watts(_ order: BatteryOrder, besideWatts net: Double, seconds: Double) -> Double {
        let hours = seconds / 3600
        let least = battery.capacityWattHours * battery.minimumStateOfCharge / 100
        let room = max(0, battery.capacityWattHours - heldWattHours) / oneWay / hours
        let there = max(0, heldWattHours - least) * oneWay / hours
        let own =
            net < 0
            ? min(-net, battery.chargeWatts, room) : -min(net, battery.dischargeWatts, there)
        return switch order {
        case .automatic: own
        case .hold: max(0, own)
        case .charge(let watts): max(min(watts, battery.chargeWatts, room), 0)
        }
    }

    /// Takes or gives a power.
    mutating func flow(_ watts: Double, seconds: Double) {
        heldWattHours += (watts > 0 ? watts * oneWay : watts / oneWay) * seconds / 3600
    }
}
