import EnergyKit
import Foundation
import HubKit
import Testing

@testable import Control

@Suite struct GoalTests {
    let now: Date
    let car = VehicleConfiguration(capacityWattHours: 50_000, efficiency: 0.9)

    init() throws { now = try utc("2026-11-30T18:00:00Z") }

    private func hours(_ count: Double) -> Date { now.addingTimeInterval(count * 3600) }

    /// Field case C-1: 59 % at the deadline, and the goal repeats.
    @Test func anOverrunGoesOnToTheGoalAndIsSaidOnce() throws {
        let lab = ChargerLab(vehicle: car, at: now)
        let prices = guidance(from: now, prices: [0.2, 0.2, 0.9, 0.9, 0.9])
        var control = ChargerControl(use: .percent(80, by: hours(2), repeats: true, setAt: now))
        var said: [String] = []
        for tick in 0..<30 {
            let then = hours(2).addingTimeInterval(Double(tick) * 10)
            let reading = charger(then, watts: 11_000, percent: 59 + Double(tick) / 10)
            #expect(try control.decide(lab.inputs(then, reading, guidance: prices)).amps == 16)
            if let text = control.announcement { said.append(text) }
        }
        #expect(said.count == 1)
        #expect(said.first?.contains("11.7 kWh") == true)
        #expect(control.use.charging?.readyBy == hours(2))
        let done = hours(3)
        #expect(try control.decide(lab.inputs(done, charger(done, percent: 80), guidance: prices)).amps == 0)
        #expect(control.announcement == "the goal is reached")
        _ = try control.decide(lab.inputs(done.addingTimeInterval(10), charger(done, percent: 80), guidance: prices))
        #expect(control.use.charging?.readyBy == hours(26))
        #expect(control.use.charging?.isLate == false)
    }

    @Test func aLateGoalThatRepeatsGoesToTheNextDayWhenTheCarLeaves() throws {
        let lab = ChargerLab(at: now)
        var control = ChargerControl(use: .goal(9000, by: hours(1), repeats: true, setAt: now))
        _ = try control.decide(lab.inputs(hours(2), charger(hours(2))))
        #expect(control.use.charging?.isLate == true)
        _ = try control.decide(lab.inputs(hours(3), charger(hours(3), plug: .unplugged)))
        #expect(control.use.charging?.readyBy == hours(25))
        #expect(control.use.charging?.isLate == false)
    }

    @Test func aLateGoalThatDoesNotRepeatEndsWhenTheCarLeaves() throws {
        let lab = ChargerLab(at: now)
        var control = ChargerControl(use: .goal(9000, by: hours(1), setAt: now))
        #expect(try control.decide(lab.inputs(hours(2), charger(hours(2)))).amps == 16)
        _ = try control.decide(lab.inputs(hours(3), charger(hours(3), plug: .unplugged)))
        #expect(control.use.charging == nil)
        #expect(control.announcement?.contains("left") == true)
    }

    @Test(arguments: [
        ("2026-03-28T06:00:00Z", "2026-03-29T05:00:00Z"),  // 07:00 in Berlin, across the day of 23 hours
        ("2026-10-24T05:00:00Z", "2026-10-25T06:00:00Z"),  // and across the day of 25
        ("2026-06-01T05:00:00Z", "2026-06-02T05:00:00Z"),
    ])
    func aRepeatingGoalKeepsItsTimeOnTheWallClock(first: String, next: String) throws {
        let goal = DeviceUse.StoredGoal(
            ChargingGoal(amount: .energy(wattHours: 1), readyBy: try utc(first), repeatsDaily: true, setAt: now))
        let moved = goal.nextDay(in: try .named("Europe/Berlin"), after: try utc(first), counter: 7)
        #expect(moved.readyBy == (try utc(next)))
        #expect(moved.baselineWattHours == 7)
    }

