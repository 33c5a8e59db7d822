import Foundation

/// What a way of charging costs over a year.
struct Totals: Sendable, Encodable {
    var cost = 0.0
    var kilograms = 0.0
    var kilowattHours = 0.0
    /// Stays in which the car did not have what it needed when it left.
    var missed = 0
    /// The longest time in which some limit was exceeded, in seconds.
    var overloadSeconds = 0.0

    /// Adds what a power costs more than without it, with the sun used before the grid.
    mutating func add(_ watts: Double, _ home: Home, _ year: Year, at now: Date, seconds: Double) {
        guard watts > 0 else { return }
        let hours = seconds / 3600
        kilowattHours += watts * hours / 1000
        guard let hour = year.hour(at: now) else { return }
        let net = home.loadWatts(now) - home.sunWatts(now)
        let own = min(watts, max(0, -net))
        cost += (own * home.feedIn + (watts - own) * hour.price) * hours / 1000
        kilograms += (watts - own) * hours / 1000 * hour.grams / 1000
    }
}
