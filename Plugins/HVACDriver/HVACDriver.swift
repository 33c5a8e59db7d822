package import HubKit
package import ProfileKit

/// Heat pumps and other heating or cooling that a profile describes.
package struct HVACDriver: DeviceDriver {
    package let name = "hvac"
    package let kind = DeviceKind.hvac
    package let summary = "Heat pumps, air conditioners and thermostats, by profile over Modbus, MQTT or HTTP"
    private let buses: ModbusBuses
    private let networks: DeviceNetworks

    /// Makes the driver.
    /// - Parameters:
    ///   - buses: the Modbus connections it shares with other drivers.
    ///   - networks: the brokers and the HTTP client it shares with them.
    package init(buses: ModbusBuses, networks: DeviceNetworks = DeviceNetworks()) {
        self.buses = buses
        self.networks = networks
    }

    package func makeDevice(_ configuration: DeviceConfiguration, in context: DriverContext) throws -> any Device {
        HeatPump(try ProfiledDevice(configuration, kind: kind, buses: buses, networks: networks, context: context))
    }

    package func check(_ configuration: DeviceConfiguration, in context: DriverContext) -> [DeviceFault] {
        ProfiledDevice.faults(configuration, kind: kind, profiles: context.profiles)
    }
}
