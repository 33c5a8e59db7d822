import Foundation
import HubKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct DriverConformanceTests {
    @Test(arguments: DeviceKind.allCases) func theDriverThatDoesNothingKeepsEveryPromise(kind: DeviceKind) async throws
    {
        let breaches = await DriverConformance(NoOpDriver(kind: kind), try configuration()).breaches()
        #expect(breaches == [])
    }

    @Test(arguments: Fault.allCases) func eachBrokenPromiseIsNamed(fault: Fault) async throws {
        let breaches = await DriverConformance(BrokenDriver(fault: fault), try configuration()).breaches()
        #expect(breaches.count == 1)
        #expect(breaches.first?.contains(fault.rawValue) == true, "\(breaches)")
    }

    private func configuration() throws -> DeviceConfiguration {
        let id: DeviceID = "box"
        return DeviceConfiguration(id: id, name: "Box", venueID: UUID(), driver: "noop", connection: .none)
    }
}

/// What a driver can do wrong, with the words the conformance checks have for it.
enum Fault: String, CaseIterable, Sendable {
    case name = "its name is refused"
    case refusesAll = "a good configuration is refused"
    case obeysAll = "is not refused although"
    case silentRefusal = "refused without a reason"
    case throwsRefusal = "throws instead of being refused"
    case unwell = "is not well"
    case rawless = "inspect says nothing raw"
}

private struct BrokenDriver: DeviceDriver {
    let fault: Fault
    var name: String { fault == .name ? "No Op" : "noop" }
    let kind = DeviceKind.meter
    let summary = "Devices that do one thing wrong"

    func makeDevice(_ configuration: DeviceConfiguration, in context: DriverContext) throws -> any Device {
        if fault == .refusesAll { throw HubError(.configuration, "no; never") }
        return BrokenDevice(fault: fault, sound: NoOpDevice(clock: context.clock), clock: context.clock)
    }
}

private struct BrokenDevice: Device {
    let fault: Fault
    let sound: NoOpDevice
    let clock: any HubClock
    let capabilities = DeviceCapabilities()

    func run(_ reporter: DeviceReporter) async {
        guard fault == .unwell else { return await sound.run(reporter) }
        reporter.report(DeviceHealth(.degraded, since: clock.now, reason: "it limps"))
        reporter.report(DeviceReading(at: clock.now))
    }

    func perform(_ command: DeviceCommand) async throws -> CommandReceipt {
        guard command == .usePhases(2) else { return try await sound.perform(command) }
        return switch fault {
        case .obeysAll: CommandReceipt(command, at: clock.now, outcome: .applied)
        case .silentRefusal: CommandReceipt(command, at: clock.now, outcome: .refused(reason: ""))
        case .throwsRefusal: throw HubError(.refused, "no")
        default: try await sound.perform(command)
        }
    }

    func inspect() async throws -> [InspectedPoint] {
        fault == .rawless ? [InspectedPoint(name: "power", value: "1 W", raw: "", place: "input 1")] : []
    }
}
