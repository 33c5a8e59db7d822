import Foundation
import HubKit

/// The most a device may draw.
enum PowerLimit: Equatable, Sendable {
    /// What it wants.
    case none
    /// This many watts.
    case watts(Double)
}

/// What one tick decided about heating or cooling.
struct HeatPumpDecision: Equatable, Sendable {
    /// The load state; nothing leaves it as it is.
    var state: ReduceState?
    /// Whether the hub lets go of it: then it is to run as by itself at once, whatever state it was put in a moment ago.
    var isRelease = false
    /// Whether a limit from outside asks for it: then no dwell time may hold it up.
    var isLock = false
    /// The setpoint to write, where the device takes one.
    var setpointCelsius: Double?
    /// What a device without that load state is brought to by its setpoint or a shift of it.
    var aim: ReduceState?
    /// The shift of its own setpoint, in kelvin, where the device takes one.
    var offsetKelvin: Double?
    /// The own surplus to offer, in watts, where the device takes it.
    var surplusWatts: Double?
    /// The limit of power to set, where the device takes one and someone outside sets limits.
    var powerLimit: PowerLimit?
    /// Why, in a few words that stay the same while nothing changes.
    var reason: String
    /// The guidance it works under.
    var guidance: FollowedGuidance?
}
