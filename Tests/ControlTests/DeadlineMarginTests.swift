import EnergyKit
import Foundation
import HubKit
import Testing

@testable import Control

/// What a plan keeps in reserve so that a house that does not do what was expected breaks no promise.
@Suite struct DeadlineMarginTests {
    let start: Date

    init() throws { start = try utc("2026-11-30T18:00:00Z") }

    private func hours(_ count: Double) -> Date { start.addingTimeInterval(count * 3600) }

    private func request(
        _ wattHours: Double, by deadline: Date, prices: [Double?], fuse: Double = 20, house: HouseLoad = quiet(0),
        sun: [Double] = [], id: DeviceID = ChargerLab.id
    ) throws -> ChargingRequest {
        let lab = ChargerLab(fuse: GridConnection(phases: 3, amps: fuse), at: start)
        let power = ChargerPower(try lab.inputs(start, charger(start)), observedMaximum: nil)
        var request = ChargingRequest(
            guidance: guidance(from: start, prices: prices), venue: lab.venue, deviceID: id, now: start,
            readyBy: deadline, missingWattHours: wattHours, power: power, running: [], carbonPricePerKg: 0)
        request.house = house
        if !sun.isEmpty {
            let forecast = sun.enumerated().map {
                (start: hours(Double($0.offset)), end: hours(Double($0.offset) + 1), watts: $0.element)
            }
            request.surplus = ExpectedSurplus(forecast: forecast, baseLoadWatts: 0, feedInPerKWh: 0.05)
        }
        return request
    }

    private static func quiet(_ watts: Double) -> HouseLoad { HouseLoad(watts: watts, uneven: UnevenLoad()) }

    /// Kettles of 9 A on one phase, for a part of the time.
    private func kettles(_ share: Double) -> HouseLoad {
        var uneven = UnevenLoad()
        uneven.note(9, weight: share)
        return HouseLoad(watts: 700, uneven: uneven)
    }

    @Test func kettlesThatStandInTheWayMakeAPlanEndEarlier() throws {
        let prices: [Double?] = [0.4, 0.4, 0.1, 0.1]
        func end(_ house: HouseLoad, fuse: Double = 20) throws -> Date {
            let plan = try request(15_000, by: hours(4), prices: prices, fuse: fuse, house: house).plan()
            #expect(plan.unmetWattHours == 0)
            return try #require(plan.intervals.last?.end)
        }
        let quiet = try end(Self.quiet(700)), some = try end(kettles(0.05)), many = try end(kettles(0.15))
        #expect(quiet < hours(4))
        #expect(some < quiet)
        #expect(many < some)
        // A part of the time costs some minutes, not hours.
        #expect(many > hours(3.5))
        // Where the fuse bears both nothing is kept in reserve for it.
        #expect(try end(kettles(0.15), fuse: 35) == end(Self.quiet(700), fuse: 35))
    }

    /// A fuse that leaves one car alone less than its power counts before the first minute, not after an hour.
    @Test func aPlanOfOneCarCountsOnWhatTheHouseLeaves() throws {
        let house = Self.quiet(3000)
        let plan = try request(20_000, by: hours(4), prices: [0.4, 0.1, 0.1, 0.3], fuse: 16, house: house).plan()
        // 16 A less what the house draws, and of that nineteen twentieths.
        let most = (16 * 230 - 1250.0) * 3 * 0.95
        #expect(plan.intervals.allSatisfy { ($0.powerWatts ?? 0) <= most + 1 }, "\(plan.intervals)")
        #expect(plan.unmetWattHours == 0)
    }

    /// Where the time is enough only if nothing comes in between, nobody waits for a cheap hour.
    @Test(arguments: [10_900.0, 10_990])
    func littleTimeToSpareIsUsedAtOnce(wattHours: Double) throws {
        let plan = try request(wattHours, by: hours(1), prices: [0.4], fuse: 32).plan()
        #expect(plan.unmetWattHours == 0)
        #expect(plan.intervals.first?.start == start)
        #expect(plan.reason.contains("because all the time before"))
    }

    @Test func twoCarsWithLittleTimeToSpareAreNotPlannedLate() throws {
        // 16 A for both: 10.6 kWh in an hour with a margin, 11.04 kWh without.
        let prices: [Double?] = [0.4, 0.2, 0.1]
        let members = try (["a", "b"] as [DeviceID]).map {
            try request(16_000, by: hours(3), prices: prices, fuse: 16, house: Self.quiet(0), id: $0)
        }
        let joint = JointCharging(number: 1, members: members, keys: [:], limits: HomeLimits())
        let plans = try #require(joint.plans(deadlineSeconds: 20))
        #expect(plans.values.allSatisfy { $0.unmetWattHours < 1 }, "\(plans)")
        let first = plans.values.compactMap { $0.intervals.first?.start }.min()
        #expect(first == start)
        let inTheFirstHour = plans.values.reduce(0.0) { sum, plan in
            plan.intervals.reduce(sum) { sum, interval in
                let end = min(interval.end, hours(1))
                return sum + max(0, end.timeIntervalSince(interval.start)) / 3600 * (interval.powerWatts ?? 0)
            }
        }
        #expect(inTheFirstHour > 10_000)
    }

