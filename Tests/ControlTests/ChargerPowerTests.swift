import Foundation
import HubKit
import Planning
import Testing

@testable import Control

@Suite struct ChargerPowerTests {
    let now = Date(timeIntervalSince1970: 1_796_000_400)

    private func power(
        _ reading: DeviceReading? = nil, fuse: GridConnection? = nil,
        range: CurrentRange = CurrentRange(maximumAmps: 16),
        observed: Double? = nil
    ) throws -> ChargerPower {
        let lab = ChargerLab(fuse: fuse, range: range, at: now)
        return ChargerPower(try lab.inputs(now, reading), observedMaximum: observed)
    }

    @Test(arguments: [
        (0.0, 6.0), (3000, 6), (4140, 6), (4141, 7), (4830, 7), (5000, 8), (11_000, 16), (11_040, 16), (20_000, 16),
    ])
    func aPowerBecomesTheNextCurrentAbove(watts: Double, amps: Double) throws {
        #expect(try power().amps(atLeast: watts) == amps)
    }

    @Test func fineStepsAreUsed() throws {
        let fine = try power(range: CurrentRange(maximumAmps: 16, stepAmps: 0.1))
        #expect(abs(fine.amps(atLeast: 690 * 7.24) - 7.3) < 1e-9)
    }

    @Test func theFuseLimitsWhatIsOffered() throws {
        let small = try power(fuse: GridConnection(phases: 3, amps: 10))
        #expect(small.range.maximumAmps == 10)
        #expect(small.maximumWatts == 6900)
    }

    @Test(arguments: [(nil, 3), (0.0, 3), (1, 1), (3, 3), (7, 3), (1e30, 3)])
    func onlyAPhaseCountThatCanBeIsTaken(count: Double?, phases: Int) throws {
        var reading = charger(now)
        reading[.phaseCount] = count
        #expect(try power(reading).phases == phases)
    }

    @Test func aHomeWithOnePhaseChargesOnOne() throws {
        let one = try power(fuse: GridConnection(phases: 1, amps: 32))
        #expect(one.phases == 1)
        #expect(one.maximumWatts == 3680)
    }

    @Test func aCarOnOnePhaseIsOnOrOff() throws {
        let single = try power(observed: 3500)
        #expect(single.minimumWatts == 3500)
        #expect(single.amps(atLeast: 3500) == 16)
    }

    // MARK: - Powers that can be set

    private func planned(_ spans: [(Double, Double, Double)]) -> [PlannedInterval] {
        spans.map { start, end, kilowatts in
            PlannedInterval(
                start: now.addingTimeInterval(start), end: now.addingTimeInterval(end), powerKW: kilowatts)
        }
    }

    private func energy(_ intervals: [PlannedInterval]) -> Double {
        intervals.reduce(0) { $0 + $1.powerKW * $1.end.timeIntervalSince($1.start) / 3600 }
    }

    @Test(arguments: [0.1, 1, 4.0, 4.14, 4.2, 5.03, 7.777, 10.9, 11.04])
    func theEnergyStaysTheSame(kilowatts: Double) throws {
        let power = try power()
        let before = planned([(0, 900, 11.04), (900, 1800, kilowatts), (1800, 2700, 11.04)])
        let after = power.settable(before)
        #expect(abs(energy(after) - energy(before)) < 0.004)
        for interval in after {
            let amps = interval.powerKW * 1000 / 690
            #expect(abs(amps - amps.rounded()) < 1e-6 && (6...16).contains(amps.rounded()))
            #expect(interval.start >= now && interval.end <= now.addingTimeInterval(2700))
        }
    }

    @Test func aMeanPowerBetweenTwoBlocksMakesNoPause() throws {
        let after = try power().settable(planned([(0, 900, 11.04), (900, 1800, 7.1), (1800, 2700, 11.04)]))
        #expect(zip(after, after.dropFirst()).allSatisfy { $0.end == $1.start })
    }

    @Test func aShortRestJoinsTheBlockThatFollows() throws {
        let after = try power().settable(planned([(0, 900, 1.0), (900, 1800, 11.04)]))
        #expect(after == planned([(818, 1800, 11.04)]))
    }

