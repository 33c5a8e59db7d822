package import HubKit
package import ProfileKit

/// Chargers that a profile describes.
package struct EVDriver: DeviceDriver {
    package let name = "ev"
    package let kind = DeviceKind.ev
    package let summary = "Chargers for cars, by profile over Modbus"
    private let buses: ModbusBuses

    /// Makes the driver.
    /// - Parameter buses: the connections it shares with other drivers.
    package init(buses: ModbusBuses) {
        self.buses = buses
    }

    package func makeDevice(_ configuration: DeviceConfiguration, in context: DriverContext) throws -> any Device {
        let device = try ProfiledDevice(configuration, kind: kind, buses: buses, context: context)
        if device.profile.charger?.isMaximumKnown == false, configuration.limits.maximumAmps == nil {
            throw HubError(
                .configuration,
                "nobody knows the highest current of \(configuration.id); add limits: {max_amps: …} with what the charger and its cable are made for"
            )
        }
        guard let range = device.capabilities.charger?.currentLimit, range.minimumAmps > range.maximumAmps else {
            return Charger(device)
        }
        throw HubError(
            .configuration,
            "the limits of \(configuration.id) leave no current: at least \(range.minimumAmps) A but at most \(range.maximumAmps) A; raise limits.max_amps"
        )
    }
}
