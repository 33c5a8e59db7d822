import EVDriver
import HVACDriver
import HubKit
import MeterDriver
import Modbus
import ProfileKit
import TestSupport
import Testing

/// The virtual twin of a file on a real Modbus TCP server, and a device of the profile that speaks to it.
struct RunningTwin {
    let file: TwinFile
    let twin: VirtualDevice
    let clock = ManualClock()
    let profile: DeviceProfile
    let running: RunningDevice

    init(_ file: TwinFile, pollSeconds: Double? = nil) throws {
        self.file = file
        profile = try #require(try ProfileLibrary.shipped.profile(file.profile, options: file.options))
        twin = try Self.twin(file)
        let profile = profile
        running = try RunningDevice.start(
            Self.driver(file.kind), profile: file.profile, twin: twin, clock: clock
        ) {
            Self.configure(&$0, for: profile, file)
            $0.pollSeconds = pollSeconds
        }
    }

    static func twin(_ file: TwinFile) throws -> VirtualDevice {
        let registers = file.registers
        return try VirtualDevice(
            unit: file.unit, holding: registers.holding, input: registers.input, coils: registers.coils)
    }

    static func driver(_ kind: DeviceKind) -> any DeviceDriver {
        switch kind {
        case .ev: EVDriver(buses: ModbusBuses())
        case .hvac: HVACDriver(buses: ModbusBuses())
        case .meter: MeterDriver(buses: ModbusBuses())
        }
    }

    static func configure(_ configuration: inout DeviceConfiguration, for profile: DeviceProfile, _ file: TwinFile) {
        configuration.profileOptions = file.options
        configuration.feedsWatchdog = false
        configuration.role = profile.roles.first
        if profile.charger?.isMaximumKnown == false { configuration.limits.maximumAmps = 32 }
        if profile.hvac?.needsFullPower == true { configuration.limits.maximumWatts = 6000 }
    }

    /// Sets the registers back to those of the file, with some changes, and waits for a reading of them.
    func show(_ changes: TwinFile.Registers) async {
        for registers in [file.registers, changes] {
            twin.server.update(unit: file.unit) { bank in
                for (address, words) in registers.holding { bank.set(.holding, address: address, words: words) }
                for (address, words) in registers.input { bank.set(.input, address: address, words: words) }
                for (address, values) in registers.coils { bank.setCoils(address: address, values: values) }
            }
        }
        await running.pass(profile.pollSeconds)
    }

    /// The states that are known.
    static func states(_ reading: DeviceReading) -> [String: String] {
        let all = [
            "plug": reading.plug?.rawValue, "charging": reading.charging?.rawValue,
            "mode": reading.hvacMode?.rawValue, "reduce": reading.reduce?.rawValue,
        ]
        return all.compactMapValues(\.self)
    }

    /// What a reading says otherwise than expected, a line each.
    static func differences(_ reading: DeviceReading, _ expected: TwinFile.Expected) -> [String] {
        let states = states(reading)
        let quantities = expected.reading.compactMap { quantity, value -> String? in
            let told = reading[quantity]
            if let value, let told, abs(told - value) <= 1e-9 * max(1, abs(value)) { return nil }
            return value == nil && told == nil ? nil : "\(quantity): \(told as Any), not \(value as Any)"
        }
        return quantities
            + expected.states.compactMap { name, value in
                let told = states[name]
                return told == value ? nil : "\(name): \(told as Any), not \(value as Any)"
            }
    }
}
