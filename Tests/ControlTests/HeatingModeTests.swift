import Foundation
import HubKit
import Testing

@testable import Control

/// Heating that takes more because a person or the sun says so.
@Suite(.timeLimit(.minutes(2))) struct HeatingModeTests {
    private let start: Date
    private let venue = Venue(id: UUID(), name: "Home", timeZone: .gmt)

    init() throws { start = try utc("2026-11-30T00:00:00Z") }

    private func inputs(
        _ hvac: HVACCapabilities, _ seconds: Double, room: Double? = 21, watts: Double? = nil, grid gridWatts: Double?,
        battery: Double? = 0, pending: Double = 0, mode: HVACMode = .heating
    ) throws -> TickInputs {
        let now = start.addingTimeInterval(seconds)
        let board = DeviceBoard()
        let configuration = DeviceConfiguration(
            id: "pump", name: "Pump", venueID: venue.id, driver: "hvac", connection: .none)
        board.add(
            configuration, kind: .hvac, capabilities: DeviceCapabilities(hvac: hvac),
            health: DeviceHealth(.ok, since: start))
        var reading = HeatPumpLab.reading(now, room: room, reduce: nil, mode: mode)
        reading[.powerWatts] = watts
        board.post(reading, for: "pump")
        var inputs = TickInputs(
            now: now, device: try #require(board["pump"]), venue: venue, guidance: nil, carbonPricePerKg: 0)
        inputs.grid = gridWatts.map { grid(now, watts: $0) }
        if gridWatts == nil { inputs.gridFault = "the grid meter does not answer" }
        inputs.batteryWatts = battery
        inputs.pendingWatts = pending
        return inputs
    }

    private func rod(stages: [Double] = []) -> HVACCapabilities {
        var hvac = HVACCapabilities()
        hvac.surplusWatts = 0...3000
        hvac.drawsOnlySurplus = true
        hvac.fullPowerWatts = 3000
        hvac.stagesPercent = stages
        return hvac
    }

    private func pump(_ states: [ReduceState] = [.reduced, .boosted], full: Double? = 2000) -> HVACCapabilities {
        var hvac = HVACCapabilities(mode: true, temperatures: [.room], reduce: states)
        hvac.fullPowerWatts = full
        return hvac
    }

    private func use(_ mode: DeviceMode, comfort: Bool = true) -> DeviceUse {
        var use = DeviceUse.mode(mode)
        if comfort { use.comfort = ComfortGoal(setpointCelsius: 21, comfortBandKelvin: 1) }
        return use
    }

    // MARK: - Surplus

    @Test(
        "a rod is offered what would be exported",
        arguments: [
            (-1234.0, 1200.0), (-49, 0), (0, 0), (800, 0), (-9000, 3000),
        ])
    func offered(gridWatts: Double, watts: Double) throws {
        for mode in [DeviceMode.guided, .solar] {
            var control = HeatPumpControl(use: use(mode, comfort: false))
            let decision = control.decide(try inputs(rod(), 0, room: nil, grid: gridWatts))
            #expect(decision.surplusWatts == watts && decision.state == nil)
            #expect(decision.reason == (watts > 0 ? "using the own surplus" : "waiting for surplus"))
        }
    }

    @Test("what a rod draws already belongs to the surplus, whether it is measured or not", arguments: [1500, nil])
    func settled(measured: Double?) throws {
        var control = HeatPumpControl(use: use(.guided))
        _ = control.decide(try inputs(rod(), 0, grid: -1500))
        // While meter and rod follow, nothing changes.
        #expect(control.decide(try inputs(rod(), 5, watts: 0, grid: -1500)).surplusWatts == 1500)
        #expect(control.decide(try inputs(rod(), 20, watts: measured, grid: 0)).surplusWatts == 1500)
        #expect(control.decide(try inputs(rod(), 40, watts: measured, grid: 400)).surplusWatts == 1100)
    }

    @Test(
        "what a battery gives is no surplus, and without its word there is none",
        arguments: [
            (0.0, 1500.0), (1000, 500), (2000, 0), (-1000, 2500), (nil, 0),
        ] as [(Double?, Double)])
    func battery(batteryWatts: Double?, watts: Double) throws {
        var control = HeatPumpControl(use: use(.guided))
        let decision = control.decide(try inputs(rod(), 0, grid: -1500, battery: batteryWatts))
        #expect(decision.surplusWatts == watts)
        if batteryWatts == nil { #expect(decision.reason == "the battery does not answer; waiting for it") }
    }

    @Test("a car that is about to draw comes first") func cars() throws {
        var control = HeatPumpControl(use: use(.guided))
        #expect(control.decide(try inputs(rod(), 0, grid: -3000, pending: 1400)).surplusWatts == 1600)
    }

    @Test("without the grid meter nothing is offered, and it is said why") func dead() throws {
        var control = HeatPumpControl(use: use(.guided))
        #expect(control.decide(try inputs(rod(), 0, grid: -1500)).surplusWatts == 1500)
        let decision = control.decide(try inputs(rod(), 30, grid: nil))
        #expect(decision.surplusWatts == 0)
        #expect(decision.reason == "the grid meter does not answer; waiting for it")
    }

    @Test("switched off it is offered nothing, asked now it gets all") func modes() throws {
        var off = HeatPumpControl(use: use(.off))
        #expect(off.decide(try inputs(rod(), 0, grid: -3000)).surplusWatts == 0)
        var now = HeatPumpControl(use: use(.now))
        #expect(now.decide(try inputs(rod(), 0, grid: 500)).surplusWatts == 3000)
    }

    // MARK: - Load states

    @Test(
        "asked now a pump runs as by itself, whatever it could do",
        arguments: [[ReduceState.reduced, .boosted], [.reduced, .boosted, .forced], [.reduced]])
    func now(states: [ReduceState]) throws {
        var control = HeatPumpControl(use: use(.now))
        let decision = control.decide(try inputs(pump(states), 0, grid: -9000))
        #expect(decision.state == .normal && decision.isRelease)
    }

    /// A pump that stands at a steady surplus for a while.
    private func control(
        _ hvac: HVACCapabilities, sunFor seconds: Double, room: Double = 21, mode: HVACMode = .heating
    ) throws -> HeatPumpControl {
        var control = HeatPumpControl(use: use(.solar))
        for second in stride(from: -seconds, through: 0, by: 30) {
            _ = control.decide(try inputs(hvac, second, room: room, watts: 2000, grid: -100, mode: mode))
        }
        return control
    }

    @Test("a warm room ends it, and it begins again only when the room has cooled") func sated() throws {
        var control = try control(pump(), sunFor: 120)
        func decide(_ seconds: Double, room: Double) throws -> HeatPumpDecision {
            control.decide(try inputs(pump(), seconds, room: room, watts: 2000, grid: -100))
        }
        #expect(try decide(0, room: 21.9).state == .boosted)
        let full = try decide(60, room: 22.1)
        #expect(full.state == .normal && !full.isRelease && full.reason == "the room is at the end of its band")
        #expect(try decide(180, room: 21.8).state == .normal)
        _ = try decide(240, room: 21.6)
        #expect(try decide(300, room: 21.6).state == .boosted)
    }

    @Test("what cools is at the end of its band when the room is cold") func cooling() throws {
        var control = try control(pump(), sunFor: 120, room: 22.5, mode: .cooling)
        func state(_ room: Double) throws -> ReduceState? {
            control.decide(try inputs(pump(), 60, room: room, watts: 2000, grid: -100, mode: .cooling)).state
        }
        #expect(try state(22.5) == .boosted)
        #expect(try state(19.9) == .normal)
    }

    @Test(
        "a pump that was asked for a quarter of an hour and leaves its whole power to the grid is made to run",
        arguments: [
            ([ReduceState.boosted, .forced], 2000.0, ReduceState.forced), ([.boosted, .forced], 1999, .boosted),
            ([.boosted], 9000, .boosted), ([.forced], 9000, .forced),
        ])
    func forced(states: [ReduceState], exported: Double, last: ReduceState) throws {
        var control = HeatPumpControl(use: use(.solar))
        var seen: [ReduceState] = []
        for second in stride(from: 0.0, through: 1200, by: 30) {
            // Where it takes nothing, all is exported; a little comes and goes.
            let decision = control.decide(
                try inputs(pump(states), second, watts: second < 90 ? 0 : 100, grid: -max(exported, 1900)))
            if let state = decision.state, seen.last != state { seen.append(state) }
        }
        #expect(seen.last == last)
        #expect(seen.count == (states.count == 2 && last == .forced ? 3 : 2), "\(seen)")
    }

    @Test("with the sun it starts when the surplus lasted a minute and carries it, and ends three minutes after")
    func solar() throws {
        var control = HeatPumpControl(use: use(.solar))
        func state(_ seconds: Double, _ gridWatts: Double, watts: Double = 0) throws -> ReduceState? {
            control.decide(try inputs(pump(), seconds, watts: watts, grid: gridWatts)).state
        }
        #expect(try state(0, -1900) == .normal)
        #expect(try state(60, -2100) == .normal)
        #expect(try state(120, -2100) == .boosted)
        #expect(try state(180, 0, watts: 2000) == .boosted)
        #expect(try state(240, 900, watts: 2000) == .boosted)
        #expect(try state(430, 900, watts: 2000) == .normal)
    }

    @Test("a pump of unknown power does not follow the sun, and says what to do; once it was seen it does")
    func unknownPower() throws {
        var control = HeatPumpControl(use: use(.solar))
        let decision = control.decide(try inputs(pump(full: nil), 0, grid: -5000))
        #expect(decision.state == .normal)
        #expect(decision.reason == "nobody knows how much it draws; set max_watts of its limits")
        _ = control.decide(try inputs(pump(full: nil), 60, watts: 1800, grid: -5000))
        #expect(control.decide(try inputs(pump(full: nil), 130, watts: 0, grid: -5000)).state == .boosted)
    }

    // MARK: - Shifts of the setpoint

    @Test(
        "a pump that shifts its setpoint stores heat by that",
        arguments: [
            (1.0, HVACMode.heating, 0.5), (3, .heating, 2.5), (6, .heating, 5), (0.5, .heating, 0), (3, .cooling, 0),
        ])
    func shifted(band: Double, mode: HVACMode, kelvin: Double) throws {
        var hvac = pump([.reduced])
        hvac.offsetKelvin = -5...5
        var use = use(.solar)
        use.comfort?.comfortBandKelvin = band
        var control = HeatPumpControl(use: use)
        for second in [0.0, 60, 120] {
            let decision = control.decide(try inputs(hvac, second, watts: 2000, grid: -100, mode: mode))
            #expect(decision.offsetKelvin == (second == 0 ? 0 : kelvin) && decision.state == .normal)
        }
        control.use.mode = .off
        #expect(control.decide(try inputs(hvac, 180, grid: 0, mode: mode)).offsetKelvin == 0)
    }

    @Test("what is told follows from the decision, and an unlimited home has no limit written") func commands() throws {
        var hvac = pump()
        hvac.powerLimitWatts = 1000...15000
        hvac.surplusWatts = 0...20000
        var control = HeatPumpControl(use: use(.solar))
        var inputs = try inputs(hvac, 0, watts: 500, grid: -800)
        #expect(control.decide(inputs).commands == [.reduce(.normal), .offerSurplus(watts: 1300)])
        inputs.limits.isLimitedFromOutside = true
        #expect(control.decide(inputs).commands.last == .limitPower(watts: nil))
        inputs.heatingShare = HeatingShare(watts: 1200)
        let limited = control.decide(inputs)
        #expect(limited.commands.last == .limitPower(watts: 1200))
        #expect(limited.reason.hasSuffix("; limited to 1200 W by the grid operator's limit"))
        inputs.heatingShare = HeatingShare(isLocked: true, reason: "locked by the grid operator's limit")
        let locked = control.decide(inputs)
        #expect(locked.state == .reduced && locked.surplusWatts == 0 && locked.commands.first == .lock)
        #expect(locked.reason == "locked by the grid operator's limit")
        // What was locked runs again at once, whatever its dwell time; and what was limited is not at the hub's end.
        inputs.heatingShare = nil
        inputs.now.addTimeInterval(60)
        #expect(control.decide(inputs).commands.first == .release)
        #expect(control.hasLimit)
    }

    @Test("a rod keeps to what a limit from outside leaves") func limitedRod() throws {
        var control = HeatPumpControl(use: use(.guided))
        var inputs = try inputs(rod(), 0, grid: -3000)
        inputs.limitLeftWatts = 700
        #expect(control.decide(inputs).surplusWatts == 700)
    }

    @Test("under a limit from outside nothing is asked for more", arguments: [DeviceMode.solar, .guided])
    func limitedPump(mode: DeviceMode) throws {
        var hvac = pump()
        hvac.surplusWatts = 0...20000
        var control = try control(hvac, sunFor: 120)
        control.use.mode = mode
        var inputs = try inputs(hvac, 30, watts: 2000, grid: -3000)
        inputs.limits.externalWatts = 9000
        let decision = control.decide(inputs)
        #expect(decision.state == .normal && decision.surplusWatts == 0)
    }

    @Test("an offer that was too much is taken back after five seconds, not ten") func hurry() throws {
        var control = HeatPumpControl(use: use(.guided))
        #expect(control.decide(try inputs(rod(), 0, grid: -2000)).surplusWatts == 2000)
        #expect(control.decide(try inputs(rod(), 4, watts: 2000, grid: 1500)).surplusWatts == 2000)
        #expect(control.decide(try inputs(rod(), 6, watts: 2000, grid: 1500)).surplusWatts == 500)
        // More is offered only when everything has settled.
        #expect(control.decide(try inputs(rod(), 12, watts: 500, grid: -1500)).surplusWatts == 500)
        #expect(control.decide(try inputs(rod(), 17, watts: 500, grid: -1500)).surplusWatts == 2000)
    }

    @Test("what a rod draws counts for a heat pump, which makes more of it") func pumpBeforeRod() throws {
        var control = HeatPumpControl(use: use(.solar))
        for second in [0.0, 60, 120] {
            var inputs = try inputs(pump(), second, watts: 0, grid: -200)
            inputs.yieldedWatts = 1800
            #expect(control.decide(inputs).state == (second == 0 ? .normal : .boosted))
        }
    }

    @Test("what was offered or asked for is not there for another", arguments: [(true, 0.0), (false, 200)])
    func reserved(isRod: Bool, drawn: Double) throws {
        var surplus = HeatingSurplus()
        let inputs = try inputs(rod(), 0, grid: -1500)
        _ = surplus.offer(inputs, most: 3000, drawsOnlyThis: isRod)
        let pending = surplus.pendingWatts(drawn: drawn, drawsOnlyThis: isRod, at: inputs.now.addingTimeInterval(5))
        #expect(pending == 1500 - drawn)
        let later = inputs.now.addingTimeInterval(isRod ? 11 : 301)
        #expect(surplus.pendingWatts(drawn: drawn, drawsOnlyThis: isRod, at: later) == 0)
        // A pump takes minutes, a rod seconds.
        let soon = inputs.now.addingTimeInterval(60)
        #expect(surplus.pendingWatts(drawn: drawn, drawsOnlyThis: isRod, at: soon) == (isRod ? 0 : 1300))
    }
}
