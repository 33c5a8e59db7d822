import Foundation
import HubKit
import Testing

@testable import Control

/// The clock is set back while a charger is under control: nothing waits for the old time to come again.
@Suite struct ClockSetBackTests {
    private let start = Date(timeIntervalSince1970: 1_780_000_000)
    private let fuse = GridConnection(phases: 3, amps: 25)

    @Test(arguments: [-3600.0, -86_400]) func aLimitedChargerIsNotHeldForTheHourThatComesAgain(set: Double) throws {
        let lab = ChargerLab(fuse: fuse, at: start)
        var control = ChargerControl(use: .mode(.now))
        func tick(_ second: Double, house: Double, own: Double) throws -> Double? {
            let now = start.addingTimeInterval(second)
            let reading = charger(now, watts: own * 690, amps: [own, own, own])
            let meter = grid(now, amps: [house + own, house + own, house + own], watts: (house + own) * 690)
            return try control.decide(lab.inputs(now, reading, grid: meter)).amps
        }
        #expect(try tick(0, house: 2, own: 0) == 16)
        #expect(try tick(10, house: 15, own: 16) == 10)
        // The kettle is off, and the clock was set back: a minute later the charger has its current again.
        var amps: Double?
        for second in stride(from: 20.0, through: 100, by: 10) { amps = try tick(set + second, house: 2, own: 10) }
        #expect(amps == 16)
    }

    @Test func energyTowardsAGoalIsCountedOn() throws {
        let lab = ChargerLab(at: start)
        var control = ChargerControl(use: .goal(2000, by: start.addingTimeInterval(6 * 3600), setAt: start))
        let prices = guidance(from: start.addingTimeInterval(-7200), prices: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
        var counter = 1000.0
        var decision: ChargerDecision?
        func tick(_ moment: Date, watts: Double) throws {
            counter += watts * 10 / 3600
            decision = try control.decide(
                lab.inputs(moment, charger(moment, watts: watts, counter: counter), guidance: prices))
        }
        for step in 0..<30 { try tick(start.addingTimeInterval(Double(step) * 10), watts: 7200) }
        // 600 of 2000 Wh are there when the clock is set back by an hour.
        let back = start.addingTimeInterval(300 - 3600)
        for step in 0..<80 { try tick(back.addingTimeInterval(Double(step) * 10), watts: 7200) }
        #expect(counter - 1000 > 2100)
        #expect(decision?.amps == 0, "\(decision as Any)")
    }

    @Test func surplusIsWaitedForNoLongerThanEver() {
        var follower = SurplusFollower()
        func power(_ second: Double) -> Double {
            follower.power(
                gridWatts: -5000, ownWatts: 0, minimumWatts: 1400, maximumWatts: 11_000, keepsMinimum: false,
                at: start.addingTimeInterval(second)
            ).watts
        }
        #expect(power(0) == 0)
        follower.forgetFuture(at: start.addingTimeInterval(-3600))
        #expect(power(-3600) == 0)
        #expect(power(-3600 + 61) == 5000)
    }
}
