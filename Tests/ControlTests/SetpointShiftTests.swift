import Foundation
import HubKit
import Testing

@testable import Control

/// Thermostats and air conditioners that take a setpoint and no load state.
@Suite(.timeLimit(.minutes(2))) struct SetpointShiftTests {
    private let start: Date

    init() throws { start = try utc("2026-11-30T00:00:00Z") }

    private func lab(_ range: ClosedRange<Double>? = 5...30) -> HeatPumpLab {
        HeatPumpLab(at: start, reduce: [], setpoint: range)
    }

    private func use(band: Double = 1, mode: DeviceMode = .guided) -> DeviceUse {
        var use = DeviceUse.mode(mode)
        use.comfort = ComfortGoal(setpointCelsius: 21, comfortBandKelvin: band)
        return use
    }

    private func decide(
        _ control: inout HeatPumpControl, _ lab: HeatPumpLab, _ hour: Double, room: Double = 21,
        mode: HVACMode = .heating, bad: [Int: Double] = [18: 0.95]
    ) throws -> HeatPumpDecision {
        let now = start.addingTimeInterval(hour * 3600)
        let outdoor = mode == .cooling ? 31.0 : 0
        let reading = HeatPumpLab.reading(now, room: room, outdoor: outdoor, reduce: nil, mode: mode)
        return control.decide(try lab.inputs(now, reading, lab.day(bad)))
    }

    @Test(
        "in the worst hours it heats to less and cools to more, inside the comfort band and what the device takes",
        arguments: [
            (HVACMode.heating, 1.0, 20.5), (.heating, 1.5, 20), (.heating, 3, 18.5), (.cooling, 1, 21.5),
            (.cooling, 3, 23.5), (.heating, 0.5, 21),
        ])
    func reduced(mode: HVACMode, band: Double, celsius: Double) throws {
        var control = HeatPumpControl(use: use(band: band))
        #expect(try decide(&control, lab(), 12, mode: mode).setpointCelsius == 21)
        let worst = try decide(&control, lab(), 18.2, mode: mode)
        #expect(worst.setpointCelsius == celsius && worst.state == nil)
        #expect(control.setpointToRestore == (celsius == 21 ? nil : 21))
        #expect(try decide(&control, lab(), 19.1, mode: mode).setpointCelsius == 21)
        #expect(control.setpointToRestore == nil)
    }

    @Test("heat is stored before a long bad time, as far as the device goes", arguments: [(30.0, 21.5), (21, 21)])
    func preheating(highest: Double, celsius: Double) throws {
        var control = HeatPumpControl(use: use())
        let bad = [17: 0.9, 18: 0.95]
        let lab = lab(5...highest)
        #expect(try decide(&control, lab, 12, bad: bad).setpointCelsius == 21)
        let boost = try #require(control.plan?.intervals.first { $0.reduce == .boosted })
        let hour = boost.start.timeIntervalSince(start) / 3600 + 0.05
        #expect(try decide(&control, lab, hour, bad: bad).setpointCelsius == celsius)
    }

    @Test("a room that gets too cold has its setpoint back") func comfort() throws {
        var control = HeatPumpControl(use: use())
        #expect(try decide(&control, lab(), 18.1).setpointCelsius == 20.5)
        #expect(try decide(&control, lab(), 18.2, room: 19.9).setpointCelsius == 21)
        #expect(try decide(&control, lab(), 18.3, room: 20.2).setpointCelsius == 21)
    }

    @Test("switched off in a reduction it has its setpoint back, once") func off() throws {
        var control = HeatPumpControl(use: use())
        #expect(try decide(&control, lab(), 18.1).setpointCelsius == 20.5)
        control.use.mode = .off
        #expect(try decide(&control, lab(), 18.2).setpointCelsius == 21)
        #expect(try decide(&control, lab(), 18.3).setpointCelsius == nil)
    }

    @Test("before it told whether it heats or cools, and without a setpoint, nothing is shifted") func unknown() throws
    {
        var control = HeatPumpControl(use: use())
        #expect(try decide(&control, lab(), 18.1, mode: .idle).setpointCelsius == 21)
        var other = HeatPumpControl(use: use())
        let decision = try decide(&other, lab(nil), 18.1)
        #expect(decision.setpointCelsius == nil && decision.reason.contains("can't be reduced"))
    }

    @Test("after a start it is left as it is until there is guidance") func restart() throws {
        var control = HeatPumpControl(use: use())
        let now = start.addingTimeInterval(18.2 * 3600)
        let reading = HeatPumpLab.reading(now, reduce: nil)
        let inputs = try lab().inputs(now, reading, nil)
        #expect(control.decide(inputs).setpointCelsius == nil)
        #expect(try decide(&control, lab(), 18.3).setpointCelsius == 20.5)
    }

    @Test("at the hub's end a thermostat has its setpoint back") func end() async throws {
        let day = HeatPumpLab(at: start).day([0: 0.95])
        let lab = try await ControllerLab(at: start, guidance: day)
        let thermostat = FakeDevice(
            DeviceCapabilities(
                hvac: HVACCapabilities(mode: true, temperatures: [.room, .outdoor], setpointCelsius: 5...30)),
            clock: lab.clock)
        try await lab.add(thermostat, "thermostat", .hvac)
        try await lab.controller.setGoal(
            .comfort(ComfortGoal(setpointCelsius: 21, comfortBandKelvin: 1)), for: "thermostat")
        lab.board.post(HeatPumpLab.reading(start, reduce: nil), for: "thermostat")
        var commands = thermostat.arrivals.makeAsyncIterator()
        lab.start()
        while let command = await commands.next(), command != .setSetpoint(celsius: 20.5) {}
        await lab.stop()
        #expect(await thermostat.commands.last == .setSetpoint(celsius: 21))
    }
}