    @Test func aTimeThatADayDoesNotHaveMovesNoLaterDay() throws {
        let zone = try TimeZone.named("Europe/Berlin")
        // 02:30 does not exist on 29 March.
        var goal = DeviceUse.StoredGoal(
            ChargingGoal(
                amount: .energy(wattHours: 1), readyBy: try utc("2026-03-28T01:30:00Z"), repeatsDaily: true, setAt: now)
        )
        goal = goal.nextDay(in: zone, after: goal.readyBy, counter: nil)
        #expect(goal.readyBy == (try utc("2026-03-29T01:30:00Z")))
        goal = goal.nextDay(in: zone, after: goal.readyBy, counter: nil)
        #expect(goal.readyBy == (try utc("2026-03-30T00:30:00Z")))
    }

    @Test func aHubThatWasOffForWeeksFindsTheNextDay() throws {
        let first = try utc("2026-03-01T06:00:00Z")
        let goal = DeviceUse.StoredGoal(
            ChargingGoal(amount: .energy(wattHours: 1), readyBy: first, repeatsDaily: true, setAt: first))
        let moved = goal.nextDay(in: try .named("Europe/Berlin"), after: try utc("2026-11-10T12:00:00Z"), counter: nil)
        #expect(moved.readyBy == (try utc("2026-11-11T06:00:00Z")))
    }

    @Test func aGoalInPercentWithoutACapacitySaysWhatIsMissing() throws {
        let lab = ChargerLab(at: now)
        var control = ChargerControl(use: .percent(80, by: hours(5), setAt: now))
        let decision = try control.decide(lab.inputs(now, charger(now), guidance: guidance(from: now, prices: [0.1])))
        #expect(decision.amps == nil)
        #expect(decision.reason.contains("capacity_kwh"))
    }

    @Test func anUnknownCounterLeavesTheChargerAsItIs() throws {
        let lab = ChargerLab(at: now)
        var control = ChargerControl(use: .goal(5000, by: hours(5), setAt: now))
        let prices = guidance(from: now, prices: [0.1, 0.1, 0.1, 0.1, 0.1])
        #expect(try control.decide(lab.inputs(now, charger(now, counter: nil), guidance: prices)).amps == nil)
    }

    @Test func aCounterThatIsMissingForAMomentStopsNothing() throws {
        let lab = ChargerLab(at: now)
        var control = ChargerControl(use: .goal(12_000, by: hours(1.2), setAt: now))
        let prices = guidance(from: now, prices: [0.1, 0.1])
        let amps = try control.decide(lab.inputs(now, charger(now), guidance: prices)).amps
        let then = now.addingTimeInterval(10)
        let without = charger(then, watts: 11_040, counter: nil)
        #expect(try control.decide(lab.inputs(then, without, guidance: prices)).amps == amps)
    }

    @Test func energyCountsFromTheMomentTheGoalWasSet() throws {
        let lab = ChargerLab(at: now)
        var use = DeviceUse.goal(5000, by: hours(5), setAt: now)
        use.charging?.baselineWattHours = 100_000
        var control = ChargerControl(use: use)
        let prices = guidance(from: now, prices: [0.1, 0.1, 0.1, 0.1, 0.1])
        _ = try control.decide(lab.inputs(now, charger(now, counter: 103_000), guidance: prices))
        #expect(abs((control.plan?.energyWattHours ?? 0) - 2000) < 5)
        _ = try control.decide(lab.inputs(hours(1), charger(hours(1), counter: 105_000), guidance: prices))
        #expect(control.announcement == "the goal is reached")
    }

    /// Field case S-1, seen from a goal.
    @Test func aCounterThatReadsZeroForAWhileChangesNoPlan() throws {
        let lab = ChargerLab(at: now)
        var use = DeviceUse.goal(5000, by: hours(5), setAt: now)
        use.charging?.baselineWattHours = 13_420
        var control = ChargerControl(use: use)
        let prices = guidance(from: now, prices: [0.4, 0.4, 0.4, 0.1, 0.4])
        var plans: Set<Int> = []
        for (index, counter) in [13_420, 13_420, 0, 0, 0, 13_420.0].enumerated() {
            let then = now.addingTimeInterval(Double(index) * 10)
            #expect(try control.decide(lab.inputs(then, charger(then, counter: counter), guidance: prices)).amps == 0)
            plans.insert(Int(control.plan?.energyWattHours ?? -1))
        }
        #expect(plans == [5000])
        #expect(control.use.charging?.baselineWattHours == 13_420)
    }

