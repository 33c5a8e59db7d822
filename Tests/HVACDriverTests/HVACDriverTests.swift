import Foundation
import HVACDriver
import HomeSimulator
import HubKit
import Modbus
import ProfileKit
import TestSupport
import Testing

typealias Written = VirtualDevice.Written

/// A heat pump of a profile, its virtual twin on real Modbus TCP, and a clock by hand.
struct HeatPumpUnderTest {
    let twin: VirtualDevice
    let clock = ManualClock()
    let running: RunningDevice

    /// Starts the twin and the device.
    /// - Parameter watts: its power at full stage, where the person says it.
    init(_ profile: String, _ twin: VirtualDevice, watts: Double? = nil) throws {
        self.twin = twin
        running = try RunningDevice.start(
            HVACDriver(buses: ModbusBuses()), profile: profile, twin: twin, clock: clock,
            configure: { $0.limits.maximumWatts = watts })
    }
}

extension VirtualDevice {
    /// A Nibe S1255 that heats: −7.3 °C outside, 34.2 °C out, 29.1 °C back, 48.6 °C hot water, no room sensor, 2050 W.
    static func nibe(priority: UInt16 = 30, compressor: UInt16 = 1, grid: UInt16 = 10) throws -> VirtualDevice {
        let input: [UInt16: [UInt16]] = [
            1: [0xFFB7], 5: [342, 0, 291, 486], 116: [0x8000], 1028: [priority], 1100: [compressor], 1911: [grid],
            2166: [2050, 0],
        ]
        return try VirtualDevice(unit: 1, holding: [2741: [0], 6007: [0, 1]], input: input) { write in
            guard [2741, 6007, 6008].contains(write.address), write.values.count == 1 else {
                return .illegalDataAddress
            }
            guard write.address == 6008 else { return nil }
            return [0, 1, 3].contains(write.values[0]) ? nil : .illegalDataValue
        }
    }
}

/// Known raw words give known values and states.
@Suite(.timeLimit(.minutes(3))) struct HVACReadingTests {
    @Test(arguments: ["nibe-s", "stiebel-isg"]) func theDriverKeepsTheHubsPromises(profile: String) async throws {
        let twin = profile == "nibe-s" ? try VirtualDevice.nibe() : try VirtualDevice.stiebel()
        let configuration = try DeviceConfiguration.forTests("hvac", profile: profile, port: twin.server.port)
        let driver = HVACDriver(buses: ModbusBuses())
        let breaches = await DriverConformance(driver, configuration, server: twin.server).breaches()
        // The states in between last ten minutes, and the suite's clock stands still.
        #expect(breaches == [])
    }

    @Test func aNibesWords() async throws {
        let pump = try HeatPumpUnderTest("nibe-s", try .nibe())
        await pump.running.settle()
        let reading = try #require(pump.running.reading)
        #expect(
            reading.samples.mapValues(\.value) == [
                .outdoorCelsius: -7.3, .flowCelsius: 34.2, .returnCelsius: 29.1, .hotWaterCelsius: 48.6,
                .powerWatts: 2050,
                .stagePercent: 2050 / 4500 * 100,
            ])
        // A stage from power is no measurement; a sensor that is not there is unknown, not −3276.8 °C (D-5).
        #expect(reading.samples[.stagePercent]?.quality == .estimated)
        #expect(reading[.roomCelsius] == nil)
        #expect(reading.hvacMode == .heating)
        #expect(reading.reduce == .normal)
        #expect(pump.twin.writes == [])
    }

    @Test func aStiebelsWords() async throws {
        let pump = try HeatPumpUnderTest("stiebel-isg", try .stiebel())
        await pump.running.settle()
        let reading = try #require(pump.running.reading)
        #expect(
            reading.samples.mapValues(\.value) == [
                .outdoorCelsius: -7.3, .hotWaterCelsius: 48.6, .returnCelsius: 29.1, .flowCelsius: 34.2,
                .setpointCelsius: 21.5, .stagePercent: 100,
            ])
        #expect(reading.hvacMode == .heating)
        #expect(reading.reduce == .normal)
        #expect(pump.running.health?.state == .ok)
    }

    static let nibeModes: [(UInt16, UInt16, HVACMode)] = [
        (10, 0, .idle), (20, 0, .idle), (30, 0, .idle), (60, 0, .idle), (10, 1, .idle), (20, 1, .hotWater),
        (30, 1, .heating), (40, 1, .heating), (60, 1, .cooling), (99, 1, .idle),
    ]

    @Test(arguments: nibeModes) func modesOfANibe(priority: UInt16, compressor: UInt16, mode: HVACMode) async throws {
        let pump = try HeatPumpUnderTest("nibe-s", try .nibe(priority: priority, compressor: compressor))
        await pump.running.settle()
        #expect(pump.running.reading?.hvacMode == mode)
    }

    @Test(arguments: [(10, .normal), (20, .reduced), (30, .boosted), (40, .boosted)] as [(UInt16, ReduceState)])
    func loadStatesOfANibe(raw: UInt16, state: ReduceState) async throws {
        let pump = try HeatPumpUnderTest("nibe-s", try .nibe(grid: raw))
        await pump.running.settle()
        #expect(pump.running.reading?.reduce == state)
    }

    @Test(
        arguments: [(0, 0, .idle), (0, 1, .heating), (1, 0, .defrosting), (1, 1, .defrosting)]
            as [(UInt16, UInt16, HVACMode)])
    func modesOfAStiebel(defrost: UInt16, compressor: UInt16, mode: HVACMode) async throws {
        let twin = try VirtualDevice.stiebel()
        twin.set(.input, 2505, [defrost])
        twin.set(.input, 2541, [compressor])
        let pump = try HeatPumpUnderTest("stiebel-isg", twin)
        await pump.running.settle()
        #expect(pump.running.reading?.hvacMode == mode)
    }

    @Test(arguments: [(1, .reduced), (2, .normal), (3, .boosted), (4, .boosted)] as [(UInt16, ReduceState)])
    func loadStatesOfAStiebel(raw: UInt16, state: ReduceState) async throws {
        let twin = try VirtualDevice.stiebel()
        twin.set(.input, 5000, [raw])
        let pump = try HeatPumpUnderTest("stiebel-isg", twin)
        await pump.running.settle()
        #expect(pump.running.reading?.reduce == state)
    }

    @Test func theVirtualHousesHeatPumpIsReadAndObeys() async throws {
        let clock = ManualClock()
        let runner = try HouseRunner(House(now: clock.now, seed: 1), clock: clock, ports: HousePorts(), file: nil)
        defer { runner.stop() }
        let running = try RunningDevice.start(
            HVACDriver(buses: ModbusBuses()), profile: "nibe-s", port: runner.ports.heatPump, clock: clock)
        await running.settle()
        #expect(running.health?.state == .ok)
        #expect(running.reading?[.roomCelsius] == 20.8)
        #expect(try await running.perform(.reduce(.reduced)) == .applied)
        #expect(runner.current.heating.order == .blocked)
        await running.pass(600)
        #expect(running.reading?.reduce == .reduced)
        #expect(try await running.perform(.reduce(.boosted)) == .applied)
        #expect(runner.current.heating.order == .boosted)
    }
}
