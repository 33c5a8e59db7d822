import Foundation

extension ElectricHVACLoadEvent: Codable {
    /// Reads `{id, timestamp, deviceID, device?, session, measurement}`.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: LoadEventKey.self)
        let device = try WireDevice(from: json, id: .deviceID, device: .device)
        self.init(
            id: try json.decode(UUID.self, forKey: .id),
            timestamp: try json.decode(WireDate.self, forKey: .timestamp).date,
            measurement: try json.decode(ElectricalMeasurement.self, forKey: .measurement),
            session: try json.decode(Session.self, forKey: .session),
            deviceID: device.id,
            loadDevice: device.device)
    }

    /// Writes `{id, timestamp, deviceID, device?, session, measurement}`.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: LoadEventKey.self)
        try json.encode(id, forKey: .id)
        try json.encode(WireDate(timestamp), forKey: .timestamp)
        try json.encode(deviceID, forKey: .deviceID)
        try json.encodeIfPresent(loadDevice, forKey: .device)
        try json.encode(session, forKey: .session)
        try json.encode(measurement, forKey: .measurement)
    }
}

extension ElectricHVACLoadEvent.ElectricalMeasurement: Codable {
    private enum Key: String, CodingKey {
        case stage
    }

    /// Reads `{stage}`.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        self.init(stage: try json.wholeNumber(forKey: .stage))
    }

    /// Writes `{stage}`.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        try json.encode(stage, forKey: .stage)
    }
}
