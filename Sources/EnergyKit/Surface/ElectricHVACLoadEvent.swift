public import Foundation

/// One report of a heating or cooling device.
///
/// A session goes `begin` → `active` … → `end` under one session id. Begin and end carry stage 0; every change of stage
/// is an event. Initialisers keep what they are given; `EnergyVenue.submitEvents(_:)` judges it.
public struct ElectricHVACLoadEvent: ElectricalLoadEventProtocol {
    /// Events are identified by a UUID.
    public typealias ID = UUID

    /// The event's own identifier; submitting the same event again is harmless.
    public let id: UUID
    /// When the measurement was taken.
    public let timestamp: Date
    /// The device that measured.
    public let deviceID: String
    /// What was measured.
    public let measurement: ElectricalMeasurement
    /// The session that the measurement belongs to.
    public let session: Session

    let loadDevice: ElectricalLoadDevice?

    /// The device's name, made fit to show: at most 250 UTF-16 units, no control characters, never empty.
    public var deviceName: String {
        DeviceName.shown(loadDevice?.name, deviceID: deviceID, fallback: "HVAC")
    }

    /// Makes an event with a fresh identifier.
    ///
    /// From 27 on, give the whole device instead.
    @available(iOS, introduced: 26.0, deprecated: 27.0, message: "give the whole device")
    public init(timestamp: Date, measurement: ElectricalMeasurement, session: Session, deviceID: String) {
        self.init(
            id: UUID(), timestamp: timestamp, measurement: measurement, session: session, deviceID: deviceID,
            loadDevice: nil)
    }

    /// Makes an event with a fresh identifier.
    public init(timestamp: Date, measurement: ElectricalMeasurement, session: Session, device: ElectricalLoadDevice) {
        self.init(
            id: UUID(), timestamp: timestamp, measurement: measurement, session: session, deviceID: device.id,
            loadDevice: device)
    }

    init(
        id: UUID, timestamp: Date, measurement: ElectricalMeasurement, session: Session, deviceID: String,
        loadDevice: ElectricalLoadDevice?
    ) {
        self.id = id
        self.timestamp = timestamp
        self.deviceID = deviceID
        self.measurement = measurement
        self.session = session
        self.loadDevice = loadDevice
    }
}

extension ElectricHVACLoadEvent {
    /// What a heating or cooling device reports.
    public struct ElectricalMeasurement: Sendable {
        /// The device's power in percent of its most, 0 (idle) to 100.
        public let stage: Int

        /// Makes a measurement.
        public init(stage: Int) {
            self.stage = stage
        }
    }

    /// The run that a measurement belongs to.
    public struct Session: Codable, Sendable {
        /// The same from the session's begin to its end.
        public let id: UUID
        /// Where in the session the measurement stands.
        public let state: State
        /// The guidance in force.
        public let guidanceState: GuidanceState

        /// Names a session and the measurement's place in it.
        public init(id: UUID, state: State, guidanceState: GuidanceState) {
            self.id = id
            self.state = state
            self.guidanceState = guidanceState
        }

        /// A measurement's place in its session.
        ///
        /// The raw value is the name in JSON.
        public enum State: String, Codable, Equatable, Hashable, Sendable {
            /// The device starts.
            case begin
            /// The device runs.
            case active
            /// The device has gone idle.
            case end
        }

        /// Which guidance was in force, and whether the device kept to it.
        public struct GuidanceState: Codable, Sendable {
            /// Whether the device followed the guidance at that time.
            public let wasFollowingGuidance: Bool
            /// The token of the guidance.
            public var guidanceToken: UUID

            /// Quotes a guidance.
            public init(wasFollowingGuidance: Bool, guidanceToken: UUID) {
                self.wasFollowingGuidance = wasFollowingGuidance
                self.guidanceToken = guidanceToken
            }
        }
    }
}
