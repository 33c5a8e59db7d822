public import Foundation

// Apple's events choose their own identifier and show no device. These are additions.

extension ElectricVehicleLoadEvent {
    /// Makes an event with an identifier of the caller's.
    ///
    /// An addition to Apple's surface.
    /// - Parameters:
    ///   - id: the event's identifier.
    ///   - timestamp: when the measurement was taken.
    ///   - measurement: what was measured.
    ///   - session: the session it belongs to.
    ///   - deviceID: the device that measured.
    ///   - device: the same device's description, if known.
    public init(
        id: UUID, timestamp: Date, measurement: ElectricalMeasurement, session: Session, deviceID: String,
        device: ElectricalLoadDevice? = nil
    ) {
        self.init(
            id: id, timestamp: timestamp, measurement: measurement, session: session, deviceID: deviceID,
            loadDevice: device)
    }

    /// The device's description, if the event has one.
    ///
    /// An addition to Apple's surface.
    public var device: ElectricalLoadDevice? { loadDevice }
}

extension ElectricHVACLoadEvent {
    /// Makes an event with an identifier of the caller's.
    ///
    /// An addition to Apple's surface.
    /// - Parameters:
    ///   - id: the event's identifier.
    ///   - timestamp: when the measurement was taken.
    ///   - measurement: what was measured.
    ///   - session: the session it belongs to.
    ///   - deviceID: the device that measured.
    ///   - device: the same device's description, if known.
    public init(
        id: UUID, timestamp: Date, measurement: ElectricalMeasurement, session: Session, deviceID: String,
        device: ElectricalLoadDevice? = nil
    ) {
        self.init(
            id: id, timestamp: timestamp, measurement: measurement, session: session, deviceID: deviceID,
            loadDevice: device)
    }

    /// The device's description, if the event has one.
    ///
    /// An addition to Apple's surface.
    public var device: ElectricalLoadDevice? { loadDevice }
}

extension ElectricVehicleStatusEvent {
    /// The device's description, if the event has one.
    ///
    /// An addition to Apple's surface.
    public var device: ElectricalLoadDevice? { loadDevice }
}