    @Test func aCounterThatReadsZeroRightAfterARestartIsDoubted() throws {
        let lab = ChargerLab(at: now)
        var use = DeviceUse.goal(5000, by: hours(5), setAt: now)
        use.charging?.baselineWattHours = 13_420
        var control = ChargerControl(use: use)
        let prices = guidance(from: now, prices: [0.1, 0.1, 0.1, 0.1, 0.1])
        for seconds in [0.0, 10, 20] {
            let then = now.addingTimeInterval(seconds)
            #expect(try control.decide(lab.inputs(then, charger(then, counter: 0), guidance: prices)).amps == nil)
        }
        let then = now.addingTimeInterval(30)
        _ = try control.decide(lab.inputs(then, charger(then, counter: 15_420), guidance: prices))
        #expect(abs((control.plan?.energyWattHours ?? 0) - 3000) < 5)
    }

    /// Field cases S-1 and S-2 in one: the goal keeps what flowed before both.
    @Test(arguments: [0.0, 40, 2_000]) func aCounterThatBeganAnewBeforeARestartGoesOnAfterIt(atRestart: Double) throws {
        let lab = ChargerLab(at: now)
        var use = DeviceUse.goal(5000, by: hours(5), setAt: now)
        use.charging?.baselineWattHours = 13_420
        var control = ChargerControl(use: use)
        let prices = guidance(from: now, prices: [0.1, 0.1, 0.1, 0.1, 0.1])
        for (minute, counter) in [13_420.0, 13_520, 13_620, 10, 110, 210].enumerated() {
            let then = now.addingTimeInterval(Double(minute) * 60)
            _ = try control.decide(lab.inputs(then, charger(then, counter: counter), guidance: prices))
        }
        let kept = try JSONDecoder().decode(DeviceUse.self, from: JSONEncoder().encode(control.use))
        var second = ChargerControl(use: kept)
        let then = now.addingTimeInterval(1_800)
        _ = try second.decide(lab.inputs(then, charger(then, counter: 210 + atRestart), guidance: prices))
        #expect(abs((second.plan?.energyWattHours ?? 0) - (4600 - atRestart)) < 5)
    }

    @Test func aChargerReplacedWhileTheHubWasOffIsCountedAnew() throws {
        let lab = ChargerLab(at: now)
        var use = DeviceUse.goal(5000, by: hours(5), setAt: now)
        use.charging?.baselineWattHours = 13_420
        var control = ChargerControl(use: use)
        let prices = guidance(from: now, prices: [0.1, 0.1, 0.1, 0.1, 0.1])
        for seconds in stride(from: 0.0, through: 130, by: 10) {
            let then = now.addingTimeInterval(seconds)
            _ = try control.decide(lab.inputs(then, charger(then, counter: 2), guidance: prices))
        }
        #expect(control.use.charging?.baselineWattHours == 2)
        #expect(abs((control.plan?.energyWattHours ?? 0) - 5000) < 5)
    }

    @Test func withNothingKnownOfTheBatteryTheNeedStillFalls() throws {
        let lab = ChargerLab(vehicle: car, at: now)
        var control = ChargerControl(use: .percent(90, by: hours(5), setAt: now))
        let prices = guidance(from: now, prices: [0.1, 0.1, 0.1, 0.1, 0.1])
        _ = try control.decide(lab.inputs(now, charger(now, counter: 0), guidance: prices))
        #expect(abs((control.plan?.energyWattHours ?? 0) - 50_000) < 5)
        let then = hours(3)
        _ = try control.decide(lab.inputs(then, charger(then, counter: 40_000), guidance: prices))
        #expect(abs((control.plan?.energyWattHours ?? 0) - 10_000) < 5)
    }

