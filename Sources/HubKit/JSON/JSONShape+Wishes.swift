/// What people may ask of devices and homes, the same over HTTP and MQTT.
extension JSONShape {
    /// A device's mode.
    package static let mode = object(["mode": .text])

    /// What a device is to reach.
    package static let goal = object([
        "energyWattHours": .number, "stateOfCharge": .number, "readyBy": .text, "minimumAmps": .number,
        "repeatsDaily": .flag, "setpointCelsius": .number, "comfortBandKelvin": .number,
    ])

    /// The price at or below which a car charges.
    package static let limit = object(["pricePerKWh": .number])

    /// What all chargers of a home may draw.
    package static let powerLimit = object(["powerWatts": .number, "durationSeconds": .number])

    /// The same with one key more.
    package func with(_ key: String, _ shape: JSONShape) -> JSONShape {
        guard case .object(var known) = self else { return self }
        known[key] = shape
        return .object(known)
    }
}
