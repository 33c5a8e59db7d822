package import HubKit
package import ProfileKit

/// Meters, inverters and batteries that a profile describes.
package struct MeterDriver: DeviceDriver {
    package let name = "meter"
    package let kind = DeviceKind.meter
    package let summary = "Meters, inverters and batteries, by profile over Modbus"
    private let buses: ModbusBuses

    /// Makes the driver.
    /// - Parameter buses: the connections it shares with other drivers.
    package init(buses: ModbusBuses) {
        self.buses = buses
    }

    package func makeDevice(_ configuration: DeviceConfiguration, in context: DriverContext) throws -> any Device {
        try MeterDriver.roleFaults(configuration).refuse(configuration.id)
        return try ProfiledMeter(ProfiledDevice(configuration, kind: kind, buses: buses, context: context))
    }

    package func check(_ configuration: DeviceConfiguration, in context: DriverContext) -> [DeviceFault] {
        MeterDriver.roleFaults(configuration)
            + ProfiledDevice.faults(configuration, kind: kind, profiles: context.profiles)
    }

    private static func roleFaults(_ configuration: DeviceConfiguration) -> [DeviceFault] {
        guard configuration.role == nil else { return [] }
        let roles = MeterRole.allCases.map(\.rawValue).joined(separator: ", ")
        return [DeviceFault("role", "a meter needs a role", remedy: "add 'role:' with one of \(roles)")]
    }
}

/// One meter: it only ever reads.
struct ProfiledMeter: Device {
    let device: ProfiledDevice

    init(_ device: ProfiledDevice) { self.device = device }

    var capabilities: DeviceCapabilities { device.capabilities }

    func run(_ reporter: DeviceReporter) async {
        await device.poll(reporter) { session in
            let values = try await session.read()
            return PollLoop.Result(await session.reading(values, at: device.clock.now), complaint: values.complaint)
        }
    }

    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        CommandReceipt(command, at: device.clock.now, outcome: .refused(reason: "a meter takes no commands"))
    }

    func inspect() async throws -> [InspectedPoint] { try await device.session().inspect() }
}
