import Foundation
import Planning

/// A small repeatable source of chance.
struct Dice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: Int) { state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

/// 2026-01-31T18:00:00Z.
let evening = Date(timeIntervalSince1970: 1_769_882_400)

/// Contiguous slots from an instant.
func slots(
    _ prices: [Double], minutes: Double = 60, from start: Date = evening,
    change: (Int, inout PricedSlot) -> Void = { _, _ in }
) -> [PricedSlot] {
    prices.enumerated().map { index, price in
        var slot = PricedSlot(
            start: start + Double(index) * minutes * 60, end: start + Double(index + 1) * minutes * 60,
            importPriceMicro: PlanUnits.micro(price))
        change(index, &slot)
        return slot
    }
}

/// A task over all of its slots, from the first on.
func task(
    _ slots: [PricedSlot], need: Double, most: Double? = nil, ranges: [PowerRange] = [PowerRange(0, 11)],
    efficiency: Double = 1, tieBreak: ChargingTask.TieBreak = .latest, running: [PlannedInterval] = [],
    threshold: Double = 0
) -> ChargingTask {
    ChargingTask(
        slots: slots, now: slots.first?.start ?? evening, deadline: slots.last?.end ?? evening, minEnergyKWh: need,
        maxEnergyKWh: most ?? need, ranges: ranges, efficiency: efficiency, tieBreak: tieBreak, runningPlan: running,
        switchingThreshold: threshold)
}

/// The planned power in each of a task's slots.
func powers(_ plan: ChargingPlan, _ slots: [PricedSlot]) -> [Double] {
    slots.map { plan.powerKW(at: $0.start + $0.end.timeIntervalSince($0.start) / 2) }
}
