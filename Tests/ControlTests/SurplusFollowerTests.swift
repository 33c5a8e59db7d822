import Foundation
import HubKit
import Testing

@testable import Control

@Suite struct SurplusFollowerTests {
    let now = Date(timeIntervalSince1970: 1_796_000_400)

    private func follow(
        _ follower: inout SurplusFollower, grid: Double?, own: Double = 0, keeps: Bool = false, at seconds: Double
    ) -> Double {
        follower.power(
            gridWatts: grid, ownWatts: own, minimumWatts: 4140, maximumWatts: 11_040, keepsMinimum: keeps,
            at: now.addingTimeInterval(seconds)
        ).watts
    }

    @Test func itStartsAfterAMinuteOfSurplusAndStopsAfterThreeWithout() {
        var follower = SurplusFollower()
        #expect(follow(&follower, grid: -5000, at: 0) == 0)
        #expect(follow(&follower, grid: -5000, at: 59) == 0)
        #expect(follow(&follower, grid: -5000, at: 60) == 5000)
        // A cloud: it stays at the least power until the delay is over.
        #expect(follow(&follower, grid: 3000, own: 5000, at: 70) == 4140)
        #expect(follow(&follower, grid: 3000, own: 4140, at: 249) == 4140)
        #expect(follow(&follower, grid: 3000, own: 4140, at: 250) == 0)
    }

    @Test func aCloudThatPassesStartsTheDelayAnew() {
        var follower = SurplusFollower()
        _ = follow(&follower, grid: -5000, at: 0)
        _ = follow(&follower, grid: 0, at: 30)
        _ = follow(&follower, grid: -5000, at: 40)
        #expect(follow(&follower, grid: -5000, at: 99) == 0)
        #expect(follow(&follower, grid: -5000, at: 100) == 5000)
    }

    @Test func whatItDrawsItselfIsSurplusToo() {
        var follower = SurplusFollower()
        _ = follow(&follower, grid: -1000, own: 5000, at: 0)
        #expect(follow(&follower, grid: -1000, own: 5000, at: 60) == 6000)
        #expect(follow(&follower, grid: -9000, own: 5000, at: 70) == 11_040)
    }

    /// Field case C-4.
    @Test(arguments: [(false, 0.0), (true, 4140)])
    func withoutTheMeterItFallsToTheLeastOrOff(keeps: Bool, watts: Double) {
        var follower = SurplusFollower()
        _ = follow(&follower, grid: -8000, keeps: keeps, at: 0)
        _ = follow(&follower, grid: -8000, keeps: keeps, at: 60)
        #expect(follow(&follower, grid: nil, own: 8000, keeps: keeps, at: 70) == watts)
        // It has to earn its start again.
        #expect(follow(&follower, grid: -8000, keeps: keeps, at: 80) == watts)
    }

    @Test func theLeastCurrentThatWasAskedForIsKept() throws {
        var use = DeviceUse.goal(10_000, by: now.addingTimeInterval(36_000), setAt: now)
        use.mode = .solar
        use.charging?.minimumAmps = 10
        var control = ChargerControl(use: use)
        let lab = ChargerLab(at: now)
        #expect(try control.decide(lab.inputs(now, charger(now), grid: grid(now, watts: 500))).amps == 10)
    }

    @Test(
        "a car follows the sun, not what a home battery gives; heating on the same sun yields to it",
        arguments: [
            (0.0, 0.0, 10.0), (3500, 0, 0), (-2100, 0, 13), (nil, 0, 0), (0, 2000, 12), (3500, 3500, 10),
        ] as [(Double?, Double, Double)])
    func batteriesAndHeating(batteryWatts: Double?, yielded: Double, amps: Double) throws {
        var control = ChargerControl(use: .mode(.solar))
        let lab = ChargerLab(at: now)
        var last: ChargerDecision?
        for seconds in [0.0, 60, 120] {
            let then = now.addingTimeInterval(seconds)
            var inputs = try lab.inputs(then, charger(then, watts: 0), grid: grid(then, watts: -6950))
            inputs.batteryWatts = batteryWatts
            inputs.yieldedWatts = yielded
            last = control.decide(inputs)
        }
        #expect(last?.amps == amps)
        if batteryWatts == nil { #expect(last?.reason == "the battery does not answer; waiting for it") }
    }

    @Test func smallChangesOfTheSkyAreNoWrites() throws {
        var control = ChargerControl(use: .mode(.solar))
        let lab = ChargerLab(at: now)
        var noise = Noise(3)
        var own = 0.0
        var written: [Double] = []
        for tick in 0..<360 {
            let then = now.addingTimeInterval(Double(tick) * 10)
            // The sun gives just about ten amps' worth.
            let surplus = 6900 + Double.random(in: -150...150, using: &noise)
            let inputs = try lab.inputs(then, charger(then, watts: own), grid: grid(then, watts: own - surplus))
            guard let amps = control.decide(inputs).amps else { continue }
            if written.last != amps { written.append(amps) }
            own = amps * 690
        }
        #expect(written.count <= 3)
        #expect([9.0, 10].contains(written.last))
    }
}
