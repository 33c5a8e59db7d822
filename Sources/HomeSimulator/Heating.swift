import Foundation

/// A heat pump and the rooms it heats, as a first-order store of heat.
package struct Heating: Sendable, Codable, Equatable {
    /// What the pump was told by its smart-grid interface.
    package enum Order: String, Sendable, Codable {
        case blocked, normal, boosted
    }

    /// The order in force.
    package var order = Order.normal
    /// Whether its power is limited.
    package var isLimited: Bool?
    /// The most it may draw then, in watts.
    package var limitWatts: Double?
    /// The temperature of the rooms.
    package var roomCelsius = 20.8
    /// The temperature outside.
    package var outdoorCelsius = 8.0
    /// The temperature of the water it sends into the floor.
    package var flowCelsius = 30.0
    /// The temperature people set on the pump.
    package var setpointCelsius = 21.0
    /// Electrical power.
    package var watts = 0.0
    /// Whether the compressor runs.
    package var isRunning: Bool { watts > 0 }

    /// Heat that leaves the house for each kelvin of difference, in watts.
    static let lossWattsPerKelvin = 210.0
    /// Heat that the house stores for each kelvin, in watt-hours.
    static let capacityWattHoursPerKelvin = 9_500.0
    static let leastWatts = 700.0
    static let mostWatts = 3_600.0

    mutating func step(_ seconds: Double, weather: Weather) {
        outdoorCelsius = weather.outdoorCelsius
        watts = power()
        let heat = watts * performance + weather.gainWatts
        let loss = Heating.lossWattsPerKelvin * (roomCelsius - outdoorCelsius)
        roomCelsius += (heat - loss) * seconds / 3600 / Heating.capacityWattHoursPerKelvin
        let flowTarget = isRunning ? 30 + watts / 500 : roomCelsius + 2
        flowCelsius += (flowTarget - flowCelsius) * min(1, seconds / 600)
    }

    /// Heat for each unit of electricity: better when it is mild outside.
    private var performance: Double { max(2.2, min(5, 3.4 + 0.07 * outdoorCelsius)) }

    private func power() -> Double {
        guard order != .blocked else { return 0 }
        let target = setpointCelsius + (order == .boosted ? 1 : 0)
        let missing = target - roomCelsius
        // It stays on until half a kelvin above, so that the compressor does not start every few minutes.
        guard missing > (isRunning ? -0.3 : 0.2) else { return 0 }
        let need = Heating.lossWattsPerKelvin * max(0, target - outdoorCelsius) + missing * 4_000
        let most = isLimited == true ? min(limitWatts ?? .infinity, Heating.mostWatts) : Heating.mostWatts
        // Below its least power a compressor does not run.
        return most < Heating.leastWatts ? 0 : min(most, max(Heating.leastWatts, need / performance))
    }
}
