import EnergyKit
import Foundation
import HubKit
import Testing

@testable import Control

/// A car on a charger that takes what it is offered, and a night's prices.
struct VirtualNight {
    struct Setup: Sendable, CustomTestStringConvertible {
        var name: String
        var prices: [Double]
        var slotSeconds: Double
        var needWattHours: Double
        /// What the car draws of what is planned for.
        var strength = 1.0
        var seed: UInt64

        var testDescription: String { name }
    }

    struct Outcome {
        var starts = 0
        var writes = 0
        var plannedBlocks = 0
        var cost = 0.0
        var energy = 0.0
        var reachedAt: Date?
    }

    let setup: Setup
    let start: Date
    let deadline: Date
    private var noise: Noise
    private var amps = 0.0
    private var counter = 50_000.0
    private var outcome = Outcome()

    init(_ setup: Setup, from start: Date, to deadline: Date) {
        self.setup = setup
        self.start = start
        self.deadline = deadline
        noise = Noise(setup.seed)
    }

    private var watts: Double { amps * 690 * setup.strength }

    private func price(at moment: Date) -> Double {
        setup.prices[min(setup.prices.count - 1, Int(moment.timeIntervalSince(start) / setup.slotSeconds))]
    }

    private func guidance(at now: Date, _ token: UUID) -> ElectricityGuidance {
        let first = Int(now.timeIntervalSince(start) / setup.slotSeconds)
        return ControlTests.guidance(
            from: start.addingTimeInterval(Double(first) * setup.slotSeconds), seconds: setup.slotSeconds,
            prices: setup.prices[first...].map { $0 }, token: token)
    }

    private mutating func flow(from: Date, to: Date) {
        // No slot ends within a step, since the steps are whole seconds long.
        let hours = to.timeIntervalSince(from) / 3600
        outcome.cost += price(at: from) * watts / 1000 * hours
        outcome.energy += watts * hours
        counter += watts * hours
    }

    /// Runs the night as the controller would: a tick each 10 s with some jitter, at the plan's edges, and when the
    /// goal is reached.
    mutating func run() throws -> Outcome {
        let lab = ChargerLab(at: start)
        var control = ChargerControl(use: .goal(setup.needWattHours, by: deadline, setAt: start))
        var now = start
        var reading = charger(now, counter: counter)
        var token = UUID()
        var hour = 0
        while now < deadline.addingTimeInterval(600) {
            if Int(now.timeIntervalSince(start) / 3600) != hour {
                hour = Int(now.timeIntervalSince(start) / 3600)
                token = UUID()
            }
            let decision = try control.decide(lab.inputs(now, reading, guidance: guidance(at: now, token)))
            if outcome.plannedBlocks == 0, let plan = control.plan { outcome.plannedBlocks = plan.blocks }
            note(decision.amps)
            if control.use.charging?.isReached == true, outcome.reachedAt == nil { outcome.reachedAt = now }
            let regular = now.addingTimeInterval(10 + Double(Int.random(in: 0...2, using: &noise)))
            let edges = [control.plan?.nextEdge(after: now), control.reachesGoalAt].compactMap { $0 }.filter {
                $0 > now
            }
            let next = min(regular, edges.min() ?? regular)
            while now < next {
                let step = min(next, now.addingTimeInterval(1))
                flow(from: now, to: step)
                now = step
                if Int(now.timeIntervalSince(start).rounded(.down)).isMultiple(of: 10) { reading = measured(now) }
            }
        }
        return outcome
    }

    private mutating func measured(_ now: Date) -> DeviceReading {
        let flicker = Double.random(in: 0.985...1.015, using: &noise)
        return charger(now, watts: watts * flicker, counter: counter.rounded(), limit: amps)
    }

    private mutating func note(_ wanted: Double?) {
        guard let wanted, wanted != amps else { return }
        outcome.writes += 1
        if amps == 0 { outcome.starts += 1 }
        amps = wanted
    }

