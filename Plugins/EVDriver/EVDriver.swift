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
        Charger(try ProfiledDevice(configuration, kind: kind, buses: buses, context: context))
    }

    package func check(_ configuration: DeviceConfiguration, in context: DriverContext) -> [DeviceFault] {
        ProfiledDevice.faults(configuration, kind: kind, profiles: context.profiles)
    }
}
