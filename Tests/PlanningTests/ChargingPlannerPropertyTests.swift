import Foundation
import Planning
import Testing

/// Compares plans with every combination of powers on instances small enough to try them all.
@Suite struct ChargingPlannerPropertyTests {
    @Test("cheapest of all combinations", arguments: 0..<400)
    func isTheCheapestOfAllCombinations(seed: Int) throws {
        var dice = Dice(seed: seed)
        let charging = RandomTask.make(&dice)
        let plan = try ChargingPlanner.plan(charging)
        let best = Combinations(charging).best()
        #expect(abs(plan.unmetEnergyKWh - best.unmet) < 2e-4, "\(charging)")
        #expect(abs(plan.cost - best.cost) < 2e-5, "\(charging) \(plan)")
        #expect(plan.bound <= plan.cost + 1e-9)
        Combinations(charging).expectAllowed(plan)
    }

    @Test("a longer horizon, a later deadline or more power never costs more", arguments: 0..<60)
    func moreFreedomNeverCostsMore(seed: Int) throws {
        var dice = Dice(seed: seed + 1000)
        var charging = RandomTask.make(&dice)
        charging.ranges = [PowerRange(0, 7)]
        charging.maxEnergyKWh = charging.minEnergyKWh
        for index in charging.slots.indices { charging.slots[index].maxPowerKW = nil }
        let narrow = try ChargingPlanner.plan(charging)
        charging.ranges = [PowerRange(0, 8)]
        let wide = try ChargingPlanner.plan(charging)
        #expect(wide.unmetEnergyKWh <= narrow.unmetEnergyKWh + 1e-9)
        if narrow.unmetEnergyKWh == 0 { #expect(wide.cost <= narrow.cost + 1e-6) }
    }
}

private enum RandomTask {
    static func make(_ dice: inout Dice) -> ChargingTask {
        let count = Int.random(in: 1...5, using: &dice)
        let choices: [[PowerRange]] =
            [
                [PowerRange(0, 11)], [PowerRange(4.14, 11.04)], [PowerRange(2.3, 2.3)],
                [PowerRange(1.38, 3.68), PowerRange(4.14, 11.04)], [PowerRange(0, 2), PowerRange(5, 5)],
                [PowerRange(3, 4)],
            ]
        let ranges = choices.randomElement(using: &dice) ?? []
        let lengths: [Double] = [900, 1800, 3600, 1234]
        let isMixed = Bool.random(using: &dice), hasSurplus = Bool.random(using: &dice)
        var at = evening
        let priced = (0..<count).map { _ in
            let length = isMixed ? lengths.randomElement(using: &dice) ?? 900 : 900
            defer { at += length }
            var slot = PricedSlot(
                start: at, end: at + length,
                importPriceMicro: PlanUnits.micro(Double(Int.random(in: -4...12, using: &dice)) / 20))
            if hasSurplus, Bool.random(using: &dice) {
                slot.surplusKW = Double(Int.random(in: 1...9, using: &dice)) * 0.75
                slot.surplusPriceMicro = PlanUnits.micro(Double(Int.random(in: -2...8, using: &dice)) / 20)
            }
            if Int.random(in: 0..<4, using: &dice) == 0 {
                slot.maxPowerKW = Double(Int.random(in: 0...9, using: &dice))
            }
            return slot
        }
        let top = ranges.last?.highKW ?? 0
        let reach = top * at.timeIntervalSince(evening) / 3600
        let need = (Double.random(in: 0...1.1, using: &dice) * reach * 100).rounded() / 100
        let most = Bool.random(using: &dice) ? need : need + (Double.random(in: 0...1, using: &dice) * 5).rounded()
        let efficiency: Double = [1, 0.9].randomElement(using: &dice) ?? 1
        return task(
            priced, need: need * efficiency, most: most * efficiency, ranges: ranges, efficiency: efficiency,
            tieBreak: Bool.random(using: &dice) ? .latest : .earliest)
    }
}

/// All powers at the ends of straight parts, and one slot anywhere on such a part: some best plan is among these,
/// since energy can be moved between two slots inside their parts until one of them reaches an end.
private struct Combinations {
    let charging: ChargingTask
    private let hours: [Double]
    private let parts: [[(low: Double, high: Double)]]

    init(_ charging: ChargingTask) {
        self.charging = charging
        hours = charging.slots.map { $0.end.timeIntervalSince($0.start) / 3600 }
        parts = charging.slots.map { slot in
            [(0, 0)]
                + charging.ranges.filter { $0.lowKW <= slot.maxPowerKW ?? 99 }.flatMap { range in
                    let high = min(range.highKW, slot.maxPowerKW ?? 99)
                    guard let kink = slot.surplusKW, range.lowKW < kink, kink < high else {
                        return [(range.lowKW, high)]
                    }
                    return [(range.lowKW, kink), (kink, high)]
                }
        }
    }

    func cost(_ slot: Int, _ power: Double) -> Double {
        let priced = charging.slots[slot]
        let surplus = min(power, max(0, priced.surplusKW ?? 0))
        return hours[slot]
            * (surplus * PlanUnits.price(priced.surplusPriceMicro)
                + (power - surplus) * PlanUnits.price(priced.importPriceMicro))
    }

    func best() -> (unmet: Double, cost: Double) {
        var found = (unmet: Double.infinity, cost: Double.infinity)
        var chosen = Array(repeating: 0.0, count: hours.count)
        for free in hours.indices { visit(0, free, &chosen, &found) }
        return found
    }

    private func visit(_ slot: Int, _ free: Int, _ chosen: inout [Double], _ found: inout (unmet: Double, cost: Double))
    {
        guard slot < hours.count else { return settle(free, &chosen, &found) }
        guard slot != free else { return visit(slot + 1, free, &chosen, &found) }
        for power in Set(parts[slot].flatMap { [$0.low, $0.high] }) {
            chosen[slot] = power
            visit(slot + 1, free, &chosen, &found)
        }
    }

    private func settle(_ free: Int, _ chosen: inout [Double], _ found: inout (unmet: Double, cost: Double)) {
        let others = hours.indices.filter { $0 != free }
        let energy = others.reduce(0) { $0 + chosen[$1] * hours[$1] },
            rest = others.reduce(0) { $0 + cost($1, chosen[$1]) }
        let least = charging.minEnergyKWh / charging.efficiency, most = charging.maxEnergyKWh / charging.efficiency
        for part in parts[free] {
            for power in [part.low, part.high, (least - energy) / hours[free], (most - energy) / hours[free]]
            where part.low - 1e-9 <= power && power <= part.high + 1e-9 {
                let total = energy + power * hours[free]
                guard total <= most + 1e-7 else { continue }
                let unmet = max(0, least - total) < 1e-6 ? 0 : (least - total) * charging.efficiency
                let price = rest + cost(free, power)
                if unmet < found.unmet - 1e-6 || unmet < found.unmet + 1e-6 && price < found.cost {
                    found = (unmet, price)
                }
            }
        }
    }

    func expectAllowed(_ plan: ChargingPlan) {
        var energy = 0.0
        for (index, slot) in charging.slots.enumerated() {
            let power = plan.powerKW(at: slot.start)
            energy += power * hours[index] * charging.efficiency
            #expect(parts[index].contains { $0.low - 1e-4 <= power && power <= $0.high + 1e-4 })
        }
        #expect(abs(energy - plan.energyKWh) < 1e-5)
        #expect(energy <= charging.maxEnergyKWh + 1e-5)
    }
}
