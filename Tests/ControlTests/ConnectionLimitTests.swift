import Foundation
import HubKit
import Testing

@testable import Control

@Suite struct ConnectionLimitTests {
    static let fuse = GridConnection(phases: 3, amps: 25)
    let now = Date(timeIntervalSince1970: 1_796_000_400)

    private func claim(
        _ wanted: Double, drawn: [Double] = [0, 0, 0], phases: Int = 3, changed: Double? = nil
    ) -> ConnectionClaim {
        ConnectionClaim(
            wantedAmps: wanted, minimumAmps: 6, phases: phases, reading: charger(now, amps: drawn),
            changedAt: changed.map { now.addingTimeInterval($0) })
    }

    private func amps(
        _ fuse: GridConnection?, _ grid: DeviceReading?, _ claims: [ConnectionClaim]
    ) -> [Double] {
        ConnectionLimit.shares(fuse, grid: grid, claims: claims).map { ($0.amps * 1000).rounded() / 1000 }
    }

    struct Case: Sendable {
        var house: [Double]
        var own: [Double]
        var free: Double

        init(_ house: [Double], own: [Double], free: Double) { (self.house, self.own, self.free) = (house, own, free) }
    }

    @Test(arguments: [
        Case([5, 5, 5], own: [0, 0, 0], free: 20), Case([21, 21, 21], own: [16, 16, 16], free: 20),
        Case([5, 18, 5], own: [0, 0, 0], free: 7),
        // Less than a car charges with is nothing.
        Case([24, 24, 24], own: [0, 0, 0], free: 0),
        Case([30, 30, 30], own: [0, 0, 0], free: 0),
    ])
    func eachPhaseLeavesWhatTheHouseDoesNotTake(one: Case) {
        let meter = grid(now, amps: one.house, watts: 1000)
        #expect(amps(Self.fuse, meter, [claim(16, drawn: one.own)]) == [one.free])
    }

    @Test func exportLeavesRoomForMore() {
        // Many meters tell the size alone; the power tells the direction.
        #expect(amps(Self.fuse, grid(now, amps: [10, 10, 10], watts: -6900), [claim(16)]) == [35])
    }

    @Test func powersOfThePhasesStandInForTheirCurrents() {
        var meter = DeviceReading(at: now)
        meter[.powerL1Watts] = 2300
        meter[.powerL2Watts] = -2300
        meter[.powerL3Watts] = 0
        #expect(amps(Self.fuse, meter, [claim(16)]) == [15])
    }

    @Test func aSumAloneIsTakenAsEven() {
        #expect(amps(Self.fuse, grid(now, watts: 6900), [claim(16)]) == [15])
        #expect(amps(GridConnection(phases: 1, amps: 25), grid(now, watts: 2300), [claim(16, phases: 1)]) == [15])
    }

    @Test func withoutTheMeterHalfTheFuseIsLeft() {
        let shares = ConnectionLimit.shares(Self.fuse, grid: nil, claims: [claim(16)])
        #expect(shares == [ConnectionShare(amps: 12.5, isFailSafe: true)])
    }

    @Test func aPhaseThatIsNotKnownIsNotGuessedFromAnother() {
        var meter = DeviceReading(at: now)
        meter[.currentL1Amps] = 0
        meter[.powerWatts] = 100
        #expect(amps(Self.fuse, meter, [claim(16)]) == [12.5])
    }

    @Test func nothingLimitsWithoutAFuse() {
        #expect(amps(nil, nil, [claim(16)]) == [.infinity])
    }

    @Test func aChargerThatTellsOnlyItsPowerIsCountedByIt() {
        let claim = ConnectionClaim(
            wantedAmps: 16, minimumAmps: 6, phases: 3, reading: charger(now, watts: 11_040), changedAt: nil)
        #expect(amps(Self.fuse, grid(now, amps: [21, 21, 21], watts: 14_000), [claim]) == [20])
    }

    /// Field case C-5.
    @Test func threeCarsShareEvenly() {
        let large = GridConnection(phases: 3, amps: 35)
        let shares = amps(large, grid(now, amps: [2, 2, 2], watts: 1380), [claim(16), claim(16), claim(16)])
        #expect(shares == [11, 11, 11])
    }

    @Test func whoWantsLessLeavesTheRestToTheOthers() {
        #expect(amps(Self.fuse, grid(now, amps: [0, 0, 0], watts: 0), [claim(6), claim(16), claim(16)])[0] == 6)
        let two = amps(Self.fuse, grid(now, amps: [0, 0, 0], watts: 0), [claim(8), claim(32)])
        #expect(two == [8, 17])
    }