    /// What a car lacks at last is less than a quarter of an hour at its least power, and yet no reason to plan without a
    /// margin.
    @Test(arguments: [60.0, 190, 700])
    func aSmallRestIsPlannedWithItsMargin(rest: Double) throws {
        let members = [
            try request(rest, by: hours(2), prices: [0.4, 0.1], id: "a"),
            try request(9000, by: hours(2), prices: [0.4, 0.1], id: "b"),
        ]
        let joint = JointCharging(number: 1, members: members, keys: [:], limits: HomeLimits())
        let plans = try #require(joint.plans(deadlineSeconds: 20))
        for plan in plans.values {
            #expect(plan.unmetWattHours < 1)
            #expect(try #require(plan.intervals.last?.end) < hours(2).addingTimeInterval(-60), "\(plan)")
        }
    }

    /// The sun leaves 2 kW, less than a car on three phases charges with: a short time at full power would be bought.
    @Test func theSunIsNotCountedTwiceByAShortTimeAtFullPower() throws {
        let sunny = try request(
            4000, by: hours(4), prices: [0.3, 0.3, 0.3, 0.2], fuse: 32, sun: [2000, 2000, 2000, 0]
        ).plan()
        // At 0.20 all of it costs 0.80; at 4.14 kW in the sun less than half is the sun's.
        let cost = try #require(sunny.cost)
        #expect(cost < 0.801, "\(sunny)")
        for interval in sunny.intervals { #expect(try #require(interval.powerWatts) >= 4139) }
    }

    // MARK: - In the loop

    private func control(_ wattHours: Double, _ deadline: Date) -> ChargerControl {
        ChargerControl(use: .goal(wattHours, by: deadline, setAt: start))
    }

    /// A lack that could be made up later is let be; one that has no place before the deadline any more makes a new plan.
    @Test(arguments: [(4.0, false), (0.85, true)])
    func aSmallLackCountsWhereNoTimeIsLeft(hour: Double, isReplanned: Bool) throws {
        let lab = ChargerLab(at: start)
        let prices = guidance(from: start, prices: [0.2, 0.4, 0.4, 0.4, 0.4])
        let deadline = hours(hour)
        var control = control(9000, deadline)
        let first = try lab.inputs(start, charger(start, counter: 1000), guidance: prices)
        _ = control.decide(first)
        let plan = try #require(control.plan)
        let middle = try #require(plan.intervals.first).start.addingTimeInterval(1200)
        let planned = plan.intervals.reduce(0.0) { sum, interval in
            sum + max(0, min(interval.end, middle).timeIntervalSince(interval.start)) / 3600
                * (interval.powerWatts ?? 0)
        }
        let reading = charger(middle, watts: 11_040, counter: 1000 + planned - 220)
        _ = control.decide(try lab.inputs(middle, reading, guidance: prices))
        #expect((control.plan?.computedAt == middle) == isReplanned)
    }

    /// A plan of its own that came after a common one is not given up for that.
    @Test func anOldCommonPlanIsTakenUpOnce() throws {
        let lab = ChargerLab(fuse: GridConnection(phases: 3, amps: 16), at: start)
        let prices = guidance(from: start, prices: [0.4, 0.1, 0.4, 0.3])
        var control = control(8000, hours(4))
        var inputs = try lab.inputs(start, charger(start), guidance: prices)
        inputs.isPlannedInCommon = true
        _ = control.decide(inputs)
        let open = try #require(control.openPlan)
        let offer = SharedPlanning.Offer(number: 1, key: open.key, plan: open.request.plan(), missingWattHours: 8000)
        inputs.offer = offer
        _ = control.decide(inputs)
        #expect(control.jointNumber == 1)
        // The other car is done; this one has got much less than was planned.
        let later = hours(1.5)
        for second in 0..<4 {
            let now = later.addingTimeInterval(Double(second) * 10)
            var inputs = try lab.inputs(now, charger(now, counter: 1100), guidance: prices)
            inputs.offer = offer
            _ = control.decide(inputs)
            #expect(control.plan?.computedAt == later && control.jointNumber == nil)
        }
    }
}
