import Foundation
import HubKit
import TestSupport
import Testing

@testable import Control

/// What the log says of chargers that share what is safe without a grid meter.
@Suite(.timeLimit(.minutes(2))) struct FailSafeLineTests {
    private func lines(_ lab: ControllerLab) -> (shares: Int, ends: Int) {
        let texts = lab.log.texts()
        return (
            texts.count { $0.contains("of each phase, because") },
            texts.count { $0.contains("go by the grid meter again") }
        )
    }

    @Test(arguments: [false, true])
    func aChargerThatIsNotHeardForAWhileBringsNoGridMeterBack(hasMeter: Bool) async throws {
        let start = try utc("2026-11-30T18:00:00Z")
        let lab = try await ControllerLab(
            at: start, fuse: GridConnection(phases: 3, amps: 25), hasMeter: hasMeter)
        // A meter that was heard once and is silent since.
        if hasMeter {
            lab.board.post(grid(start.addingTimeInterval(-3600), amps: [3, 3, 3], watts: 2070), for: "meter")
            lab.board.post(DeviceHealth(.offline, since: start, reason: "no answer"), for: "meter")
        }
        try await lab.controller.setMode(.now, for: "wallbox")
        lab.plugIn()
        var arrivals = lab.wallbox.arrivals.makeAsyncIterator()
        lab.start()
        #expect(await arrivals.next() == .limitCurrent(amps: 12))
        for state in [DeviceHealth.State.offline, .ok, .offline, .ok] {
            lab.board.post(DeviceHealth(state, since: lab.clock.now), for: "wallbox")
            if state == .ok { lab.plugIn() }
            await lab.clock.advance(by: 30, keeping: 1)
        }
        #expect(lines(lab) == (1, 0), "\(lab.log.texts())")
        guard hasMeter else { return await lab.stop() }
        lab.board.post(grid(lab.clock.now, amps: [3, 3, 3], watts: 2070), for: "meter")
        await lab.clock.advance(by: 10, keeping: 1)
        #expect(lines(lab) == (1, 1), "\(lab.log.texts())")
        await lab.stop()
    }
}
