import EnergyKit
import Foundation
import HubKit
import TestSupport
import Testing

@testable import Control

@Suite(.timeLimit(.minutes(2))) struct ControllerTests {
    let start: Date

    init() throws { start = try utc("2026-11-30T18:00:00Z") }

    private func hours(_ count: Double) -> Date { start.addingTimeInterval(count * 3600) }

    private func goal(_ wattHours: Double, by hours: Double) -> DeviceGoal {
        .charge(ChargingGoal(amount: .energy(wattHours: wattHours), readyBy: self.hours(hours), setAt: start))
    }

    @Test func whatIsDecidedReachesTheDevice() async throws {
        let lab = try await ControllerLab(at: start)
        var arrivals = lab.wallbox.arrivals.makeAsyncIterator()
        try await lab.controller.setMode(.now, for: "wallbox")
        lab.start()
        lab.plugIn()
        #expect(await arrivals.next() == .limitCurrent(amps: 16))
        try await lab.controller.setMode(.off, for: "wallbox")
        #expect(await arrivals.next() == .limitCurrent(amps: 0))
        await lab.stop()
    }

    /// Field case C-7.
    @Test func beforeTheFirstReadingNothingIsCommanded() async throws {
        let prices = guidance(from: start, prices: [0.1, 0.2])
        let lab = try await ControllerLab(at: start, guidance: prices)
        try await lab.controller.setMode(.now, for: "wallbox")
        try await lab.controller.setGoal(
            .comfort(ComfortGoal(setpointCelsius: 21, comfortBandKelvin: 1)), for: "heatpump")
        lab.start()
        await lab.clock.waitForSleepers(1)
        for _ in 0..<5 { await lab.clock.advance(by: 10, keeping: 1) }
        #expect(await lab.controller.ticks >= 5)
        #expect(await lab.wallbox.commands.isEmpty)
        #expect(await lab.heatPump.commands.isEmpty)
        #expect(lab.log.texts(from: .warning).isEmpty)
        await lab.stop()
        #expect(await lab.wallbox.commands.isEmpty)
    }

    @Test func aTickIsDueAtTheEdgeOfAPlan() async throws {
        // The second hour is the cheap one: its start is an edge that no regular tick meets.
        let first = start.addingTimeInterval(-1795)
        let prices = guidance(from: first, prices: [0.4, 0.1, 0.4])
        let lab = try await ControllerLab(at: start, guidance: prices)
        try await lab.controller.setGoal(goal(11_040, by: 4), for: "wallbox")
        var arrivals = lab.wallbox.arrivals.makeAsyncIterator()
        lab.start()
        lab.plugIn()
        #expect(await arrivals.next() == .limitCurrent(amps: 0))
        let edge = first.addingTimeInterval(3600)
        #expect(lab.plans["wallbox"]?.nextEdge(after: start) == edge)
        await lab.clock.waitForSleepers(1)
        await lab.clock.advance(to: edge.addingTimeInterval(-1), keeping: 1)
        #expect(lab.clock.nextDeadline == edge)
        #expect(await lab.wallbox.commands == [.limitCurrent(amps: 0)])
        await lab.clock.advance(to: edge, keeping: 1)
        #expect(await arrivals.next() == .limitCurrent(amps: 16))
        await lab.stop()
    }

    @Test func aDeadDeviceDelaysNeitherTicksNorOthers() async throws {
        let lab = try await ControllerLab(at: start)
        let gate = Gate()
        await lab.wallbox.answer([.hangs(gate)])
        let second = FakeDevice(ControllerLab.chargerCapabilities, clock: lab.clock)
        try await lab.add(second, "second", .ev)
        var stuck = lab.wallbox.arrivals.makeAsyncIterator()
        var others = second.arrivals.makeAsyncIterator()
        try await lab.controller.setMode(.now, for: "wallbox")
        try await lab.controller.setMode(.now, for: "second")
        lab.start()
        lab.plugIn()
        #expect(await stuck.next() == .limitCurrent(amps: 16))
        lab.plugIn("second")
        #expect(await others.next() == .limitCurrent(amps: 16))
        let ticks = await lab.controller.ticks
        await lab.clock.waitForSleepers(1)
        for _ in 0..<3 { await lab.clock.advance(by: 10, keeping: 1) }
        #expect(await lab.controller.ticks >= ticks + 3)
        try await lab.controller.setMode(.off, for: "second")
        #expect(await others.next() == .limitCurrent(amps: 0))
        #expect(await lab.wallbox.commands.count == 1)
        gate.open()
        await lab.stop()
    }

    // MARK: - What is kept

    /// Field case R-2.
    @Test func modesAndGoalsAreOnDiskWhenTheyAreAcknowledged() async throws {
        let lab = try await ControllerLab(at: start)
        try await lab.controller.setMode(.solar, for: "wallbox")
        #expect(try await lab.kept("use", "wallbox", as: DeviceUse.self)?.mode == .solar)
        try await lab.controller.setGoal(goal(7000, by: 9), for: "wallbox")
        #expect(try await lab.kept("use", "wallbox", as: DeviceUse.self)?.charging?.energyWattHours == 7000)
        let comfort = ComfortGoal(setpointCelsius: 19, comfortBandKelvin: 0.5)
        try await lab.controller.setGoal(.comfort(comfort), for: "heatpump")
        #expect(try await lab.kept("use", "heatpump", as: DeviceUse.self)?.comfort == comfort)
        try await lab.controller.setGoal(nil, for: "wallbox")
        let cleared = try await lab.kept("use", "wallbox", as: DeviceUse.self)
        #expect(cleared?.charging == nil && cleared?.mode == .solar)
        #expect(lab.board["wallbox"]?.mode == .solar)
        #expect(lab.board["heatpump"]?.goal == .comfort(comfort))
        await lab.stop()
    }

    @Test func aGoalThatAPersonClearedDoesNotComeBackFromTheConfiguration() async throws {
        let folder = try TemporaryFolder()
        let configured = ChargingGoal(
            amount: .energy(wattHours: 9), readyBy: hours(5), repeatsDaily: true, setAt: start)
        let first = try await ControllerLab(at: start, folder: folder, firstGoal: configured)
        #expect(first.board["wallbox"]?.goal == .charge(configured))
        try await first.controller.setGoal(nil, for: "wallbox")
        await first.stop()
        let second = try await ControllerLab(at: start, folder: folder, firstGoal: configured)
        #expect(second.board["wallbox"]?.goal == nil)
        await second.stop()
    }

    /// Field case C-7.
    @Test func aRunningPlanIsTakenUpAfterARestart() async throws {
        let folder = try TemporaryFolder()
        let home = UUID()
        let prices = guidance(from: start, prices: [0.1, 0.4, 0.4])
        let first = try await ControllerLab(at: start, folder: folder, guidance: prices, venueID: home)
        try await first.controller.setGoal(goal(11_040, by: 3), for: "wallbox")
        var arrivals = first.wallbox.arrivals.makeAsyncIterator()
        first.start()
        first.plugIn()
        #expect(await arrivals.next() == .limitCurrent(amps: 16))
        await first.stop()
        // The guidance service has nothing yet.
        let second = try await ControllerLab(
            at: start.addingTimeInterval(600), folder: folder, venueID: home)
        var again = second.wallbox.arrivals.makeAsyncIterator()
        second.start()
        second.plugIn(watts: 11_040, counter: 2840, limit: 16)
        #expect(await again.next() == .limitCurrent(amps: 16))
        #expect(second.plans["wallbox"]?.token == prices.guidanceToken)
        #expect(second.log.texts(from: .notice).isEmpty)
        await second.stop()
    }

    // MARK: - Errors

    static let refusals: [(String, @Sendable (Controller, Date) async throws -> Void, [String])] = [
        ("unknown device", { controller, _ in try await controller.setMode(.now, for: "nobody") }, ["nobody"]),
        ("meter", { controller, _ in try await controller.setMode(.now, for: "meter") }, ["meter"]),
        (
            "solar for a heat pump", { controller, _ in try await controller.setMode(.solar, for: "heatpump") },
            ["off, now and guided"]
        ),
        (
            "comfort for a charger",
            { controller, _ in
                try await controller.setGoal(
                    .comfort(ComfortGoal(setpointCelsius: 21, comfortBandKelvin: 1)), for: "wallbox")
            }, ["wallbox"]
        ),
        (
            "percent without a capacity",
            { controller, now in
                try await controller.setGoal(
                    .charge(
                        ChargingGoal(
                            amount: .stateOfCharge(percent: 80), readyBy: now.addingTimeInterval(60), setAt: now)),
                    for: "wallbox")
            }, ["capacity_kwh", "energyWattHours"]
        ),
        (
            "past", { try await $0.setGoal(energy(1, $1, after: -1), for: "wallbox") },
            ["readyBy", "2026-11-30T18:00:00Z"]
        ),
        ("far future", { try await $0.setGoal(energy(1, $1, after: 86_400 * 15), for: "wallbox") }, ["14 days"]),
        ("negative", { try await $0.setGoal(energy(-1, $1, after: 60), for: "wallbox") }, ["0 to 1,000,000"]),
        ("not a number", { try await $0.setGoal(energy(.nan, $1, after: 60), for: "wallbox") }, ["0 to 1,000,000"]),
        (
            "too small a current", { try await $0.setGoal(energy(1, $1, after: 60, amps: 4), for: "wallbox") },
            ["6.0 to 16.0 A"]
        ),
        ("too cold", { controller, _ in try await controller.setGoal(comfort(3, 1), for: "heatpump") }, ["5 to 35"]),
        (
            "colder than the pump can",
            { controller, _ in try await controller.setGoal(comfort(8, 1), for: "heatpump") },
            ["10.0 to 30.0"]
        ),
        ("wide band", { controller, _ in try await controller.setGoal(comfort(20, 9), for: "heatpump") }, ["0 to 5 K"]),
    ]

    private static func energy(_ wattHours: Double, _ now: Date, after: Double, amps: Double? = nil) -> DeviceGoal {
        .charge(
            ChargingGoal(
                amount: .energy(wattHours: wattHours), readyBy: now.addingTimeInterval(after), minimumAmps: amps,
                setAt: now))
    }

    private static func comfort(_ celsius: Double, _ band: Double) -> DeviceGoal {
        .comfort(ComfortGoal(setpointCelsius: celsius, comfortBandKelvin: band))
    }

    @Test(arguments: refusals.indices) func whatCannotBeSaysWhatCan(index: Int) async throws {
        let (_, request, words) = Self.refusals[index]
        let lab = try await ControllerLab(at: start)
        let error = await #expect(throws: HubError.self) { try await request(lab.controller, start) }
        for word in words { #expect(error?.message.contains(word) == true, "\(error?.message ?? "")") }
        #expect(try await lab.kept("use", "wallbox", as: DeviceUse.self)?.charging == nil)
        await lab.stop()
    }

    // MARK: - Several chargers, and the end

    /// Field case C-5: the fuse carries 25 A, both want 16, the house takes 3.
    @Test func twoChargersShareTheFuse() async throws {
        let lab = try await ControllerLab(at: start, fuse: GridConnection(phases: 3, amps: 25))
        let second = FakeDevice(ControllerLab.chargerCapabilities, clock: lab.clock)
        try await lab.add(second, "second", .ev)
        try await lab.controller.setMode(.now, for: "wallbox")
        try await lab.controller.setMode(.now, for: "second")
        lab.board.post(grid(start, amps: [3, 3, 3], watts: 2070), for: "meter")
        lab.plugIn()
        lab.plugIn("second")
        var first = lab.wallbox.arrivals.makeAsyncIterator()
        var other = second.arrivals.makeAsyncIterator()
        lab.start()
        #expect(await first.next() == .limitCurrent(amps: 11))
        #expect(await other.next() == .limitCurrent(amps: 11))
        await lab.stop()
    }

    @Test func twoCarsThatPlanTheSameCheapHourShareIt() async throws {
        // 6.9 kW in all, half an hour each of what both want of the cheap hour.
        let prices = guidance(from: start, prices: [0.4, 0.1, 0.2, 0.4])
        let lab = try await ControllerLab(at: start, guidance: prices, fuse: GridConnection(phases: 3, amps: 10))
        let second = FakeDevice(ControllerLab.chargerCapabilities, clock: lab.clock)
        try await lab.add(second, "zweite", .ev)
        for id: DeviceID in ["wallbox", "zweite"] { try await lab.controller.setGoal(goal(6900, by: 4), for: id) }
        lab.plugIn()
        lab.plugIn("zweite")
        lab.start()
        await lab.clock.waitForSleepers(1)
        var changes = lab.plans.changes().makeAsyncIterator()
        while lab.plans["wallbox"]?.intervals.isEmpty != false || lab.plans["zweite"]?.intervals.isEmpty != false {
            _ = await changes.next()
        }
        let one = try #require(lab.plans["wallbox"])
        let two = try #require(lab.plans["zweite"])
        #expect(one.unmetWattHours == 0 && two.unmetWattHours == 0)
        for moment in stride(from: 0.0, to: 4 * 3600, by: 60) {
            let now = start.addingTimeInterval(moment)
            let together = (one.interval(at: now)?.powerWatts ?? 0) + (two.interval(at: now)?.powerWatts ?? 0)
            #expect(together <= 6901)
        }
        await lab.stop()
    }

    @Test func theEndLeavesHeatPumpsNormalAndChargersWithinWhatIsSafe() async throws {
        let reduceNow = guidance(from: start, prices: [nil, nil], ratings: [0.95, 0.2], action: .reduce)
        let lab = try await ControllerLab(at: start, guidance: reduceNow, fuse: GridConnection(phases: 3, amps: 25))
        try await lab.controller.setMode(.now, for: "wallbox")
        try await lab.controller.setGoal(
            .comfort(ComfortGoal(setpointCelsius: 21, comfortBandKelvin: 1)), for: "heatpump")
        lab.board.post(grid(start, amps: [3, 3, 3], watts: 2070), for: "meter")
        lab.plugIn()
        lab.board.post(HeatPumpLab.reading(start), for: "heatpump")
        var amps = lab.wallbox.arrivals.makeAsyncIterator()
        var states = lab.heatPump.arrivals.makeAsyncIterator()
        lab.start()
        #expect(await amps.next() == .limitCurrent(amps: 16))
        while let command = await states.next(), command != .reduce(.reduced) {}
        await lab.stop()
        #expect(await lab.wallbox.commands.last == .limitCurrent(amps: 12))
        #expect(await lab.heatPump.commands.last == .release)
        #expect(await lab.heatPump.mostAtOnce == 1)
    }

    @Test func theEndDoesNotWaitForADeviceThatHangs() async throws {
        let lab = try await ControllerLab(at: start, fuse: GridConnection(phases: 3, amps: 25))
        let gate = Gate()
        await lab.wallbox.answer([.hangs(gate)])
        try await lab.controller.setMode(.now, for: "wallbox")
        lab.plugIn()
        lab.board.post(HeatPumpLab.reading(start), for: "heatpump")
        var amps = lab.wallbox.arrivals.makeAsyncIterator()
        lab.start()
        _ = await amps.next()
        await lab.controller.release(within: .milliseconds(200))
        #expect(await lab.heatPump.commands.last == .release)
        #expect(lab.log.texts(from: .warning).contains { $0.contains("did not answer in time") })
        gate.open()
        await lab.stop()
    }

    @Test func nothingIsDecidedAfterTheEnd() async throws {
        let lab = try await ControllerLab(at: start)
        try await lab.controller.setMode(.now, for: "wallbox")
        lab.plugIn()
        var amps = lab.wallbox.arrivals.makeAsyncIterator()
        lab.start()
        #expect(await amps.next() == .limitCurrent(amps: 16))
        await lab.controller.release(within: .seconds(5))
        let ticks = await lab.controller.ticks
        let count = await lab.wallbox.commands.count
        try await lab.controller.setMode(.off, for: "wallbox")
        for _ in 0..<3 { await lab.clock.advance(by: 10) }
        #expect(await lab.controller.ticks == ticks)
        #expect(await lab.wallbox.commands.count == count)
        await lab.stop()
    }
}
