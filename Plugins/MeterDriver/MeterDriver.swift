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
        guard let role = configuration.role else {
            let roles = MeterRole.allCases.map(\.rawValue).joined(separator: ", ")
            throw HubError(
                .configuration, "the meter \(configuration.id) needs a role; add 'role:' with one of \(roles)")
        }
        let device = try ProfiledDevice(configuration, kind: kind, buses: buses, context: context)
        let roles = device.profile.roles
        guard roles.contains(role) else {
            let known = roles.map(\.rawValue).joined(separator: " or ")
            throw HubError(
                .configuration,
                "the profile '\(device.profile.name)' of \(configuration.id) does not measure \(role.rawValue); use role: \(known), or the profile for \(role.rawValue)"
            )
        }
        return ProfiledMeter(device)
    }
}

/// One meter: it only ever reads.
struct ProfiledMeter: Device {
    let device: ProfiledDevice

    init(_ device: ProfiledDevice) { self.device = device }

    var capabilities: DeviceCapabilities { device.capabilities }

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
