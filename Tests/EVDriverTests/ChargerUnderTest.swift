import EVDriver
import HubKit
import Modbus
import ProfileKit
import TestSupport

/// A charger of a profile, its virtual twin on real Modbus TCP, and a clock by hand.
struct ChargerUnderTest {
    let twin: VirtualDevice
    let clock = ManualClock()
    let log = CollectingLog()
    let running: RunningDevice

    /// Starts the twin and the device.
    init(_ profile: String, _ twin: VirtualDevice, configure: (inout DeviceConfiguration) -> Void = { _ in }) throws {
        self.twin = twin
        running = try RunningDevice.start(
            EVDriver(buses: ModbusBuses()), profile: profile, twin: twin, clock: clock, log: log.log,
            configure: configure)
    }

    /// Waits for the first reading and sets a limit, with no writes left over.
    func charging(at amps: Double) async throws {
        await running.settle()
        _ = try await running.perform(.limitCurrent(amps: amps))
        await running.pass(30)
        twin.forgetWrites()
    }

    /// The seconds, from now on, in which something was written while `seconds` pass.
    func secondsWithWrites(of seconds: Int) async -> [Int] {
        var found: [Int] = []
        for second in 1...seconds {
            let before = twin.writes.count
            await running.pass(1)
            found += Array(repeating: second, count: twin.writes.count - before)
        }
        return found
    }
}

typealias Written = VirtualDevice.Written

extension VirtualDevice {
    /// A KEBA P30 with a car that draws 10 A; like the real one it gives two words at a time, each by itself.
    static func keba(state: UInt16 = 3, cable: UInt16 = 7, failsafeSeconds: UInt16 = 0) throws -> VirtualDevice {
        let holding: [UInt16: [UInt16]] = [
            1000: [0, state], 1004: [0, cable],
            // 10.012 A, 9.998 A, 10.005 A
            1008: [0, 10_012], 1010: [0, 9_998], 1012: [0, 10_005],
            // 6 904 123 mW
            1020: [0x0069, 0x593B],
            // 14 823 164 tenths of a watt-hour
            1036: [0x00E2, 0x2EFC],
            1040: [0, 229], 1042: [0, 231], 1044: [0, 230],
            // 52 310 tenths of a watt-hour
            1502: [0x0000, 0xCC56],
            1602: [0, failsafeSeconds],
            5004: [0], 5014: [0], 5018: [0],
        ]
        return try VirtualDevice(unit: 255, holding: holding) { write in
            guard write.values.count == 1, let value = write.values.first else { return .illegalDataAddress }
            switch write.address {
            case 5004: return value == 0 || (6000...32_000).contains(value) ? nil : .illegalDataValue
            case 5014: return value <= 1 ? nil : .illegalDataValue
            case 5018: return nil
            default: return .illegalDataAddress
            }
        }
    }
}
