package import HubKit
package import ProfileKit

/// Heat pumps and other heating or cooling that a profile describes.
package struct HVACDriver: DeviceDriver {
    package let name = "hvac"
    package let kind = DeviceKind.hvac
    package let summary = "Heat pumps, air conditioners and thermostats, by profile over Modbus"
    private let buses: ModbusBuses

    /// Makes the driver.
    /// - Parameter buses: the connections it shares with other drivers.
    package init(buses: ModbusBuses) {
        self.buses = buses
    }

    package func makeDevice(_ configuration: DeviceConfiguration, in context: DriverContext) throws -> any Device {
        HeatPump(try ProfiledDevice(configuration, kind: kind, buses: buses, context: context))
    }

    package func check(_ configuration: DeviceConfiguration, in context: DriverContext) -> [DeviceFault] {
        ProfiledDevice.faults(configuration, kind: kind, profiles: context.profiles)
    }
}
