import Foundation
import HubKit
import Modbus
import TestSupport
import Testing

/// A device that answers and says what can't be is not well, what it says is not used, and both are told once.
@Suite(.timeLimit(.minutes(3))) struct LyingDeviceTests {
    private struct UnderTest {
        let twin: VirtualDevice
        let clock = ManualClock()
        let log = CollectingLog()
        let running: RunningDevice
        private let folder: TemporaryFolder

        init(_ liar: Lie.Liar) throws {
            folder = try TemporaryFolder()
            twin = try liar.twin()
            let driver = liar.driver
            let venue = Venue(
                id: UUID(), name: "Home", timeZone: .gmt, connection: GridConnection(phases: 3, amps: 35))
            let context = DriverContext(
                venues: VenueRegistry([venue]), guidance: NoOpGuidance(), events: NoOpEvents(),
                profiles: try liar.profiles(folder), clock: clock, log: log.log)
            var configuration = try DeviceConfiguration.forTests(
                driver.name, profile: liar.profile, port: twin.server.port)
            configuration.venueID = venue.id
            configuration.pollSeconds = 10
            running = RunningDevice(
                try driver.makeDevice(configuration, in: context), configuration, kind: driver.kind, clock: clock,
                sleepers: liar.sleepers, twin: twin)
        }
    }

    @Test(arguments: Lie.all) func aLieIsSaidOnceNotUsedAndForgivenOnce(lie: Lie) async throws {
        let device = try UnderTest(lie.liar)
        let running = device.running
        await running.settle()
        #expect(running.health?.state == .ok, "\(running.health as Any)")
        let before = try #require(running.reading?.samples[lie.quantity])
        let others = try #require(running.reading).samples.count
        let truth = try #require(
            device.twin.server.words(lie.table, unit: device.twin.unit, address: lie.address, count: lie.words.count))

        device.twin.set(lie.table, lie.address, lie.words)
        await running.pass(10)
        #expect(running.health?.state == .degraded)
        let reason = running.health?.reason ?? ""
        #expect(reason.contains(lie.quantity.rawValue) && reason.contains(lie.said), "\(reason)")
        // A counter is what it was before (D-4); everything else is unknown.
        #expect(running.reading?.samples[lie.quantity] == (lie.quantity.isCounter ? before : nil))
        #expect(running.reading?.samples.count == (lie.quantity.isCounter ? others : others - 1))
        if !lie.what.contains("jumps") { await running.pass(600) }
        #expect(running.health?.state == .degraded)
        #expect(device.log.texts().count == 2, "\(device.log.texts())")

        device.twin.set(lie.table, lie.address, truth)
        await running.pass(40)
        #expect(running.health?.state == .ok, "\(running.health as Any)")
        #expect(running.reading?.samples[lie.quantity]?.value == before.value)
        #expect(device.log.texts().suffix(1) == ["is well again"])
        #expect(device.log.texts().count == 3)
    }

    @Test(arguments: Lie.Liar.allCases.filter { $0 != .soc })
    func aDeviceThatSaysOnesOnlyIsBelievedNothing(liar: Lie.Liar) async throws {
        let device = try UnderTest(liar)
        await device.running.settle()
        let counters = device.running.reading?.samples.keys.filter(\.isCounter) ?? []
        device.twin.server.update(unit: device.twin.unit) { bank in
            for kind in [RegisterKind.holding, .input] {
                for address in UInt16.min...UInt16.max where bank.words(kind, address: address, count: 1) != nil {
                    bank.set(kind, address: address, words: [0xFFFF])
                }
            }
        }
        await device.running.pass(10)
        #expect(device.running.health?.state == .degraded)
        #expect(Set(device.running.reading?.samples.keys.map { $0 } ?? []) == Set(counters))
        #expect(device.running.reading?.plug == nil && device.running.reading?.charging == nil)
        await device.running.pass(600)
        #expect(device.log.texts().count == 2, "\(device.log.texts())")
    }

    @Test func aMeterThatLiesNowAndThenIsToldOnce() async throws {
        let device = try UnderTest(.eastron)
        await device.running.settle()
        for round in 0..<40 {
            device.twin.set(.input, 52, Lie.float(round.isMultiple(of: 2) ? 1e30 : 3450))
            await device.running.pass(10)
            #expect(device.running.health?.state == .degraded)
            #expect(device.running.reading?.powerWatts == (round.isMultiple(of: 2) ? nil : 3450))
        }
        #expect(device.log.texts().count == 2, "\(device.log.texts())")
    }

    @Test(arguments: [100.0, 35 * 1.3, 90]) func anOverloadIsNoLie(amps: Double) async throws {
        let device = try UnderTest(.eastron)
        await device.running.settle()
        device.twin.set(.input, 6, Lie.float(amps))
        device.twin.set(.input, 52, Lie.float(amps * 230 * 2))
        await device.running.pass(10)
        #expect(device.running.health?.state == .ok)
        #expect(device.running.reading?[.currentL1Amps].map { abs($0 - amps) < 0.01 } == true)
    }

    @Test func anExchangedMeterIsBelievedOnceItCountsSteadily() async throws {
        let device = try UnderTest(.eastron)
        await device.running.settle()
        device.twin.set(.input, 72, Lie.float(20_000))
        await device.running.pass(60)
        #expect(device.running.health?.state == .degraded)
        #expect(device.running.reading?[.importWattHours] == 8_214_500)
        device.twin.set(.input, 72, Lie.float(20_001))
        await device.running.pass(60)
        #expect(device.running.health?.state == .ok)
        #expect(device.running.reading?[.importWattHours] == 20_001_000)
    }

    @Test func aCounterThatStumblesToZeroStaysWhatItWasAndItsWayBackIsNoJump() async throws {
        // Field cases S-1, S-2: whoever counts deals with a fall; a 0 for a moment is none, and the way back is no lie.
        let device = try UnderTest(.eastron)
        await device.running.settle()
        device.twin.set(.input, 72, Lie.float(0))
        await device.running.pass(10)
        #expect(device.running.health?.state == .degraded)
        #expect(device.running.reading?[.importWattHours] == 8_214_500)
        for kilowattHours in [8214.5, 0.2, 0.5, 8214.6] {
            device.twin.set(.input, 72, Lie.float(kilowattHours))
            await device.running.pass(60)
            #expect(device.running.health?.state == .ok, "\(kilowattHours)")
        }
    }

    @Test func aCoarseCounterAndOneThatWasAwayAreNoLies() async throws {
        let device = try UnderTest(.eastron)
        await device.running.settle()
        device.twin.set(.input, 72, Lie.float(8224.5))
        await device.running.pass(10)
        #expect(device.running.health?.state == .ok, "ten kilowatt-hours at once are a coarse counter's step")
        device.twin.server.refuseConnections(true)
        device.twin.server.closeConnections()
        await device.running.pass(10_800)
        device.twin.server.refuseConnections(false)
        device.twin.set(.input, 72, Lie.float(8264.5))
        await device.running.pass(60)
        #expect(device.running.health?.state == .ok)
        #expect(device.running.reading?[.importWattHours] == 8_264_500)
    }
}

