import Foundation
import HubKit
import Testing

@testable import YearSimulation

/// A few days of the simulated homes; `scripts/simulate` runs a whole year of them.
@Suite struct YearSimulationTests {
    /// Enough for a search on a machine with much else to do, whose clock would decide the outcome.
    private static let planningSeconds = 2.0

    /// Six days of made-up hours: cheap and clean at night and at noon.
    private func year(days: Int = 6) throws -> Year {
        let start = Date(timeIntervalSince1970: 1_712_181_600)
        let lines = (0..<24 * days).map { index -> String in
            let hour = Double(index % 24)
            let price = 80 + 60 * sin(hour / 24 * 4 * .pi) + Double(index % 7)
            let grams = 350 + 150 * sin(hour / 24 * 4 * .pi + 0.3)
            return "\(start.addingTimeInterval(Double(index) * 3600).formatted(.iso8601)),\(price),\(grams)"
        }
        return try Year(csv: (["start_utc,price,grams"] + lines).joined(separator: "\n"))
    }

    @Test(arguments: 0..<6) func noDeadlineIsMissedAndNoLimitExceededLongerThanATick(index: Int) throws {
        let home = Home.all(seed: 3)[index]
        let year = try year()
        let stays = home.stays(in: year)
        #expect(!stays.isEmpty)
        var run = HubRun(home, year, planningSeconds: Self.planningSeconds)
        run.run(stays)
        #expect(run.totals.missed == 0, "\(run.totals)")
        #expect(run.totals.overloadSeconds <= 60)
        let others = OtherWays(home: home, year: year)
        let atOnce = others.atOnce(stays), best = others.perfectForesight(stays)
        // What tomorrow costs is not known before noon, so a single stay may cost a little more than at once.
        #expect(run.totals.cost < atOnce.cost * 1.02)
        #expect(best.cost <= run.totals.cost + 0.02)
        #expect(abs(run.totals.kilowattHours - atOnce.kilowattHours) < 0.02 * atOnce.kilowattHours)
    }

    /// The cheapest hours lie just before the cars leave: every plan ends as late as it dares, while kettles take from it.
    @Test(arguments: [0, 2, 3, 5], [1, 2, 3] as [UInt64])
    func noDeadlineIsMissedWhereTheLastHoursAreTheCheapest(index: Int, seed: UInt64) throws {
        let start = Date(timeIntervalSince1970: 1_705_878_000)
        let lines = (0..<24 * 12).map { index -> String in
            let hour = index % 24
            let price = hour >= 4 && hour < 8 ? 40 - 3 * hour : 150 + (index * 37) % 40
            return "\(start.addingTimeInterval(Double(index) * 3600).formatted(.iso8601)),\(price),400"
        }
        let year = try Year(csv: (["start_utc,price,grams"] + lines).joined(separator: "\n"))
        let home = Home.all(seed: seed)[index]
        var run = HubRun(home, year, planningSeconds: Self.planningSeconds)
        run.run(home.stays(in: year))
        #expect(run.totals.missed == 0, "\(run.totals)")
        #expect(run.totals.overloadSeconds <= 60)
    }

    /// A heat pump and a battery, by themselves and beside a car, against a load, a sun and a house that are not as expected.
    @Test(arguments: 6..<9) func heatPumpAndBatteryKeepTheirLimitsAndSave(index: Int) throws {
        let home = Home.all(seed: 3)[index]
        let year = try year(days: 7)
        let stays = home.stays(in: year)
        var run = HubRun(home, year, planningSeconds: Self.planningSeconds)
        run.run(stays)
        #expect(run.totals.missed == 0, "\(run.totals)")
        #expect(run.totals.overloadSeconds <= 60)
        let others = OtherWays(home: home, year: year)
        let atOnce = others.atOnce(stays), best = others.perfectForesight(stays)
        // A tenth of a kelvin-hour a day is the thermostat's own play at the end of its band.
        #expect(run.totals.degreeHours <= atOnce.degreeHours + 0.7, "\(run.totals.degreeHours)")
        #expect(run.totals.cost < atOnce.cost, "\(run.totals) \(atOnce)")
        #expect(best.cost < run.totals.cost, "\(best) \(run.totals)")
        #expect(best.missed == 0 && best.degreeHours < 0.7)
    }

    @Test func aBatteryOfTheSimulationGivesNoMoreThanItWasGiven() {
        var stored = StoredEnergy(
            BatteryConfiguration(capacityWattHours: 10_000, chargeWatts: 5000, dischargeWatts: 5000))
        var chance = Noise(7)
        var sum = 0.0
        let before = stored.heldWattHours
        for _ in 0..<5000 {
            let orders: [BatteryOrder] = [.automatic, .hold, .charge(watts: 2000)]
            let order = orders[Int.random(in: 0..<3, using: &chance)]
            let watts = stored.watts(order, besideWatts: Double.random(in: -6000...6000, using: &chance), seconds: 60)
            stored.flow(watts, seconds: 60)
            sum += watts / 60
            #expect((999.9...10_000.1).contains(stored.heldWattHours))
        }
        #expect(stored.heldWattHours - before < sum, "some is lost on the way")
    }

    @Test func allHomesTogetherPayLessThanAtOnce() throws {
        let year = try year()
        var cost = 0.0, atOnce = 0.0
        for home in Home.all(seed: 3) where !home.isAlwaysOn {
            let stays = home.stays(in: year)
            var run = HubRun(home, year, planningSeconds: Self.planningSeconds)
            run.run(stays)
            cost += run.totals.cost
            atOnce += OtherWays(home: home, year: year).atOnce(stays).cost
        }
        #expect(cost < 0.95 * atOnce)
    }

    @Test func theLocalHourIsTheCalendars() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = Home.zone
        for hour in 0..<24 * 366 {
            let now = Date(timeIntervalSince1970: 1_704_067_200 + Double(hour) * 3600 + 1800)
            #expect(Home.localHour(now) == Double(calendar.component(.hour, from: now)) + 0.5)
        }
    }

    @Test func theSameSeedGivesTheSameYear() throws {
        let year = try year()
        let one = Home.all(seed: 5)[2].stays(in: year), other = Home.all(seed: 5)[2].stays(in: year)
        #expect(one.map(\.arrival) == other.map(\.arrival))
        #expect(one.map(\.wattHours) != Home.all(seed: 6)[2].stays(in: year).map(\.wattHours))
    }

    @Test(arguments: ["", "a,b,c\n1,2,3", "start_utc,p,g\n2024-01-01T00:00:00Z,x,1"])
    func aFileThatIsNoneIsRefused(text: String) {
        #expect(throws: Fault.self) { try Year(csv: text) }
    }
}

/// Small repeatable noise.
private struct Noise: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
