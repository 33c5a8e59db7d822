import EnergyKit
import Foundation
import HubKit

/// What one tick knows when it decides about a device.
struct TickInputs: Sendable {
    var now: Date
    var device: DeviceState
    var venue: Venue
    /// The grid meter's reading where it is fresh.
    var grid: DeviceReading?
    /// Why nobody can go by the grid meter, where that is so.
    var gridFault: String?
    /// The guidance in force for this device.
    var guidance: ElectricityGuidance?
    /// What a kilogram of carbon counts as money in plans.
    var carbonPricePerKg: Double
    /// What chargers that are served first mean to draw from the same connection.
    var reserved: [DevicePlan.Interval] = []
    /// What the sun is expected to give beyond what the house uses.
    var surplus: ExpectedSurplus?
    /// What the house draws by itself as a rule, for hours of which no forecast tells.
    var house = HouseLoad(watts: 0, uneven: UnevenLoad())
    /// What circuits and the grid operator allow the chargers of the home.
    var limits = HomeLimits()
    /// What home batteries give now, in watts, negative where they take what cars may have instead; absent where one of
    /// them is not heard.
    var batteryWatts: Double? = 0
    /// What heating draws of the own surplus now and would leave to a car, in watts.
    var yieldedWatts = 0.0
    /// What chargers are about to draw beyond what they draw, in watts.
    var pendingWatts = 0.0
    /// What heating and cooling take of a limit from outside, in watts.
    var heatingWatts = 0.0
    /// What a limit from outside leaves to this heating or cooling.
    var heatingShare: HeatingShare?
    /// What a limit from outside leaves beside all other heating and all chargers, in watts; absent without a limit.
    var limitLeftWatts: Double?
    /// Whether a car's deadline leaves little time, so that heat is not stored beside it.
    var carsHurry = false
    /// Whether it is known that nobody is at home.
    var isAway = false
    /// Whether the chargers of the home are planned together.
    var isPlannedInCommon = false
    /// The charger's part of the newest common plan.
    var offer: SharedPlanning.Offer?
}

extension TickInputs {
    /// What flows at the grid meter, positive for import, without what home batteries give, which is no surplus, or take
    /// although others come first.
    var gridWattsOfTheSun: Double? {
        guard let watts = grid?.powerWatts, let batteryWatts else { return nil }
        return watts + batteryWatts
    }

    /// Why nobody knows the own surplus.
    var surplusFault: String {
        gridFault ?? (batteryWatts == nil ? "the battery does not answer" : GridView.unusable)
    }
}

/// What one tick decided about a charger.
struct ChargerDecision: Equatable, Sendable {
    /// Amps for each phase; 0 pauses, nothing leaves the charger as it is.
    var amps: Double?
    /// Why, in a few words that stay the same while nothing changes.
    var reason: String
    /// The guidance it works under.
    var guidance: FollowedGuidance?
    /// The phases to charge on; nothing leaves them as they are.
    var phases: Int?
}

/// Tells a service that has not answered yet, as in the first moments after a start, from one that has nothing.
struct GuidanceWait: Equatable, Sendable {
    private var hadAny = false
    private var since: Date?

    /// How long the first answer may take, in seconds.
    static let patience = 60.0

    /// Whether to leave everything as it is a little longer.
    mutating func isWaiting(_ hasGuidance: Bool, at now: Date) -> Bool {
        if hasGuidance { hadAny = true }
        guard !hadAny else { return false }
        let start = since ?? now
        since = start
        return now.timeIntervalSince(start) < GuidanceWait.patience
    }

    /// Counts again from now, since the clock was set back.
    mutating func forgetFuture(at now: Date) {
        since = since.map { min($0, now) }
    }
}