extension HubTests {
    /// The whole hub beside a grid meter that lies: the page, the log and the chargers know.
    @Suite struct LyingGridMeterTests {
        @Test(.timeLimit(.minutes(2)), arguments: [Double.nan, 1e30]) func chargersFallBackAndSayWhy(watts: Double)
            async throws
        {
            let meter = try VirtualDevice.atTheConnection()
            let charger = try VirtualDevice.alfen()
            let home = try Household(
                devices: [
                    "id: grid, driver: meter, profile: eastron-sdm630, role: grid, poll_seconds: 0.5, "
                        + "connection: {host: 127.0.0.1, port: \(meter.server.port)}",
                    "id: car, driver: ev, profile: alfen-eve, mode: now, poll_seconds: 0.5, "
                        + "connection: {host: 127.0.0.1, port: \(charger.server.port)}",
                ], venue: "connection: {phases: 3, amps: 35}, rate_plan: {flat: 0.30}")
            let hub = try await home.run()
            let client = try await hub.client()
            // The house draws 5 A beside the car's 11.5 A: it may have more than half of the fuse.
            #expect(await eventually { Self.limit(of: charger) > 17.5 }, "\(Self.limit(of: charger)) A")

            meter.set(.input, 6, (0..<6).flatMap { _ in Lie.float(watts) })
            meter.set(.input, 52, Lie.float(watts))
            let line = try await hub.said("of each phase, because the grid meter gives no usable values")
            #expect(
                line.contains("share 17.5 A") && line.contains("(grid: ") && line.contains("powerWatts reads"),
                "\(line)")
            #expect(await eventually { Self.limit(of: charger) <= 17.5 }, "\(Self.limit(of: charger)) A")
            let device = try await client.get("/api/v1/devices/grid").json
            #expect(device["health"]["state"].string == "degraded", "\(device)")
            #expect(device["health"]["reason"].string?.contains("powerWatts reads") == true, "\(device)")
            #expect(device["reading"]["powerWatts"] == .null, "\(device)")
            #expect(device["reading"]["voltageL1Volts"].number == 230, "\(device)")

            meter.set(.input, 6, (0..<3).flatMap { _ in Lie.float(5) } + (0..<3).flatMap { _ in Lie.float(1150) })
            meter.set(.input, 52, Lie.float(3450))
            try await hub.said("go by the grid meter again")
            try await hub.said("device.grid: is well again")
            let said = await hub.output
            #expect(said.filter { $0.contains("of each phase, because") }.count == 1, "\(said)")
            #expect(said.filter { $0.contains("device.grid: is not well") }.count == 1, "\(said)")
            #expect(await hub.terminate().status == 0)
        }

        /// The current that the charger was told last, in amps.
        private static func limit(of charger: VirtualDevice) -> Double {
            let words = charger.server.words(.holding, unit: 1, address: 1210, count: 2) ?? [0, 0]
            return Double(Float(bitPattern: UInt32(words[0]) << 16 | UInt32(words[1])))
        }
    }
}