    /// The cheapest any plan can be: the need filled into the cheapest hours at full power.
    var optimum: Double {
        var left = setup.needWattHours
        var cost = 0.0
        let slots = setup.prices.indices.map { index -> (price: Double, wattHours: Double) in
            let from = start.addingTimeInterval(Double(index) * setup.slotSeconds)
            let to = min(deadline, from.addingTimeInterval(setup.slotSeconds))
            return (setup.prices[index], max(0, to.timeIntervalSince(from)) / 3600 * 11_040)
        }
        for slot in slots.sorted(by: { $0.price < $1.price }) {
            let taken = min(left, slot.wattHours)
            cost += slot.price * taken / 1000
            left -= taken
        }
        return cost
    }
}

extension DevicePlan {
    /// Spans without a gap between them.
    var blocks: Int {
        intervals.indices.filter { $0 == 0 || intervals[$0 - 1].end != intervals[$0].start }.count
    }
}

@Suite struct VirtualDayTests {
    static let hourly = [
        0.34, 0.38, 0.41, 0.36, 0.31, 0.27, 0.2431, 0.2387, 0.2352, 0.2349, 0.2401, 0.2622, 0.3108, 0.35, 0.37, 0.33,
    ]
    static let nights: [VirtualNight.Setup] = [1.0, 2, 3].flatMap { (seed: Double) in
        [3000.0, 12_000, 23_000, 31_500, 61_000].map { need in
            VirtualNight.Setup(
                name: "hours, \(Int(need)) Wh, \(Int(seed))", prices: hourly, slotSeconds: 3600, needWattHours: need,
                seed: UInt64(seed))
        }
    }
    /// Two valleys, and quarter-hours that differ a little from each other.
    static let quarters: [VirtualNight.Setup] = [4, 5, 6].flatMap { (seed: UInt64) in
        [2500.0, 17_300, 40_000].map { need in
            var noise = Noise(seed)
            let prices = (0..<64).map { index in
                let valley = [24...32, 40...48].contains { $0.contains(index) } ? 0.19 : 0.33
                return valley + Double.random(in: 0...0.04, using: &noise)
            }
            return VirtualNight.Setup(
                name: "quarters, \(Int(need)) Wh, \(seed)", prices: prices, slotSeconds: 900, needWattHours: need,
                seed: seed)
        }
    }

    private func night(_ setup: VirtualNight.Setup) throws -> VirtualNight {
        let start = try utc("2026-11-30T18:00:00Z")
        return VirtualNight(setup, from: start, to: start.addingTimeInterval(13.5 * 3600))
    }

    @Test(arguments: nights + quarters) func theNightGoesByItsPlan(setup: VirtualNight.Setup) throws {
        var night = try night(setup)
        let outcome = try night.run()
        #expect(try #require(outcome.reachedAt) <= night.deadline)
        #expect(outcome.energy >= setup.needWattHours - 2)
        #expect(outcome.energy <= setup.needWattHours + 15)
        #expect(outcome.cost <= night.optimum * 1.001 + 0.015 * 0.35)
        #expect(outcome.cost >= night.optimum * 0.999)
        #expect(outcome.starts <= outcome.plannedBlocks)
        // A start and a stop for each block, and two lower currents and back where one slot is used in part.
        #expect(outcome.writes <= 2 * outcome.plannedBlocks + 3)
    }

    @Test(arguments: [0.975, 0.99, 1.0, 1.02])
    func aCarThatIsALittleWeakerThanPlannedIsReadyInTime(strength: Double) throws {
        var night = try night(
            VirtualNight.Setup(
                name: "flat", prices: [Double](repeating: 0.3, count: 16), slotSeconds: 3600, needWattHours: 20_000,
                strength: strength, seed: 9))
        let outcome = try night.run()
        #expect(outcome.starts == 1)
        let reached = try #require(outcome.reachedAt)
        #expect(reached <= night.deadline)
        // The tie-break is the latest time.
        #expect(reached > night.deadline.addingTimeInterval(-600))
    }

    @Test func aCarOnOnePhaseIsReadyInTimeOnceThatWasSeen() throws {
        var night = try night(
            VirtualNight.Setup(
                name: "one phase", prices: Self.hourly, slotSeconds: 3600, needWattHours: 15_000, strength: 0.333,
                seed: 11))
        let outcome = try night.run()
        #expect(try #require(outcome.reachedAt) <= night.deadline)
        #expect(outcome.starts <= 3)
    }
}