    @Test func noneGetsLessThanACarChargesWithAndTheLaterOnesWait() {
        let house = grid(now, amps: [10, 10, 10], watts: 6900)
        #expect(amps(Self.fuse, house, [claim(16), claim(16), claim(16)]) == [7.5, 7.5, 0])
    }

    @Test func anOverloadOfAnotherPhaseDoesNotStopACarOnTheFirst() {
        let house = grid(now, amps: [2, 2, 40], watts: 9000)
        let shares = ConnectionLimit.shares(Self.fuse, grid: house, claims: [claim(16, phases: 1), claim(16)])
        #expect(shares[0].amps >= 16)
        #expect(!shares[0].isOverloaded)
        #expect(shares[1].amps == 0)
        #expect(shares[1].isOverloaded)
    }

    @Test(arguments: [(nil, true), (-60.0, true), (-2.0, false)])
    func readingsFromBeforeAChangeDoNotFitTogether(changed: Double?, settled: Bool) {
        let house = grid(now, amps: [2, 2, 2], watts: 1000)
        #expect(
            ConnectionLimit.shares(Self.fuse, grid: house, claims: [claim(16, changed: changed)])[0].isSettled
                == settled)
    }
}

@Suite struct LimitedChargingTests {
    let now: Date
    let lab: ChargerLab

    init() throws {
        now = try utc("2026-11-30T18:00:00Z")
        lab = ChargerLab(fuse: GridConnection(phases: 3, amps: 25), at: now)
    }

    /// Field case C-4: "now" goes on under the fail-safe limit when the grid meter is dead.
    @Test func chargingAtOnceGoesOnUnderTheFailSafeLimit() throws {
        var control = ChargerControl(use: .mode(.now))
        let decision = try control.decide(lab.inputs(now, charger(now)))
        #expect(decision.amps == 12)
        #expect(decision.reason.contains("grid meter"))
    }

    @Test func anOverloadIsMetInTheSameTickAndNotGivenBackAtOnce() throws {
        var control = ChargerControl(use: .mode(.now))
        let own = [16.0, 16, 16]
        _ = try control.decide(lab.inputs(now, charger(now), grid: grid(now, amps: [2, 2, 2], watts: 1380)))
        let kettle = now.addingTimeInterval(30)
        let reading = charger(kettle, watts: 11_040, amps: own)
        let full = grid(kettle, amps: [28, 18, 18], watts: 14_000)
        #expect(try control.decide(lab.inputs(kettle, reading, grid: full)).amps == 13)
        let soon = kettle.addingTimeInterval(20)
        let lower = charger(soon, watts: 8970, amps: [13, 13, 13])
        let free = grid(soon, amps: [15, 15, 15], watts: 10_000)
        #expect(try control.decide(lab.inputs(soon, lower, grid: free)).amps == 13)
        let later = kettle.addingTimeInterval(70)
        let stillLower = charger(later, watts: 8970, amps: [13, 13, 13])
        #expect(
            try control.decide(
                lab.inputs(later, stillLower, grid: grid(later, amps: [15, 15, 15], watts: 10_000))
            ).amps == 16)
    }

    @Test func belowTheLeastCurrentItPausesForAMinute() throws {
        var control = ChargerControl(use: .mode(.now))
        let full = grid(now, amps: [22, 22, 22], watts: 15_000)
        #expect(try control.decide(lab.inputs(now, charger(now), grid: full)).amps == 0)
    }

    /// The charger's own reading is from before it started, the grid meter's from after: no overload, no pause.
    @Test func metersThatShowDifferentMomentsStopNothing() throws {
        var control = ChargerControl(use: .mode(.now))
        let quiet = grid(now, amps: [6, 6, 6], watts: 4000)
        #expect(try control.decide(lab.inputs(now, charger(now), grid: quiet)).amps == 16)
        let soon = now.addingTimeInterval(4)
        let started = grid(soon, amps: [22, 22, 22], watts: 15_000)
        #expect(try control.decide(lab.inputs(soon, charger(now), grid: started)).amps == 16)
    }

    @Test func aModeThatIsUnknownStillKeepsTheFuse() throws {
        // No goal can be worked out, so the charger is left as it is; but not above the fuse.
        var control = ChargerControl(use: .percent(80, by: now.addingTimeInterval(9000), setAt: now))
        let reading = charger(now, watts: 11_040, amps: [16, 16, 16], limit: 16)
        let full = grid(now, amps: [30, 30, 30], watts: 20_000)
        #expect(try control.decide(lab.inputs(now, reading, grid: full)).amps == 11)
    }
}
