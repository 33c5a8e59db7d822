import HubKit
import MeterDriver
import Modbus
import ProfileKit
import TestSupport
import Testing

/// A battery's orders reach its registers, are written again before they expire, and end with `automatic`.
@Suite(.timeLimit(.minutes(3))) struct HomeBatteryTests {
    private let twin: VirtualDevice
    private let running: RunningDevice

    private static let mode: UInt16 = 57_357

    init() throws {
        // 405 W into the battery, 92.1 %.
        twin = try VirtualDevice(
            unit: 1,
            holding: [
                57_348: [1], 57_354: [7], 57_355: [0, 0, 7, 0, 0],
                57_716: [0x8000, 0x43CA], 57_718: [0x57E4, 0x007D, 0, 0], 57_722: [0x9E42, 0x004C, 0, 0],
                57_732: [0x3333, 0x42B8],
            ])
        running = try RunningDevice.start(
            MeterDriver(buses: ModbusBuses()), profile: "solaredge-battery", twin: twin, clock: ManualClock(),
            log: .silent
        ) { $0.role = .battery }
    }

    private var modes: [[UInt16]] { twin.written.filter { $0.address == Self.mode }.map(\.words) }

    @Test func whatNobodyOrderedIsLeftAlone() async throws {
        await running.settle()
        await running.pass(600)
        #expect(running.reading?.powerWatts == -405)
        #expect(twin.writes.isEmpty)
    }

    @Test func anOrderIsWrittenAgainBeforeItExpires() async throws {
        await running.settle()
        #expect(try await running.perform(.battery(.charge(watts: 2000))) == .applied)
        #expect(twin.written.contains(Written(57_348, [4])), "remote control")
        #expect(twin.written.contains(Written(57_355, [180, 0])), "with a timeout")
        #expect(twin.written.contains(Written(57_358, [0, 0x44FA])), "2000 W, low word first")
        #expect(modes == [[3]])
        twin.forgetWrites()
        var gaps: [Int] = []
        var last = 0
        for second in 1...600 {
            let before = modes.count
            await running.pass(1)
            guard modes.count > before else { continue }
            gaps.append(second - last)
            last = second
        }
        #expect(gaps.count >= 6 && gaps.allSatisfy { $0 < 180 / 2 }, "\(gaps)")
        #expect(modes.allSatisfy { $0 == [3] })
    }

    @Test func automaticEndsIt() async throws {
        await running.settle()
        #expect(try await running.perform(.battery(.hold)) == .applied)
        #expect(try await running.perform(.battery(.automatic)) == .applied)
        #expect(modes == [[1], [7]])
        twin.forgetWrites()
        await running.pass(600)
        #expect(twin.writes.isEmpty, "what follows the house needs no reminder")
    }

    @Test func oneThatWasAwayIsToldAgain() async throws {
        await running.settle()
        _ = try await running.perform(.battery(.hold))
        twin.server.refuseConnections(true)
        twin.server.closeConnections()
        await running.pass(60)
        twin.forgetWrites()
        twin.server.refuseConnections(false)
        await running.pass(300)
        #expect(modes.contains([1]))
    }

    @Test(arguments: [
        DeviceCommand.limitCurrent(amps: 6), .battery(.charge(watts: -5)), .battery(.charge(watts: .nan)),
    ])
    func whatItCannotDoIsRefused(command: DeviceCommand) async throws {
        await running.settle()
        guard case .refused = try await running.perform(command) else {
            Issue.record("\(command) was not refused")
            return
        }
        #expect(twin.writes.isEmpty)
    }
}

private typealias Written = VirtualDevice.Written
