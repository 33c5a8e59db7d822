public import Foundation

/// One report of a car's charging or discharging.
///
/// A session goes `begin` → `active` … → `end` under one session id. Begin and end carry power 0; energy counts up from
/// the session's begin. Initialisers keep what they are given; `EnergyVenue.submitEvents(_:)` judges it.
public struct ElectricVehicleLoadEvent: ElectricalLoadEventProtocol {
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
        DeviceName.shown(loadDevice?.name, deviceID: deviceID, fallback: "Electric vehicle")
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

extension ElectricVehicleLoadEvent {
    /// What a car's charger measured.
    public struct ElectricalMeasurement: Sendable {
        /// The battery's state of charge in percent, 0 to 100.
        public let stateOfCharge: Int
        /// Whether the car charges or feeds back.
        public let direction: ElectricityFlowDirection
        /// The power now, never negative; the direction says which way it flows.
        public let power: Measurement<UnitPower>
        /// The energy since the session's begin, never negative.
        public let energy: Measurement<UnitEnergy>

        let metrics: PerformanceMetrics?
        let isEstimated: Bool

        /// What else the car told, if anything.
        public var performanceMetrics: PerformanceMetrics? { metrics }

        /// Makes a measurement.
        ///
        /// From 27 on, give the performance metrics too.
        @available(iOS, introduced: 26.0, deprecated: 27.0, message: "give the performance metrics too")
        public init(
            stateOfCharge: Int, direction: ElectricityFlowDirection, power: Measurement<UnitPower>,
            energy: Measurement<UnitEnergy>
        ) {
            self.init(
                stateOfCharge: stateOfCharge, direction: direction, power: power, energy: energy,
                performanceMetrics: nil)
        }

        /// Makes a measurement.
        public init(
            stateOfCharge: Int, direction: ElectricityFlowDirection, power: Measurement<UnitPower>,
            energy: Measurement<UnitEnergy>, performanceMetrics: PerformanceMetrics?
        ) {
            self.init(
                stateOfCharge: stateOfCharge, direction: direction, power: power, energy: energy,
                performanceMetrics: performanceMetrics, isEnergyEstimated: false)
        }

        init(
            stateOfCharge: Int, direction: ElectricityFlowDirection, power: Measurement<UnitPower>,
            energy: Measurement<UnitEnergy>, metrics: PerformanceMetrics?, isEstimated: Bool
        ) {
            self.stateOfCharge = stateOfCharge
            self.direction = direction
            self.power = power
            self.energy = energy
            self.metrics = metrics
            self.isEstimated = isEstimated
        }

        /// What a car tells beyond the electricity itself.
        public struct PerformanceMetrics: Sendable {
            /// How far the car would get now.
            public let estimatedRange: Measurement<UnitLength>?
            /// The battery's temperature.
            public let batteryTemperature: Measurement<UnitTemperature>?

            /// Makes metrics of what is known.
            public init(
                estimatedRange: Measurement<UnitLength>? = nil, batteryTemperature: Measurement<UnitTemperature>? = nil
            ) {
                self.estimatedRange = estimatedRange
                self.batteryTemperature = batteryTemperature
            }
        }
    }

    /// The charging or discharging session that a measurement belongs to.
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
            /// The flow of electricity starts here.
            case begin
            /// Electricity flows.
            case active
            /// The flow has stopped; these are the final values.
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