    @Test func aShortRestAfterABlockFollowsItAtOnce() throws {
        let after = try power().settable(planned([(0, 900, 11.04), (900, 1800, 1.0)]))
        #expect(after == planned([(0, 982, 11.04)]))
    }

    @Test func whatRunsDoesNotPauseForAPlanThatIsALittleTooLong() throws {
        let after = try power().settable(planned([(0, 900, 10.9), (900, 1800, 11.04)]), isRunning: true)
        #expect(after.first?.start == now)
        #expect(zip(after, after.dropFirst()).allSatisfy { $0.end == $1.start })
    }

    @Test func aRestByItselfIsShortAndFull() throws {
        #expect(try power().settable(planned([(0, 900, 5.52)])) == planned([(0, 450, 11.04)]))
    }
}

@Suite struct ObservedPowerTests {
    let now = Date(timeIntervalSince1970: 1_796_000_400)

    /// The maximum after some minutes of readings each 10 s.
    private func observe(_ watts: [Double], offered: Double = 16, into start: ObservedPower = ObservedPower()) throws
        -> ObservedPower
    {
        var observed = start
        let lab = ChargerLab(at: now)
        let power = ChargerPower(try lab.inputs(now, nil), observedMaximum: nil)
        for (index, watts) in watts.enumerated() {
            let then = now.addingTimeInterval(Double(index) * 10)
            observed.note(charger(then, watts: watts), offeredAmps: offered, power, at: then)
        }
        return observed
    }

    @Test func aCarThatTakesLessIsNoticedAfterTwoMinutes() throws {
        #expect(try observe([Double](repeating: 7400, count: 12)).maximumWatts == nil)
        let seen = try #require(try observe([Double](repeating: 7400, count: 14)).maximumWatts)
        #expect(seen <= 7400 && seen > 7100)
    }

    @Test func aReducedOfferSaysNothingOfTheCar() throws {
        #expect(try observe([Double](repeating: 5500, count: 60), offered: 8).maximumWatts == nil)
    }

    @Test func noiseAroundTheBorderDoesNotFlicker() throws {
        var noise = Noise(5)
        var observed = ObservedPower()
        var values: Set<Double?> = []
        for _ in 0..<50 {
            let watts = (0..<40).map { _ in 11_040 * Double.random(in: 0.925...0.955, using: &noise) }
            observed = try observe(watts, into: observed)
            values.insert(observed.maximumWatts)
        }
        #expect(values.count <= 2)
    }

    @Test func aCarThatTakesAllAgainIsNoticedToo() throws {
        let low = try observe([Double](repeating: 7400, count: 20))
        #expect(try observe([11_000], into: low).maximumWatts != nil)
        #expect(try observe([Double](repeating: 11_000, count: 20), into: low).maximumWatts == nil)
    }
}

@Suite struct EnergyNeedTests {
    let now = Date(timeIntervalSince1970: 1_796_000_400)

    @Test(arguments: [
        (10_000.0, 1000.0, EnergyNeed.wattHours(10_000)), (10_000, 4000, .wattHours(7000)), (10_000, 11_000, .reached),
        (10_000, 10_999.5, .reached), (0, 1000, .reached),
    ])
    func energyIsWhatTheCounterLacks(goal: Double, counted: Double, need: EnergyNeed) {
        var use = DeviceUse.goal(goal, by: now, setAt: now)
        use.charging?.baselineWattHours = 1000
        #expect(use.charging.map { EnergyNeed.of($0, counted: counted, stateOfCharge: nil, vehicle: nil) } == need)
    }

    @Test func percentIsEnergyAtTheMeter() {
        let use = DeviceUse.percent(80, by: now, setAt: now)
        let car = VehicleConfiguration(capacityWattHours: 45_000, efficiency: 0.9)
        #expect(
            use.charging.map { EnergyNeed.of($0, counted: nil, stateOfCharge: 60, vehicle: car) } == .wattHours(10_000))
        #expect(use.charging.map { EnergyNeed.of($0, counted: nil, stateOfCharge: 80, vehicle: car) } == .reached)
    }
}
