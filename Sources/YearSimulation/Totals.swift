import Foundation
import HubKit

/// What a way of charging costs over a year.
struct Totals: Sendable, Encodable {
    var cost = 0.0
    var kilograms = 0.0
    var kilowattHours = 0.0
    /// Stays in which the car did not have what it needed when it left.
    var missed = 0
    /// The longest time in which some limit was exceeded, in seconds.
    var overloadSeconds = 0.0

    /// Kelvin times hours in which a heated room was outside its comfort band for the heat pump's part.
    var degreeHours = 0.0

    /// Counts what a battery holds more at the end than at the beginning as what it saves of a cheap hour.
    mutating func credit(_ wattHours: Double, _ battery: BatteryConfiguration, _ year: Year) {
        let prices = year.hours.map(\.price).sorted()
        guard !prices.isEmpty else { return }
        cost -= wattHours / 1000 * battery.efficiency.squareRoot() * prices[prices.count / 4]
    }

    /// Adds what loads cost beyond the house without them: the sun is used before the grid, and what is given back counts
    /// as what it saves.
    mutating func add(_ watts: Double, _ home: Home, _ year: Year, at now: Date, seconds: Double) {
        guard watts != 0 else { return }
        let hours = seconds / 3600
        kilowattHours += watts * hours / 1000
        guard let hour = year.hour(at: now) else { return }
        let without = home.loadWatts(now) - home.sunWatts(now)
        func bought(_ net: Double) -> Double { max(0, net) }
        func money(_ net: Double) -> Double { net > 0 ? net * hour.price : net * home.feedIn }
        cost += (money(without + watts) - money(without)) * hours / 1000
        kilograms += (bought(without + watts) - bought(without)) * hours / 1000 * hour.grams / 1000
    }
}
