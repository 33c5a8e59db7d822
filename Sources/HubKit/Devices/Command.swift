public import Foundation

/// What the hub can ask of a device.
public enum DeviceCommand: Sendable, Equatable, Hashable {
    /// Offer the car this current for each phase, in amps; 0 pauses charging.
    case limitCurrent(amps: Double)
    /// Charge on this many phases.
    case usePhases(Int)
    /// Heat or cool to this temperature in °C.
    case setSetpoint(celsius: Double)
    /// Draw less, more or as usual.
    case reduce(ReduceState)
    /// Heat or cool to this many kelvin above (below, where negative) the device's own setpoint; 0 is its own.
    case shiftSetpoint(kelvin: Double)
    /// Use this much of the own surplus, in watts; 0 is none, and no order to rest.
    case offerSurplus(watts: Double)
    /// Draw no more than this, in watts; nothing lifts the limit.
    case limitPower(watts: Double?)
    /// What a home battery is to do.
    case battery(BatteryOrder)
    /// Draw as little as it can, at once: a limit from outside, which no dwell time may hold up.
    case lock
    /// Run as it would by itself, at once: the hub looks after it no longer, so no dwell time may hold this up.
    case release

    /// Commands of the same slot replace each other: only the newest counts.
    public enum Slot: Hashable, Sendable {
        case current, phases, setpoint, reduce, offset, surplus, powerLimit, battery
    }

    /// The slot this command belongs to.
    public var slot: Slot {
        switch self {
        case .limitCurrent: .current
        case .usePhases: .phases
        case .setSetpoint: .setpoint
        case .reduce, .lock, .release: .reduce
        case .shiftSetpoint: .offset
        case .offerSurplus: .surplus
        case .limitPower: .powerLimit
        case .battery: .battery
        }
    }
}

/// What the hub can ask of a home battery.
///
/// A device falls back to `automatic` by itself a while after it last heard another order, so that a hub that died leaves
/// no battery behind that fills or rests.
public enum BatteryOrder: Sendable, Equatable, Hashable {
    /// Follow the house: charge what it has left, give what it needs.
    case automatic
    /// Give nothing; what is left over may be charged.
    case hold
    /// Charge with this power at least, from the grid where the sun does not suffice, in watts.
    case charge(watts: Double)
}

/// The device's answer to a command.
public struct CommandReceipt: Sendable, Equatable {
    /// What became of the command.
    public enum Outcome: Sendable, Equatable {
        /// It was written to the device.
        case applied
        /// The device had it already; nothing was written.
        case unchanged
        /// It was not carried out, and why.
        case refused(reason: String)
        /// It will be carried out later, such as after a minimum running time.
        case deferred(until: Date, reason: String)
    }

    /// The command.
    public let command: DeviceCommand
    /// When the outcome was known.
    public let at: Date
    /// What became of it.
    public let outcome: Outcome

    /// Makes a receipt.
    public init(_ command: DeviceCommand, at: Date, outcome: Outcome) {
        self.command = command
        self.at = at
        self.outcome = outcome
    }
}
