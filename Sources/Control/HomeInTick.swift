import Foundation
import HubKit

/// What one tick knows of a home's batteries and heating, worked out once for all of its devices.
struct HomeInTick: Sendable {
    /// The home batteries.
    private(set) var batteries: [DeviceState] = []
    /// Heating and cooling, in the order of the configuration.
    private(set) var pumps: [DeviceState] = []
    /// What heating rods draw of the own surplus, in watts.
    private(set) var rodWatts = 0.0
    /// What heat pumps draw because of the own surplus, in watts.
    private(set) var boostWatts = 0.0
    /// What each was offered or asked to take and the grid meter has not seen, in watts.
    private var pending: [DeviceID: Double] = [:]
    private var allPending = 0.0

    /// Adds a device of the home.
    mutating func add(_ device: DeviceState, _ control: HeatPumpControl?, at now: Date) {
        if device.configuration.role == .battery { batteries.append(device) }
        guard device.kind == .hvac else { return }
        pumps.append(device)
        guard let control else { return }
        let drawn = control.surplusDrawn(by: device)
        if device.capabilities.hvac?.drawsOnlySurplus == true { rodWatts += drawn } else { boostWatts += drawn }
        note(device, control, at: now)
    }

    /// Notes what a device was offered: it is not there for another.
    mutating func note(_ device: DeviceState, _ control: HeatPumpControl, at now: Date) {
        let watts = control.surplus.pendingWatts(
            drawn: device.reading?.powerWatts,
            drawsOnlyThis: device.capabilities.hvac?.drawsOnlySurplus == true, at: now)
        allPending += watts - (pending.updateValue(watts, forKey: device.configuration.id) ?? 0)
    }

    /// What others than a device were offered and the grid meter has not seen, in watts.
    func pendingWatts(beside id: DeviceID) -> Double { allPending - (pending[id] ?? 0) }

    /// What the batteries give now, in watts, negative where they take what others may have instead; absent where one of
    /// them is not heard.
    /// - Parameters:
    ///   - seconds: how old a reading may be.
    ///   - now: the present moment.
    func batteryWatts(within seconds: Double, at now: Date) -> Double? {
        batteries.reduce(0.0 as Double?) { sum, device in
            guard let sum, let reading = device.freshReading(within: seconds, at: now), let watts = reading.powerWatts
            else { return nil }
            let priority = device.configuration.battery?.priorityStateOfCharge ?? 100
            let isServed = reading[.stateOfChargePercent].map { $0 >= priority } ?? false
            return sum + (isServed ? watts : max(0, watts))
        }
    }
}
