import Foundation
import HubKit
import Testing

@testable import Control

/// Heating and cooling while nobody is at home.
@Suite struct SetbackTests {
    private let start: Date

    init() throws { start = try utc("2026-11-30T00:00:00Z") }

    private func decide(
        _ control: inout HeatPumpControl, _ lab: HeatPumpLab, _ hour: Double, isAway: Bool, room: Double = 21,
        mode: HVACMode = .heating, reduce: ReduceState = .normal, bad: [Int: Double] = [:]
    ) throws -> HeatPumpDecision {
        let now = start.addingTimeInterval(hour * 3600)
        let reading = HeatPumpLab.reading(now, room: room, reduce: reduce, mode: mode)
        var inputs = try lab.inputs(now, reading, lab.day(bad))
        inputs.isAway = isAway
        return control.decide(inputs)
    }

    @Test(
        "heating is lowered and cooling raised, within what the device takes",
        arguments: [
            (HVACMode.heating, 3.0, 18.0), (.cooling, 3, 24), (.heating, 10, 16), (.cooling, 10, 28), (.heating, 0, 21),
        ])
    func setpoint(mode: HVACMode, setback: Double, away: Double) throws {
        let lab = HeatPumpLab(at: start, setpoint: 16...28, setback: setback)
        var control = HeatPumpControl(use: HeatPumpLab.use)
        #expect(try decide(&control, lab, 1, isAway: false, mode: mode).setpointCelsius == 21)
        let decision = try decide(&control, lab, 2, isAway: true, mode: mode)
        #expect(decision.setpointCelsius == away)
        #expect(decision.reason.contains("nobody is at home") == (setback > 0))
        #expect(try decide(&control, lab, 3, isAway: false, mode: mode).setpointCelsius == 21)
    }

    @Test("without a setback, in another mode and before it told whether it heats or cools nothing changes")
    func unchanged() throws {
        let without = HeatPumpLab(at: start, setpoint: 16...28)
        var control = HeatPumpControl(use: HeatPumpLab.use)
        #expect(try decide(&control, without, 1, isAway: true).setpointCelsius == 21)
        let lab = HeatPumpLab(at: start, setpoint: 16...28, setback: 3)
        var use = HeatPumpLab.use
        use.mode = .now
        var manual = HeatPumpControl(use: use)
        #expect(try decide(&manual, lab, 1, isAway: true).setpointCelsius == 21)
        var silent = HeatPumpControl(use: HeatPumpLab.use)
        #expect(try decide(&silent, lab, 1, isAway: true, mode: .idle).setpointCelsius == 21)
        #expect(try decide(&silent, lab, 2, isAway: true, mode: .cooling).setpointCelsius == 24)
        #expect(try decide(&silent, lab, 3, isAway: true, mode: .idle).setpointCelsius == 24)
        var use2 = HeatPumpLab.use
        use2.comfort = nil
        var nothingWanted = HeatPumpControl(use: use2)
        #expect(try decide(&nothingWanted, lab, 1, isAway: true).setpointCelsius == nil)
    }

    @Test("a reduction may go on as deep as the lower band, and ends when somebody comes into a room that is too cold")
    func reduction() throws {
        let lab = HeatPumpLab(at: start, setback: 3)
        var control = HeatPumpControl(use: HeatPumpLab.use)
        let bad = [18: 0.95]
        #expect(try decide(&control, lab, 18.1, isAway: true, bad: bad).state == .reduced)
        #expect(try decide(&control, lab, 18.3, isAway: true, room: 19, reduce: .reduced, bad: bad).state == .reduced)
        let back = try decide(&control, lab, 18.4, isAway: false, room: 19, reduce: .reduced, bad: bad)
        #expect(back.state == .normal)
    }
}

/// What is known of who is at home.
@Suite struct PresenceBookTests {
    private let book = PresenceBook()
    private let home = UUID()
    private let start = Date(timeIntervalSince1970: 1_780_000_000)

    private func presence(_ seconds: Double) -> Presence? {
        book.presence(at: home, start.addingTimeInterval(seconds))
    }

    @Test("what was told counts for its time, and nothing is known before and after")
    func ages() {
        #expect(presence(0) == nil)
        book.note(.away, at: home, start, for: 3600)
        #expect(presence(3599) == .away && presence(3600) == nil)
        #expect(book.presence(at: UUID(), start) == nil)
        // A clock that was set back by far says nothing of its age.
        #expect(presence(-60) == nil)
        book.note(nil, at: home, start, for: 3600)
        #expect(presence(1) == nil)
    }

    @Test("without the connection it counts for a few minutes, and no longer than its time")
    func isLost() {
        book.note(.away, at: home, start, for: 3600)
        book.lose(at: home, start)
        #expect(presence(PresenceBook.graceSeconds - 1) == .away && presence(PresenceBook.graceSeconds) == nil)
        book.note(.away, at: home, start, for: 60)
        book.lose(at: home, start)
        #expect(presence(61) == nil)
        // Told again after the connection is back.
        book.note(.home, at: home, start.addingTimeInterval(100), for: 3600)
        #expect(presence(3000) == .home)
    }

    @Test("listeners hear of each change once, of one that is due too")
    func tells() async {
        var changes = book.changes().makeAsyncIterator()
        book.note(.away, at: home, start, for: 60)
        book.note(.away, at: home, start.addingTimeInterval(1), for: 60)
        #expect(await changes.next() == home)
        #expect(book.edges.allSatisfy { $0 > start.addingTimeInterval(61) })
        book.forgetOld(at: start.addingTimeInterval(30))
        book.forgetOld(at: start.addingTimeInterval(62))
        #expect(await changes.next() == home)
        #expect(book.edges.isEmpty)
        book.note(.home, at: home, start, for: 60)
        #expect(await changes.next() == home)
    }
}
