import Foundation
import HomeSimulator
import HubKit
import MeterDriver
import Modbus
import ProfileKit
import TestSupport
import Testing

extension VirtualDevice {
    /// An SDM630 at a connection that imports on two phases and exports on one, in the words of its manual: 32-bit
    /// floats, highest word first.
    static func sdm630(unit: UInt8 = 1) throws -> VirtualDevice {
        try VirtualDevice(unit: unit, input: sdm630Registers)
    }

    static let sdm630Registers: [UInt16: [UInt16]] = [
        0: [
            // 230.5 V, 231.0 V, 229.75 V
            0x4366, 0x8000, 0x4367, 0x0000, 0x4365, 0xC000,
            // 4.5 A, 2.25 A, 10.0 A
            0x4090, 0x0000, 0x4010, 0x0000, 0x4120, 0x0000,
            // 1037.25 W, 519.75 W, −2297.5 W
            0x4481, 0xA800, 0x4401, 0xF000, 0xC50F, 0x9800,
        ] + Array(repeating: 0, count: 34),
        // −740.5 W
        52: [0xC439, 0x2000] + Array(repeating: 0, count: 16),
        // 49.98 Hz, 8214.5 kWh in, 5021.25 kWh out
        70: [0x4247, 0xEB85, 0x4600, 0x5A00, 0x459C, 0xEA00],
    ]

    /// An SMA inverter that produces 4321 W and has produced 21 604 321 Wh.
    static func sma() throws -> VirtualDevice {
        try VirtualDevice(unit: 3, holding: [30_775: [0, 0x10E1], 30_513: [0, 0, 0x0149, 0xA7E1]])
    }
}

