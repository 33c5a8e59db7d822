import Foundation
import HubKit
import TestSupport
import Testing

@testable import Control

/// Following the sun on one phase or three.
@Suite struct PhaseSwitchTests {
    let start = Date(timeIntervalSince1970: 1_796_000_400)

    /// A charger that can switch, under a sun that a test sets, with what it draws at the current it was told.
    private struct SunnyLab {
        var control = ChargerControl(use: .mode(.solar))
        let lab: ChargerLab
        var now: Date
        var amps = 0.0
        /// Phases that the charger really uses.
        var phases = 3
        var switches: [Date] = []
        var ampsWhileSwitching: [Double] = []

        init(at start: Date, phases: [Int] = [1, 3]) {
            now = start
            lab = ChargerLab(at: start, phases: phases)
        }

        /// Lets the sun shine for a while, ticking every ten seconds.
        mutating func shine(_ watts: Double, seconds: Double) throws {
            let end = now.addingTimeInterval(seconds)
            while now < end {
                let own = amps * 230 * Double(phases)
                let decision = try control.decide(
                    lab.inputs(now, charger(now, watts: own), grid: grid(now, watts: own - watts)))
                if let wanted = decision.phases, wanted != phases {
                    ampsWhileSwitching.append(own)
                    phases = wanted
                    switches.append(now)
                }
                if let amps = decision.amps { self.amps = amps }
                now = now.addingTimeInterval(10)
            }
        }

        var watts: Double { amps * 230 * Double(phases) }
    }

    @Test func aLittleSunIsUsedOnOnePhase() throws {
        var house = SunnyLab(at: start)
        try house.shine(2500, seconds: 400)
        #expect(house.phases == 1)
        #expect(house.amps == 10)
        #expect(house.watts <= 2500)
    }

    @Test func moreSunBringsThreePhasesBackAfterAWhile() throws {
        var house = SunnyLab(at: start)
        try house.shine(2500, seconds: 400)
        try house.shine(8000, seconds: 200)
        #expect(house.phases == 1 && house.amps == 16)
        try house.shine(8000, seconds: 900)
        #expect(house.phases == 3 && house.amps == 11)
    }

    @Test func theCarDrawsNothingWhileThePhasesChange() throws {
        var house = SunnyLab(at: start)
        try house.shine(8000, seconds: 400)
        #expect(house.phases == 3 && house.amps > 6)
        try house.shine(2500, seconds: 400)
        #expect(house.phases == 1 && house.switches.count == 1)
        #expect(house.ampsWhileSwitching == [0])
        #expect(house.amps > 0)
    }

    /// A sun that comes and goes around what three phases need is followed in steps of ten minutes at least.
    @Test func cloudsDoNotWearTheContactors() throws {
        var house = SunnyLab(at: start)
        for _ in 0..<30 {
            try house.shine(5000, seconds: 320)
            try house.shine(2500, seconds: 140)
        }
        #expect(house.switches.count >= 2)
        for (one, next) in zip(house.switches, house.switches.dropFirst()) {
            #expect(next.timeIntervalSince(one) >= 600)
        }
    }

    /// Just below and above the border nothing changes again and again.
    @Test func theBorderHasTwoSides() throws {
        var house = SunnyLab(at: start)
        try house.shine(2500, seconds: 400)
        for _ in 0..<20 {
            try house.shine(4150, seconds: 300)
            try house.shine(4000, seconds: 300)
        }
        #expect(house.phases == 1 && house.switches.count == 1)
    }

    @Test func withoutSunNothingIsSwitched() throws {
        var house = SunnyLab(at: start)
        try house.shine(500, seconds: 2000)
        #expect(house.switches.isEmpty && house.amps == 0)
    }

    @Test func aChargerThatCannotSwitchIsNotAsked() throws {
        var house = SunnyLab(at: start, phases: [3])
        try house.shine(2500, seconds: 2000)
        #expect(house.switches.isEmpty && house.amps == 0)
    }

    @Test func anotherModeUsesAllPhasesAgain() throws {
        var house = SunnyLab(at: start)
        try house.shine(2500, seconds: 400)
        #expect(house.phases == 1)
        house.control.use.mode = .now
        try house.shine(2500, seconds: 100)
        #expect(house.phases == 3 && house.amps == 16)
        #expect(house.ampsWhileSwitching.last == 0)
    }
}
