import Foundation

extension ChargingHorizon {
    /// The plan that takes these energies.
    func plan(_ answer: MeritAnswer, keepsRunningPlan: Bool) -> ChargingPlan {
        let book = book(preferring: nil, discount: 0)
        let energyKWh = Double(answer.energy) / PlanUnits.joulesPerKWh * task.efficiency
        let missing = task.minEnergyKWh - energyKWh
        return ChargingPlan(
            intervals: intervals(answer, book), energyKWh: energyKWh, cost: PlanUnits.currency(answer.cost),
            bound: PlanUnits.currency(answer.bound),
            unmetEnergyKWh: missing > Evaluation.tolerance ? missing : 0, keepsRunningPlan: keepsRunningPlan,
            facts: facts(answer, book))
    }

    private func intervals(_ answer: MeritAnswer, _ book: LoadBook) -> [PlannedInterval] {
        var intervals: [PlannedInterval] = []
        for (index, span) in spans.enumerated() where answer.energies[index] > 0 {
            let power = book.powerKW(index, energy: answer.energies[index])
            let start = Date(timeIntervalSince1970: Double(span.start))
            let end = Date(timeIntervalSince1970: Double(span.end))
            if let last = intervals.last, last.end == start, last.powerKW == power {
                intervals[intervals.count - 1].end = end
            } else {
                intervals.append(PlannedInterval(start: start, end: end, powerKW: power))
            }
        }
        return intervals
    }

    private func facts(_ answer: MeritAnswer, _ book: LoadBook) -> ChargingFacts {
        var paid: Int64?
        var lowestAvoided: Int64?
        var highestAvoided: Int64?
        var surplusJoules: Int64 = 0
        for (index, span) in spans.enumerated() {
            let slot = task.slots[span.slot]
            let energy = answer.energies[index]
            guard energy > 0 else {
                lowestAvoided = min(lowestAvoided ?? .max, slot.importPriceMicro)
                highestAvoided = max(highestAvoided ?? .min, slot.importPriceMicro)
                continue
            }
            let surplus = PlanUnits.joules(kilowatts: max(0, slot.surplusKW ?? 0), seconds: span.seconds, .down)
            surplusJoules += min(energy, surplus)
            paid = max(paid ?? .min, energy > surplus ? slot.importPriceMicro : slot.surplusPriceMicro)
        }
        let first = spans.first.map { task.slots[$0.slot] }
        return ChargingFacts(
            deadline: task.deadline, costIfStartedNow: costIfStartedNow(book, answer.energy),
            highestPricePaid: paid.map(PlanUnits.price), lowestPriceAvoided: lowestAvoided.map(PlanUnits.price),
            highestPriceAvoided: highestAvoided.map(PlanUnits.price),
            surplusEnergyKWh: Double(surplusJoules) / PlanUnits.joulesPerKWh,
            isFlat: spans.allSatisfy { span in
                let slot = task.slots[span.slot]
                return slot.importPriceMicro == first?.importPriceMicro && (slot.surplusKW ?? 0) <= 0
            },
            tieBreak: task.tieBreak, usesEverySlot: !spans.isEmpty && answer.energies.allSatisfy { $0 > 0 })
    }

    /// Full power from the window's start until the energy is reached; the last slot may fall below the least power.
    private func costIfStartedNow(_ book: LoadBook, _ energy: Int64) -> Double? {
        var missing = energy
        var cost = 0.0
        for index in spans.indices where missing > 0 {
            let pieces = book.pieces[book.first[index]..<book.first[index + 1]]
            guard let most = pieces.last, most.high > 0 else { continue }
            let taken = min(missing, most.high)
            // Part of a slot at full power costs that part of the slot's cost.
            cost += Double(most.cost(at: most.high)) * Double(taken) / Double(most.high)
            missing -= taken
        }
        return missing > 0 ? nil : cost / PlanUnits.microPerUnit / PlanUnits.joulesPerKWh
    }
}
