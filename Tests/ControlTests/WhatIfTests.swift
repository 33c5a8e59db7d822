import Foundation
import HubKit
import TestSupport
import Testing

@testable import Control

/// Plans for what a person only asks about.
@Suite(.timeLimit(.minutes(2))) struct WhatIfTests {
    let start: Date

    init() throws { start = try utc("2026-11-30T18:00:00Z") }

    private func goal(_ wattHours: Double, by hours: Double) -> ChargingGoal {
        ChargingGoal(
            amount: .energy(wattHours: wattHours), readyBy: start.addingTimeInterval(hours * 3600), setAt: start)
    }

    private func lab(withSecond: Bool = false) async throws -> ControllerLab {
        let lab = try await ControllerLab(
            at: start, guidance: guidance(from: start, prices: [0.4, 0.3, 0.1, 0.2]),
            fuse: GridConnection(phases: 3, amps: 16))
        try await lab.controller.setGoal(.charge(goal(5000, by: 4)), for: "wallbox")
        if withSecond {
            try await lab.add(FakeDevice(ControllerLab.chargerCapabilities, clock: lab.clock), "second", .ev)
        }
        lab.start()
        lab.plugIn()
        #expect(await eventually { lab.plans["wallbox"] != nil })
        return lab
    }

    @Test func anotherGoalIsPricedAndNothingChanges() async throws {
        let lab = try await lab()
        let before = lab.plans["wallbox"]
        let early = try await lab.controller.whatIf(goal(5000, by: 1), for: "wallbox")
        #expect(abs(try #require(early.plan.cost) - 2) < 0.01)
        let late = try await lab.controller.whatIf(goal(11_040, by: 3), for: "wallbox")
        // Most of the hour at 0.10 with what the house leaves of the fuse, and the rest before it at 0.30.
        #expect((1.1..<2.2).contains(try #require(late.plan.cost)))
        #expect(try #require(late.plan.costIfStartedNow) > 4)
        #expect(lab.plans["wallbox"] == before)
        #expect(lab.board["wallbox"]?.goal == .charge(goal(5000, by: 4)))
        await lab.stop()
    }

    @Test func chargersThatShareTheFuseArePlannedWithIt() async throws {
        let lab = try await lab(withSecond: true)
        lab.plugIn("second")
        let answer = await eventually { try await lab.controller.whatIf(goal(8000, by: 4), for: "second") }
        guard let answer else {
            Issue.record("nothing was planned")
            return await lab.stop()
        }
        #expect(answer.others.map(\.deviceID) == ["wallbox"])
        #expect(answer.plan.unmetWattHours == 0)
        await lab.stop()
    }

    @Test func moreThanTheCarCanHoldIsRefused() async throws {
        let lab = try await lab()
        let car = VehicleConfiguration(capacityWattHours: 40_000, efficiency: 0.9)
        try await lab.add(
            FakeDevice(ControllerLab.chargerCapabilities, clock: lab.clock), "known", .ev, vehicle: car)
        lab.plugIn("known")
        let tooMuch = goal(50_000, by: 4)
        let refusal = await #expect(throws: HubError.self) {
            try await lab.controller.whatIf(tooMuch, for: "known")
        }
        #expect(refusal?.description.contains("holds 40000.0 Wh") == true, "\(String(describing: refusal))")
        await #expect(throws: HubError.self) { try await lab.controller.setGoal(.charge(tooMuch), for: "known") }
        try await lab.controller.setGoal(.charge(goal(44_000, by: 4)), for: "known")
        // Nothing is known of the other car.
        _ = try await lab.controller.whatIf(tooMuch, for: "wallbox")
        await lab.stop()
    }

    @Test func whatCannotBePlannedSaysWhy() async throws {
        let lab = try await lab()
        for (id, goal) in [
            ("nosuch" as DeviceID, goal(5000, by: 1)), ("heatpump", goal(5000, by: 1)), ("wallbox", goal(5000, by: -1)),
            ("wallbox", goal(-5, by: 1)),
        ] {
            await #expect(throws: HubError.self) { try await lab.controller.whatIf(goal, for: id) }
        }
        await lab.stop()
    }
}
