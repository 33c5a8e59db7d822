package import HubKit
package import ProfileKit

/// Meters, inverters and batteries that a profile describes.
package struct MeterDriver: DeviceDriver {
    package let name = "meter"
    package let kind = DeviceKind.meter
    package let summary = "Meters, inverters and batteries, by profile over Modbus, MQTT or HTTP"
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
        let device = try ProfiledDevice(configuration, kind: kind, buses: buses, networks: networks, context: context)
        try MeterDriver.roleFaults(configuration, context).refuse(configuration.id)
        guard configuration.role == .battery, device.capabilities.battery != nil else {
            return ProfiledMeter(device)
        }
        return HomeBattery(device)
    }

    package func check(_ configuration: DeviceConfiguration, in context: DriverContext) -> [DeviceFault] {
        MeterDriver.roleFaults(configuration, context)
            + ProfiledDevice.faults(configuration, kind: kind, profiles: context.profiles)
    }

    private static func roleFaults(_ configuration: DeviceConfiguration, _ context: DriverContext) -> [DeviceFault] {
        let profile = context.profiles.profile(of: configuration)
        let known = profile.flatMap { $0.kind == .meter ? $0.roles : nil } ?? MeterRole.allCases
        let names = known.map(\.rawValue).joined(separator: ", ")
        guard let role = configuration.role else {
            return [DeviceFault("role", "a meter needs a role", remedy: "add 'role:' with one of \(names)")]
        }
        guard let profile, !known.contains(role) else { return [] }
        return [
            DeviceFault(
                "role", "the profile '\(profile.name)' does not measure \(role.rawValue)",
                remedy: "use one of \(names), or the profile for \(role.rawValue)")
        ]
    }
}

/// One meter: it only ever reads.
struct ProfiledMeter: Device {
    let device: ProfiledDevice

    init(_ device: ProfiledDevice) { self.device = device }

    var capabilities: DeviceCapabilities {
        var capabilities = device.capabilities
        capabilities.battery = nil
        return capabilities
    }

    func run(_ reporter: DeviceReporter) async {
        await device.poll(reporter) { session in
            await session.result(try await session.read(), at: device.clock.now)
        }
    }

    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        CommandReceipt(command, at: device.clock.now, outcome: .refused(reason: "a meter takes no commands"))
    }

    func inspect() async throws -> [InspectedPoint] { try await device.session().inspect() }
}
