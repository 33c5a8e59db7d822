public import Foundation

/// Any of the load events, for code that handles mixed batches.
///
/// An addition to Apple's surface. An event is large and handed on often, so a copy is a reference to it.
///
/// ## File Format
/// Each event keeps its own JSON; reading tells them apart by the measurement: `stage` is HVAC, `stateOfCharge` or
/// `direction` an electric vehicle, and an event without a measurement but with a `status` is an electric vehicle's status.
public indirect enum AnyLoadEvent: Sendable, Identifiable {
    /// A car's charging or discharging.
    case electricVehicle(ElectricVehicleLoadEvent)
    /// A heating or cooling device.
    case hvac(ElectricHVACLoadEvent)
    /// What a car's charging is doing, and why.
    case electricVehicleStatus(ElectricVehicleStatusEvent)

    /// Wraps one of the three events; `nil` for any other type.
    public init?(_ event: any ElectricalLoadEventProtocol) {
        switch event {
        case let event as ElectricVehicleLoadEvent: self = .electricVehicle(event)
        case let event as ElectricHVACLoadEvent: self = .hvac(event)
        case let event as ElectricVehicleStatusEvent: self = .electricVehicleStatus(event)
        default: return nil
        }
    }

    /// The event itself.
    public var event: any ElectricalLoadEventProtocol {
        switch self {
        case .electricVehicle(let event): event
        case .hvac(let event): event
        case .electricVehicleStatus(let event): event
        }
    }

    /// The event's own identifier.
    public var id: UUID {
        switch self {
        case .electricVehicle(let event): event.id
        case .hvac(let event): event.id
        case .electricVehicleStatus(let event): event.id
        }
    }

    /// When the event happened.
    public var timestamp: Date {
        switch self {
        case .electricVehicle(let event): event.timestamp
        case .hvac(let event): event.timestamp
        case .electricVehicleStatus(let event): event.timestamp
        }
    }

    /// The device that reported.
    public var deviceID: String {
        switch self {
        case .electricVehicle(let event): event.deviceID
        case .hvac(let event): event.deviceID
        case .electricVehicleStatus(let event): event.deviceID
        }
    }

    /// The device's description, if the event has one.
    public var device: ElectricalLoadDevice? {
        switch self {
        case .electricVehicle(let event): event.device
        case .hvac(let event): event.device
        case .electricVehicleStatus(let event): event.device
        }
    }

    /// The session that the event belongs to; `nil` for a status event outside any session.
    public var sessionID: UUID? {
        switch self {
        case .electricVehicle(let event): event.session.id
        case .hvac(let event): event.session.id
        case .electricVehicleStatus(let event): event.sessionIdentifier
        }
    }

    /// The token of the guidance that the event quotes; `nil` for a status event.
    public var guidanceToken: UUID? {
        switch self {
        case .electricVehicle(let event): event.session.guidanceState.guidanceToken
        case .hvac(let event): event.session.guidanceState.guidanceToken
        case .electricVehicleStatus: nil
        }
    }
}
