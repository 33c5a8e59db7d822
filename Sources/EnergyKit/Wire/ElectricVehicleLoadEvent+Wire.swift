import Foundation

extension ElectricVehicleLoadEvent: Codable {
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

extension ElectricVehicleLoadEvent.ElectricalMeasurement: Codable {
    private enum Key: String, CodingKey {
        case stateOfCharge, direction, powerWatts, energyWattHours, energyEstimated, performanceMetrics
    }

    /// Reads `{stateOfCharge?, direction, powerWatts, energyWattHours, energyEstimated?, performanceMetrics?}`.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        self.init(
            stateOfCharge: try Self.stateOfCharge(in: json),
            direction: try json.decode(ElectricityFlowDirection.self, forKey: .direction),
            power: .watts(try json.decode(Double.self, forKey: .powerWatts)),
            energy: .wattHours(try json.decode(Double.self, forKey: .energyWattHours)),
            performanceMetrics: try json.decodeIfPresent(PerformanceMetrics.self, forKey: .performanceMetrics),
            isEnergyEstimated: try json.decodeIfPresent(Bool.self, forKey: .energyEstimated) ?? false)
    }

    /// Only what is left out is unknown; the number that stands for it here is no number in JSON.
    private static func stateOfCharge(in json: KeyedDecodingContainer<Key>) throws -> Int {
        guard let percent = try json.wholeNumberIfPresent(forKey: .stateOfCharge) else { return unknownStateOfCharge }
        guard percent != unknownStateOfCharge else {
            throw DecodingError.dataCorruptedError(
                forKey: .stateOfCharge, in: json, debugDescription: "\(percent) is no percentage; leave it out")
        }
        return percent
    }

    /// Writes `{stateOfCharge?, direction, powerWatts, energyWattHours, energyEstimated?, performanceMetrics?}`.
    /// - Throws: `EncodingError` if power or energy is not a number.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        if stateOfCharge != Self.unknownStateOfCharge { try json.encode(stateOfCharge, forKey: .stateOfCharge) }
        try json.encode(direction, forKey: .direction)
        try json.encode(power.watts, forKey: .powerWatts)
        try json.encode(energy.wattHours, forKey: .energyWattHours)
        if isEnergyEstimated { try json.encode(true, forKey: .energyEstimated) }
        try json.encodeIfPresent(performanceMetrics, forKey: .performanceMetrics)
    }
}

extension ElectricVehicleLoadEvent.ElectricalMeasurement.PerformanceMetrics: Codable {
    private enum Key: String, CodingKey {
        case estimatedRangeMeters, batteryTemperatureCelsius
    }

    /// Reads `{estimatedRangeMeters?, batteryTemperatureCelsius?}`.
    public init(from decoder: any Decoder) throws {
        let json = try decoder.container(keyedBy: Key.self)
        let meters = try json.decodeIfPresent(Double.self, forKey: .estimatedRangeMeters)
        let celsius = try json.decodeIfPresent(Double.self, forKey: .batteryTemperatureCelsius)
        self.init(
            estimatedRange: meters.map { Measurement(value: $0, unit: .meters) },
            batteryTemperature: celsius.map { Measurement(value: $0, unit: .celsius) })
    }

    /// Writes `{estimatedRangeMeters?, batteryTemperatureCelsius?}`.
    public func encode(to encoder: any Encoder) throws {
        var json = encoder.container(keyedBy: Key.self)
        try json.encodeIfPresent((estimatedRange?.meters).finite, forKey: .estimatedRangeMeters)
        try json.encodeIfPresent((batteryTemperature?.celsius).finite, forKey: .batteryTemperatureCelsius)
    }
}
