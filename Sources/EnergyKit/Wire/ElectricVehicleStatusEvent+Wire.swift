import Foundation

extension ElectricVehicleStatusEvent: Codable {
    private enum Key: String, CodingKey {
        case id, timestamp, deviceID, device, venueID, status, stateOfCharge, energyWattHours, estimatedRangeMeters
        case chargingTarget, sessionIdentifier
    }

    /// Reads `{id, timestamp, deviceID, device?, venueID, status, stateOfCharge, energyWattHours,
    /// estimatedRangeMeters?, chargingTarget?, sessionIdentifier?}`.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        let device = try WireDevice(from: json, id: .deviceID, device: .device)
        let meters = try json.decodeIfPresent(Double.self, forKey: .estimatedRangeMeters)
        self.init(
            id: try json.decode(UUID.self, forKey: .id),
            timestamp: try json.decode(WireDate.self, forKey: .timestamp).date,
            deviceID: device.id,
            device: device.device,
            venueID: try json.decode(UUID.self, forKey: .venueID),
            status: try json.decode(Status.self, forKey: .status),
            stateOfCharge: try json.wholeNumber(forKey: .stateOfCharge),
            energy: .wattHours(try json.decode(Double.self, forKey: .energyWattHours)),
            estimatedRange: meters.map { Measurement(value: $0, unit: .meters) },
            chargingTarget: try json.decodeIfPresent(ChargingTarget.self, forKey: .chargingTarget),
            sessionIdentifier: try json.decodeIfPresent(UUID.self, forKey: .sessionIdentifier))
    }

    /// Writes the same members as `init(from:)` reads; what is unknown is absent.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        try json.encode(id, forKey: .id)
        try json.encode(WireDate(timestamp), forKey: .timestamp)
        try json.encode(deviceID, forKey: .deviceID)
        try json.encodeIfPresent(loadDevice, forKey: .device)
        try json.encode(venueID, forKey: .venueID)
        try json.encode(status, forKey: .status)
        try json.encode(stateOfCharge, forKey: .stateOfCharge)
        try json.encode(energy.wattHours, forKey: .energyWattHours)
        try json.encodeIfPresent((estimatedRange?.meters).finite, forKey: .estimatedRangeMeters)
        try json.encodeIfPresent(chargingTarget, forKey: .chargingTarget)
        try json.encodeIfPresent(sessionIdentifier, forKey: .sessionIdentifier)
    }
}

extension ElectricVehicleStatusEvent.Status: Codable {
    private enum Key: String, CodingKey {
        case state, reason
    }

    private enum State: String, Codable {
        case chargerPluggedIn, chargerUnplugged, chargingActive, chargingIdle
    }

    /// Reads `{state, reason?}`; the reason belongs to `chargingActive` and `chargingIdle`.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        self =
            switch try json.decode(State.self, forKey: .state) {
            case .chargerPluggedIn: .chargerPluggedIn
            case .chargerUnplugged: .chargerUnplugged
            case .chargingActive: .chargingActive(try json.decode(forKey: .reason))
            case .chargingIdle: .chargingIdle(try json.decode(forKey: .reason))
            }
    }

    /// Writes `{state, reason?}`.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        switch self {
        case .chargerPluggedIn: try json.encode(State.chargerPluggedIn, forKey: .state)
        case .chargerUnplugged: try json.encode(State.chargerUnplugged, forKey: .state)
        case .chargingActive(let reason):
            try json.encode(State.chargingActive, forKey: .state)
            try json.encode(reason, forKey: .reason)
        case .chargingIdle(let reason):
            try json.encode(State.chargingIdle, forKey: .state)
            try json.encode(reason, forKey: .reason)
        }
    }
}

extension KeyedDecodingContainer {
    fileprivate func decode<Value: Decodable>(forKey key: Key) throws -> Value {
        try decode(Value.self, forKey: key)
    }
}

extension ElectricVehicleStatusEvent.ChargingTarget: Codable {
    private enum Key: String, CodingKey {
        case stateOfCharge, estimatedCompletionTime, scheduledStartTime, estimatedRangeAtTargetMeters
    }

    /// Reads `{stateOfCharge, estimatedCompletionTime, scheduledStartTime, estimatedRangeAtTargetMeters?}`.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        let meters = try json.decodeIfPresent(Double.self, forKey: .estimatedRangeAtTargetMeters)
        self.init(
            stateOfCharge: try json.wholeNumber(forKey: .stateOfCharge),
            estimatedCompletionTime: try json.decode(WireDate.self, forKey: .estimatedCompletionTime).date,
            scheduledStartTime: try json.decode(WireDate.self, forKey: .scheduledStartTime).date,
            estimatedRangeAtTarget: meters.map { Measurement(value: $0, unit: .meters) })
    }

    /// Writes `{stateOfCharge, estimatedCompletionTime, scheduledStartTime, estimatedRangeAtTargetMeters?}`.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        try json.encode(stateOfCharge, forKey: .stateOfCharge)
        try json.encode(WireDate(estimatedCompletionTime), forKey: .estimatedCompletionTime)
        try json.encode(WireDate(scheduledStartTime), forKey: .scheduledStartTime)
        try json.encodeIfPresent((estimatedRangeAtTarget?.meters).finite, forKey: .estimatedRangeAtTargetMeters)
    }
}