    @Test(arguments: [(nil, 60.0, 60.0), (40.0, nil, 40.0), (nil, nil, 0.0)])
    func theChargeIsMeasuredOrAssumed(assumed: Double?, measured: Double?, expected: Double) {
        var car = car
        car.assumedStateOfCharge = assumed
        var use = DeviceUse()
        use.pluggedAtWattHours = 500
        let reading = charger(now, percent: measured)
        #expect(StateOfCharge.percent(reading, use: use, counted: 500, vehicle: car) == expected)
        #expect(StateOfCharge.percent(reading, use: DeviceUse(), counted: nil, vehicle: car) == measured)
    }

    @Test func whatReachesTheBatteryIsLessThanTheMeterCounts() {
        var use = DeviceUse()
        use.pluggedAtWattHours = 1000
        let percent = StateOfCharge.percent(charger(now), use: use, counted: 11_000, vehicle: car)
        #expect(percent == 18)
    }

    @Test func aGoalInPercentOnceReachedIsNotTakenUpAgainForALittle() throws {
        let lab = ChargerLab(vehicle: car, at: now)
        let prices = guidance(from: now, prices: [0.1, 0.1, 0.1, 0.1, 0.1])
        var control = ChargerControl(use: .percent(80, by: hours(4), setAt: now))
        _ = try control.decide(lab.inputs(now, charger(now, percent: 80), guidance: prices))
        #expect(control.announcement != nil)
        for percent in [79.0, 80, 78.5, 79] {
            #expect(
                try control.decide(lab.inputs(hours(1), charger(hours(1), percent: percent), guidance: prices)).amps
                    == 0)
            #expect(control.announcement == nil)
        }
        // After the deadline it is done, and not late.
        _ = try control.decide(lab.inputs(hours(4.5), charger(hours(4.5), percent: 70), guidance: prices))
        #expect(control.use.charging?.isLate == false)
    }

    @Test func anotherCarIsCountedFromItsOwnPlugIn() throws {
        let lab = ChargerLab(vehicle: car, at: now)
        var control = ChargerControl(use: .percent(80, by: hours(9), setAt: now))
        let prices = guidance(from: now, prices: [Double?](repeating: 0.2, count: 9))
        _ = try control.decide(lab.inputs(now, charger(now, counter: 1000), guidance: prices))
        #expect(control.use.pluggedAtWattHours == 1000)
        _ = try control.decide(
            lab.inputs(hours(1), charger(hours(1), plug: .unplugged, counter: 9000), guidance: prices))
        #expect(control.use.pluggedAtWattHours == nil)
        _ = try control.decide(lab.inputs(hours(2), charger(hours(2), counter: 9000), guidance: prices))
        #expect(control.use.pluggedAtWattHours == 9000)
    }

    @Test func howADeviceIsUsedSurvivesBeingWritten() throws {
        var use = DeviceUse.goal(12_345.678, by: hours(3), repeats: true, setAt: now)
        use.charging?.baselineWattHours = 0.1 + 0.2
        use.charging?.minimumAmps = 8
        use.comfort = ComfortGoal(setpointCelsius: 20.5, comfortBandKelvin: 1)
        use.pluggedAtWattHours = 7
        use.reductions = [DateInterval(start: now, duration: 60.5)]
        use.reducedSince = hours(0.123)
        let read = try JSONDecoder().decode(DeviceUse.self, from: JSONEncoder().encode(use))
        #expect(read == use)
    }

    @Test func whatAnOlderHubWroteIsRead() throws {
        let old = """
            {"mode":"guided","charging":{"energyWattHours":5,"readyBy":1,"repeatsDaily":false,"setAt":0,"isReached":true,
            "isLate":false}}
            """
        let use = try JSONDecoder().decode(DeviceUse.self, from: Data(old.utf8))
        #expect(use.mode == .guided)
        #expect(use.charging?.isReached == true)
        #expect(use.charging?.baselineWattHours == nil)
    }
}