@Suite(.timeLimit(.minutes(3))) struct MeterDriverTests {
    private func start(
        _ profile: String, _ device: VirtualDevice, _ clock: ManualClock, log: HubLog = .silent
    ) throws -> RunningDevice {
        try RunningDevice.start(
            MeterDriver(buses: ModbusBuses()), profile: profile, twin: device, clock: clock, log: log)
    }

    @Test(arguments: ["eastron-sdm630", "sma-inverter"]) func theDriverKeepsTheHubsPromises(profile: String)
        async throws
    {
        let device = profile == "sma-inverter" ? try VirtualDevice.sma() : try VirtualDevice.sdm630()
        let configuration = try DeviceConfiguration.forTests("meter", profile: profile, port: device.server.port)
        let driver = MeterDriver(buses: ModbusBuses())
        #expect(await DriverConformance(driver, configuration, server: device.server).breaches() == [])
    }

    /// What it costs to read a meter decides how many fit on a line.
    @Test func anSDM630IsReadInAtMostThreeRequests() async throws {
        let device = try VirtualDevice.sdm630()
        let running = try start("eastron-sdm630", device, ManualClock())
        await running.settle()
        #expect(running.reading?.samples.count == 13)
        #expect((1...3).contains(device.server.requestCount), "\(device.server.requestCount)")
        let first = device.server.requestCount
        await running.pass(5)
        #expect((1...3).contains(device.server.requestCount - first))
    }

    @Test func anSDM630WithoutTheRegistersBetweenIsReadInThreeRequestsToo() async throws {
        let whole = VirtualDevice.sdm630Registers
        let device = try VirtualDevice(
            unit: 1,
            input: whole.merging([
                0: Array(try #require(whole[0]).prefix(18)), 52: Array(try #require(whole[52]).prefix(2)),
            ]) { $1 })
        let running = try start("eastron-sdm630", device, ManualClock())
        await running.settle()
        #expect(running.reading?.samples.count == 13)
        let first = device.server.requestCount
        await running.pass(5)
        #expect(device.server.requestCount - first == 3)
    }

    @Test func aMeterWithoutARoleIsAWrongConfiguration() throws {
        var configuration = try DeviceConfiguration.forTests("meter", profile: "eastron-sdm630", port: 502)
        configuration.role = nil
        let error = #expect(throws: HubError.self) {
            try MeterDriver(buses: ModbusBuses()).makeDevice(configuration, in: .forTests())
        }
        #expect(
            error?.message
                == "device-under-test: a meter needs a role; add 'role:' with one of grid, solar, battery, load")
    }

    @Test func anSDM630sWords() async throws {
        let clock = ManualClock()
        let running = try start("eastron-sdm630", try .sdm630(), clock)
        await running.settle()
        let reading = try #require(running.reading)
        #expect(
            reading.samples.mapValues(\.value) == [
                .voltageL1Volts: 230.5, .voltageL2Volts: 231, .voltageL3Volts: 229.75, .currentL1Amps: 4.5,
                .currentL2Amps: 2.25, .currentL3Amps: 10, .powerL1Watts: 1037.25, .powerL2Watts: 519.75,
                .powerL3Watts: -2297.5, .powerWatts: -740.5, .frequencyHertz: Double(Float(49.98)),
                .importWattHours: 8_214_500, .exportWattHours: 5_021_250,
            ])
        #expect(
            running.device.capabilities.meter
                == MeterCapabilities(
                    power: true, importEnergy: true, exportEnergy: true, phases: 3))
    }

    @Test func aSleepingInverterIsZeroByTheProfilesWordAndItsCounterStays() async throws {
        // Field case D-4.
        let clock = ManualClock()
        let log = CollectingLog()
        let device = try VirtualDevice.sma()
        let running = try start("sma-inverter", device, clock, log: log.log)
        await running.settle()
        let dusk = clock.now
        #expect(running.reading?.powerWatts == 4321)
        #expect(running.reading?[.importWattHours] == 21_604_321)
        device.set(.holding, 30_775, [0x8000, 0])
        device.set(.holding, 30_513, [0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF])
        await running.pass(8 * 3600)
        #expect(running.reading?.powerWatts == 0)
        #expect(running.reading?.samples[.importWattHours] == Sample(21_604_321, at: dusk))
        #expect(running.health?.state == .ok)
        #expect(log.texts() == ["answers"], "no line per poll")
    }

    @Test func aMeterThatStartsAtNightHasNoCounter() async throws {
        let device = try VirtualDevice.sma()
        device.set(.holding, 30_513, [0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF])
        let running = try start("sma-inverter", device, ManualClock())
        await running.settle()
        #expect(running.reading?.powerWatts == 4321)
        #expect(running.reading?[.importWattHours] == nil)
    }

    @Test func anAbsentRegisterIsSaidOnceAndTheOthersLiveOn() async throws {
        // Field case D-6: a meter without the export counter.
        let registers = VirtualDevice.sdm630Registers.merging([70: [0x4247, 0xEB85, 0x4600, 0x5A00]]) { $1 }
        let device = try VirtualDevice(unit: 1, input: registers)
        let clock = ManualClock()
        let log = CollectingLog()
        let running = try start("eastron-sdm630", device, clock, log: log.log)
        await running.settle()
        #expect(running.reading?.powerWatts == -740.5)
        await running.pass(600)
        #expect(running.reading?[.importWattHours] == 8_214_500)
        #expect(running.reading?[.exportWattHours] == nil)
        #expect(running.health?.state == .degraded)
        #expect(running.health?.reason?.contains("energy_export") == true)
        #expect(log.texts().count == 2)
    }

    @Test func aSlowMeterIsNoFault() async throws {
        // Field case D-3: it answers after 1.2 s.
        let device = try VirtualDevice.sdm630()
        device.server.setReplyDelay(.milliseconds(1200))
        let running = try start("eastron-sdm630", device, ManualClock())
        await running.settle()
        #expect(running.health?.state == .ok)
        #expect(running.reading?.powerWatts == -740.5)
    }

    @Test(arguments: [ModbusFault.lateFrame(), .foreignUnit(2), .close, .exception(.deviceBusy)])
    func oneSpoiltAnswerIsNoFault(fault: ModbusFault) async throws {
        // Field cases D-2 and D-7.
        let clock = ManualClock()
        let device = try VirtualDevice.sdm630()
        let log = CollectingLog()
        let running = try start("eastron-sdm630", device, clock, log: log.log)
        await running.settle()
        for _ in 0..<5 {
            device.server.inject(fault)
            await running.pass(5)
            #expect(running.reading?.powerWatts == -740.5)
            #expect(running.reading?.at == clock.now)
        }
        #expect(log.texts() == ["answers"])
    }

    @Test func twoMetersBehindOneGatewayShareAConnection() async throws {
        let device = try VirtualDevice.sdm630()
        for (address, words) in VirtualDevice.sdm630Registers {
            device.server.set(.input, unit: 2, address: address, words: words)
        }
        device.server.set(.input, unit: 2, address: 52, words: [0x447A, 0])  // 1000 W
        let clock = ManualClock()
        let driver = MeterDriver(buses: ModbusBuses())
        let port = device.server.port
        let meters = try [UInt8(1), 2].map { unit in
            try RunningDevice.start(driver, profile: "eastron-sdm630", port: port, clock: clock) {
                $0.connection = .modbusTCP(host: "127.0.0.1", port: port, unit: unit)
            }
        }
        await clock.waitForSleepers(2)
        await clock.advance(by: 300, keeping: 2)
        #expect(meters.map { $0.reading?.powerWatts } == [-740.5, 1000])
        #expect(device.server.connectionCount == 1)
        // Unit 2 is switched off: unit 1 never shows its values, nor the other way round.
        device.server.remove(unit: 2)
        await clock.advance(by: 60, keeping: 2)
        #expect(meters.map { $0.health?.state } == [.ok, .offline])
        #expect(meters[0].reading?.powerWatts == -740.5)
        #expect(device.server.connectionCount == 1)
    }

    @Test func oneDeadDeviceDelaysNoOther() async throws {
        // Field case D-1.
        let clock = ManualClock()
        let driver = MeterDriver(buses: ModbusBuses())
        let device = try VirtualDevice.sdm630()
        let gone = try VirtualDevice.sdm630()
        gone.server.refuseConnections(true)
        let well = try RunningDevice.start(driver, profile: "eastron-sdm630", twin: device, clock: clock)
        let dead = try RunningDevice.start(driver, profile: "eastron-sdm630", twin: gone, clock: clock)
        await dead.wait { $0.health.state == .offline }
        await well.wait { $0.health.state == .ok }
        await clock.waitForSleepers(2)
        gone.server.refuseConnections(false)
        await clock.advance(by: 40, keeping: 2)
        #expect(dead.health?.state == .ok)
        #expect(dead.reading?.powerWatts == -740.5)
    }

    @Test func theVirtualHousesMetersAgreeWithTheHouse() async throws {
        let clock = ManualClock(Date(timeIntervalSince1970: 1_780_000_000))
        var house = House(now: clock.now.addingTimeInterval(-7200), seed: 1)
        house.advance(to: clock.now)
        let runner = try HouseRunner(house, clock: clock, ports: HousePorts(), file: nil)
        defer { runner.stop() }
        let driver = MeterDriver(buses: ModbusBuses())
        let grid = try RunningDevice.start(driver, profile: "eastron-sdm630", port: runner.ports.meter, clock: clock)
        let solar = try RunningDevice.start(driver, profile: "sma-inverter", port: runner.ports.inverter, clock: clock)
        await clock.waitForSleepers(2)
        let watts = try #require(grid.reading?.powerWatts)
        #expect(abs(watts - house.gridWatts) < 0.5)
        #expect(solar.reading?.powerWatts == house.solarWatts)
        let counted = try #require(grid.reading?[.importWattHours])
        #expect(abs(counted - house.importedWattHours) < 1000)
    }
}
