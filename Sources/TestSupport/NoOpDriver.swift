import Foundation
package import HubKit

/// A driver that keeps every promise of the protocol and does nothing: the smallest one there is.
package struct NoOpDriver: DeviceDriver {
    package let name = "noop"
    package let kind: DeviceKind
    package let summary = "Devices that do nothing"

    /// Makes a driver.
    /// - Parameter kind: what its devices pretend to be.
    package init(kind: DeviceKind = .meter) {
        self.kind = kind
    }

    package func makeDevice(_ configuration: DeviceConfiguration, in context: DriverContext) throws -> any Device {
        NoOpDevice(clock: context.clock)
    }
}

/// A device that is always well, reads nothing and refuses every command.
package struct NoOpDevice: Device {
    package let capabilities = DeviceCapabilities()
    private let clock: any HubClock

    /// Makes a device.
    package init(clock: any HubClock) {
        self.clock = clock
    }

    package func run(_ reporter: DeviceReporter) async {
        reporter.report(DeviceHealth(.ok, since: clock.now))
        reporter.report(DeviceReading(at: clock.now))
        try? await clock.sleep(until: .distantFuture)
    }

    package func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        CommandReceipt(command, at: clock.now, outcome: .refused(reason: "this device does nothing"))
    }

    package func inspect() async throws -> [InspectedPoint] { [] }
}
