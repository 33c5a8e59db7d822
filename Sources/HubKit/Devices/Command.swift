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
    /// Run as it would by itself, at once: the hub looks after it no longer, so no dwell time may hold this up.
    case release

    /// Commands of the same slot replace each other: only the newest counts.
    public enum Slot: Hashable, Sendable { case current, phases, setpoint, reduce }

    /// The slot this command belongs to.
    public var slot: Slot {
        switch self {
        case .limitCurrent: .current
        case .usePhases: .phases
        case .setSetpoint: .setpoint
        case .reduce, .release: .reduce
        }
    }
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
