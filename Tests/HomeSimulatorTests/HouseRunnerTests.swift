import Foundation
import HomeSimulator
import HubKit
import Modbus
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct HouseRunnerTests {
    private func client(_ port: UInt16) -> ModbusConnection { ModbusConnection(.tcp(host: "127.0.0.1", port: port)) }

    @Test func aHouseThatWasKilledGoesOnExactlyWhereItWas() async throws {
        let folder = try TemporaryFolder()
        let file = folder.file("house.json")
        let clock = ManualClock()
        let start = House(now: clock.now, seed: 3)
        var twin = start
        var last = start
        for step in 0..<5 {
            // Each round is a new process, as far as the house can tell: nothing but the file is left of the last.
            let house = HouseFile.read(file) ?? start
            #expect(house == last)
            let runner = try HouseRunner(house, clock: clock, ports: HousePorts(), file: file)
            let charger = client(runner.ports.charger)
            await clock.advance(by: 600)
            twin.advance(to: clock.now)
            try await charger.write(unit: 255, address: 5014, value: UInt16((step + 1) % 2))
            twin.charger.isEnabled = step % 2 == 0
            #expect(runner.current == twin)
            last = runner.current
            runner.stop()
        }
        #expect(HouseFile.read(file) == twin)
        #expect(twin.charger.countedWattHours > start.charger.countedWattHours)
    }

    @Test func aFileThatIsNoHouseIsNone() throws {
        let folder = try TemporaryFolder()
        #expect(HouseFile.read(folder.file("none")) == nil)
        #expect(HouseFile.read(try folder.write("{\"now\": 1", to: "half")) == nil)
        #expect(HouseFile.read(try folder.write("", to: "empty")) == nil)
    }

    @Test func aFolderThatCannotBeWrittenIsNamed() throws {
        let error = #expect(throws: HubError.self) {
            try HouseRunner(
                House(now: Date(timeIntervalSince1970: 0), seed: 1), clock: ManualClock(), ports: HousePorts(),
                file: URL(fileURLWithPath: "/no-such-folder/house"))
        }
        #expect(error?.message.contains("/no-such-folder/house") == true)
    }

    @Test func aPortInUseIsSaidByItsNumber() throws {
        let other = try VirtualDevice(unit: 1)
        let taken = other.server.port
        let house = House(now: Date(timeIntervalSince1970: 0), seed: 1)
        for ports in [
            HousePorts(meter: taken), HousePorts(inverter: taken), HousePorts(charger: taken),
            HousePorts(heatPump: taken),
        ] {
            let error = #expect(throws: HubError.self) {
                try HouseRunner(house, clock: ManualClock(), ports: ports, file: nil)
            }
            #expect(error?.code == .inUse)
            #expect(error?.message.contains("port \(taken)") == true, "\(error?.message ?? "")")
        }
    }

    @Test func ordersOutOfRangeAreRefusedAsTheDevicesDo() async throws {
        let clock = ManualClock()
        let runner = try HouseRunner(House(now: clock.now, seed: 1), clock: clock, ports: HousePorts(), file: nil)
        defer { runner.stop() }
        let charger = client(runner.ports.charger)
        let pump = client(runner.ports.heatPump)
        for milliamps: UInt16 in [1, 5999, 32_001] {
            await #expect(throws: ModbusError.exception(.illegalDataValue)) {
                try await charger.write(unit: 255, address: 5004, value: milliamps)
            }
        }
        await #expect(throws: ModbusError.exception(.illegalDataValue)) {
            try await pump.write(unit: 1, address: 6008, value: 2)
        }
        await #expect(throws: ModbusError.exception(.illegalDataAddress)) {
            try await pump.write(unit: 1, address: 6009, value: 1)
        }
        #expect(runner.current.charger == House(now: clock.now, seed: 1).charger)
    }

    @Test func itLivesWhileItRunsAndItsMetersShowIt() async throws {
        let start = Date(timeIntervalSince1970: 1_780_000_000)
        let clock = ScaledClock(start: start, speed: 600)
        let runner = try HouseRunner(House(now: start, seed: 1), clock: clock, ports: HousePorts(), file: nil)
        defer { runner.stop() }
        let life = Task { await runner.run() }
        let meter = client(runner.ports.meter)
        let first = try await meter.read(.input, unit: 1, address: 52, count: 2)
        // The house is read until it shows another power: nothing but its own life changes that.
        var next = first
        while next == first { next = try await meter.read(.input, unit: 1, address: 52, count: 2) }
        #expect(runner.current.now > start)
        life.cancel()
        await life.value
    }
}
