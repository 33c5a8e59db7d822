import EVDriver
import HomeSimulator
import HubKit
import Modbus
import ProfileKit
import TestSupport
import Testing

/// Known raw words give known values and states.
@Suite(.timeLimit(.minutes(3))) struct EVReadingTests {
    struct Charger: Sendable, CustomTestStringConvertible {
        let profile: String
        let make: @Sendable () throws -> VirtualDevice
        let values: [Quantity: Double]
        var testDescription: String { profile }
    }

    static let chargers = [
        Charger(
            profile: "keba-p30", make: { try .keba() },
            values: [
                .currentL1Amps: 10.012, .currentL2Amps: 9.998, .currentL3Amps: 10.005, .powerWatts: 6904.123,
                .importWattHours: 1_482_316.4, .voltageL1Volts: 229, .voltageL2Volts: 231, .voltageL3Volts: 230,
                .sessionWattHours: 5231,
            ]),
        Charger(
            profile: "alfen-eve", make: { try .alfen() },
            values: [
                .currentL1Amps: 11.5, .currentL2Amps: 11.5, .currentL3Amps: 11.5, .powerWatts: 7951.5,
                .importWattHours: 1_234_567.5, .voltageL1Volts: 231.5, .voltageL2Volts: 229.75, .voltageL3Volts: 230.25,
                .limitAmps: 16, .phaseCount: 3,
            ]),
        Charger(
            profile: "vestel-evc04", make: { try .vestel() },
            values: [
                .currentL1Amps: 12.84, .currentL2Amps: 12.91, .currentL3Amps: 12.875, .powerWatts: 8886,
                .importWattHours: 7_001_200, .voltageL1Volts: 229, .voltageL2Volts: 231, .voltageL3Volts: 230,
                .sessionWattHours: 15_320, .limitAmps: 13,
            ]),
    ]

    @Test(arguments: chargers) func theDriverKeepsTheHubsPromises(charger: Charger) async throws {
        let twin = try charger.make()
        let configuration = try DeviceConfiguration.forTests("ev", profile: charger.profile, port: twin.server.port)
        let driver = EVDriver(buses: ModbusBuses())
        #expect(await DriverConformance(driver, configuration, server: twin.server).breaches() == [])
    }

    @Test(arguments: chargers) func knownWordsGiveKnownValues(charger: Charger) async throws {
        let test = try ChargerUnderTest(charger.profile, try charger.make())
        await test.running.settle()
        let reading = try #require(test.running.reading)
        #expect(reading.samples.mapValues(\.value) == charger.values)
        #expect(reading.plug == .plugged)
        #expect(reading.charging == .charging)
        #expect(test.running.health?.state == .ok)
        #expect(test.twin.writes == [], "nothing is written before anyone wants anything (C-7)")
    }

    static let kebaStates: [(UInt16, UInt16)] = (0...6).flatMap { state in [0, 1, 3, 5, 7].map { (state, $0) } }

    @Test(arguments: kebaStates) func statesOfKeba(state: UInt16, cable: UInt16) async throws {
        let test = try ChargerUnderTest("keba-p30", try .keba(state: state, cable: cable))
        await test.running.settle()
        let isPlugged = cable == 5 || cable == 7
        #expect(test.running.reading?.plug == (isPlugged ? .plugged : .unplugged))
        let expected: ChargingState? =
            switch state {
            case 3: .charging
            case 4: .fault
            case 2: isPlugged ? .waiting : .idle
            case 0, 1, 5: .idle
            default: nil
            }
        #expect(test.running.reading?.charging == expected)
    }

    static let alfenStates: [(String, PlugState?, ChargingState?)] = [
        ("A", .unplugged, .idle), ("B1", .plugged, .idle), ("B2", .plugged, .waiting), ("C1", .plugged, .idle),
        ("C2", .plugged, .charging), ("D1", .plugged, .idle), ("D2", .plugged, .charging), ("E", .unplugged, .idle),
        ("F", nil, .fault), ("X9", nil, nil), ("", nil, nil),
    ]

    @Test(arguments: alfenStates) func statesOfAlfen(letters: String, plug: PlugState?, charging: ChargingState?)
        async throws
    {
        let twin = try VirtualDevice.alfen()
        let bytes = Array(letters.utf8) + [0, 0]
        twin.set(.holding, 1201, [UInt16(bytes[0]) << 8 | UInt16(bytes[1])])
        let test = try ChargerUnderTest("alfen-eve", twin)
        await test.running.settle()
        #expect(test.running.reading?.plug == plug)
        #expect(test.running.reading?.charging == charging)
    }

    static let vestelStates: [(UInt16, UInt16)] = [0, 1].flatMap { charging in (0...3).map { (charging, $0) } }

    @Test(arguments: vestelStates) func statesOfVestel(charging: UInt16, cable: UInt16) async throws {
        let twin = try VirtualDevice.vestel()
        twin.set(.input, 1001, [charging])
        twin.set(.input, 1004, [cable])
        let test = try ChargerUnderTest("vestel-evc04", twin)
        await test.running.settle()
        #expect(test.running.reading?.plug == (cable >= 2 ? .plugged : .unplugged))
        #expect(test.running.reading?.charging == (charging == 1 ? .charging : .idle))
    }

    @Test func anAbsentPhaseOfAnAlfenIsUnknownNotZero() async throws {
        let twin = try VirtualDevice.alfen()
        twin.set(.holding, 322, [0x7FC0, 0, 0x7FC0, 0])
        let test = try ChargerUnderTest("alfen-eve", twin)
        await test.running.settle()
        #expect(test.running.reading?.currentAmps == [11.5, nil, nil])
    }

    @Test func kebaIsAskedForOneValueAtATime() async throws {
        let test = try ChargerUnderTest("keba-p30", try .keba())
        await test.running.settle()
        #expect(test.twin.server.requestCount == 12)
        await test.running.pass(10)
        #expect(test.twin.server.requestCount == 24)
    }

    @Test func theVirtualHousesChargerIsReadAndObeys() async throws {
        let clock = ManualClock()
        let house = House(now: clock.now, seed: 1)
        let runner = try HouseRunner(house, clock: clock, ports: HousePorts(), file: nil)
        defer { runner.stop() }
        let running = try RunningDevice.start(
            EVDriver(buses: ModbusBuses()), profile: "keba-p30", port: runner.ports.charger, clock: clock)
        await running.settle()
        #expect(running.health?.state == .ok)
        #expect(try await running.perform(.limitCurrent(amps: 10)) == .applied)
        #expect(runner.current.charger.limitAmps == 10)
        #expect(runner.current.charger.isEnabled)
        #expect(try await running.perform(.limitCurrent(amps: 0)) == .applied)
        #expect(!runner.current.charger.isEnabled)
    }
}
