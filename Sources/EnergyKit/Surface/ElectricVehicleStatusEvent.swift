public import Foundation

/// What a car's charging is doing at one moment, and why.
///
/// It needs no session; if it belongs to one, `sessionIdentifier` is the load events' session id.
public struct ElectricVehicleStatusEvent: ElectricalLoadEventProtocol {
    /// Events are identified by a UUID.
    public typealias ID = UUID

    /// The event's own identifier; submitting the same event again is harmless.
    public let id: UUID
    /// When this was so.
    public let timestamp: Date
    /// The device that reports.
    public let deviceID: String
    /// The device's name, made fit to show: at most 250 UTF-16 units, no control characters, never empty.
    public let deviceName: String
    /// The venue where the car stands.
    public let venueID: UUID
    /// What the charging is doing.
    public let status: Status
    /// The battery's state of charge in percent, 0 to 100.
    public let stateOfCharge: Int
    /// The energy stored in the battery now; not what was charged.
    public let energy: Measurement<UnitEnergy>
    /// How far the car would get now.
    public let estimatedRange: Measurement<UnitLength>?
    /// What is being charged towards.
    public let chargingTarget: ChargingTarget?
    /// The load events' session, if the status belongs to one.
    public let sessionIdentifier: UUID?

    let loadDevice: ElectricalLoadDevice?

    /// Makes an event with a fresh identifier.
    public init(
        timestamp: Date, device: ElectricalLoadDevice, venueID: UUID, status: Status, stateOfCharge: Int,
        energy: Measurement<UnitEnergy>, estimatedRange: Measurement<UnitLength>? = nil,
        chargingTarget: ChargingTarget? = nil, sessionIdentifier: UUID? = nil
    ) {
        self.init(
            id: UUID(), timestamp: timestamp, deviceID: device.id, device: device, venueID: venueID, status: status,
            stateOfCharge: stateOfCharge, energy: energy, estimatedRange: estimatedRange,
            chargingTarget: chargingTarget, sessionIdentifier: sessionIdentifier)
    }

    init(
        id: UUID, timestamp: Date, deviceID: String, device: ElectricalLoadDevice?, venueID: UUID, status: Status,
        stateOfCharge: Int, energy: Measurement<UnitEnergy>, estimatedRange: Measurement<UnitLength>?,
        chargingTarget: ChargingTarget?, sessionIdentifier: UUID?
    ) {
        self.id = id
        self.timestamp = timestamp
        self.deviceID = deviceID
        deviceName = DeviceName.shown(device?.name, deviceID: deviceID, fallback: "Electric vehicle")
        self.venueID = venueID
        self.status = status
        self.stateOfCharge = stateOfCharge
        self.energy = energy
        self.estimatedRange = estimatedRange
        self.chargingTarget = chargingTarget
        self.sessionIdentifier = sessionIdentifier
        loadDevice = device
    }

    /// What the charging is doing.
    public enum Status: Equatable, Hashable, Sendable {
        /// The car was plugged in; nothing is decided yet.
        case chargerPluggedIn
        /// The car was unplugged.
        case chargerUnplugged
        /// The car charges, and why.
        case chargingActive(ElectricVehicleChargingReason.ActiveReason)
        /// The car is connected and does not charge, and why.
        case chargingIdle(ElectricVehicleChargingReason.IdleReason)
    }

    /// What is being charged towards, and when.
    public struct ChargingTarget: Equatable, Hashable, Sendable {
        /// The state of charge asked for in percent, 0 to 100.
        public let stateOfCharge: Int
        /// When it should be reached.
        public let estimatedCompletionTime: Date
        /// When charging starts.
        public let scheduledStartTime: Date
        /// How far the car would get then.
        public let estimatedRangeAtTarget: Measurement<UnitLength>?

        /// Makes a target.
        public init(
            stateOfCharge: Int, estimatedCompletionTime: Date, scheduledStartTime: Date,
            estimatedRangeAtTarget: Measurement<UnitLength>? = nil
        ) {
            self.stateOfCharge = stateOfCharge
            self.estimatedCompletionTime = estimatedCompletionTime
            self.scheduledStartTime = scheduledStartTime
            self.estimatedRangeAtTarget = estimatedRangeAtTarget
        }
    }
}
