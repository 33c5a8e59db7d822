package import Foundation

/// What the configuration says about control.
package struct ControlSettings: Sendable, Equatable {
    /// Clock seconds between two ticks when nothing else happens.
    package var tickSeconds = 10.0
    /// The age in clock seconds at which the grid meter counts as dead.
    package var meterStaleSeconds = 60.0
    /// What a kilogram of carbon counts as money in plans, by venue; absent is nothing.
    package var carbonPricePerKg: [UUID: Double] = [:]
    /// What holds where a limit from outside is expected and nobody is heard, by venue.
    package var externalLimits: [UUID: ExternalLimitRules] = [:]
    /// What each circuit carries, by its name, in amps for each phase.
    package var circuitAmps: [String: Double] = [:]
    /// The homes of which another system tells whether anybody is there.
    package var presenceVenues: Set<UUID> = []
    /// Real seconds in which a common plan of several chargers has to be found.
    package var planningSeconds = 0.25

    /// The usual settings.
    package init() {}
}

/// A plan as it is kept on disk, to be taken up after a restart.
struct StoredPlan: Codable, Equatable {
    var computedAt: Date
    var token: UUID?
    var intervals: [DevicePlan.Interval]
    var energyWattHours: Double?
    var cost: Double?
    var costIfStartedNow: Double?
    var gramsCO2: Double?
    var unmetWattHours: Double
    var reason: String
}
