import Foundation

/// Plans one load: exact, without a general solver, fast enough for every change of a price or a measurement.
package enum ChargingPlanner {
    /// The cheapest plan that meets the least energy by the deadline; where that cannot be, the least unmet energy
    /// first and then the cost.
    ///
    /// Within a slot the power is constant. Equal prices are decided by the slots' second criterion, then by the
    /// task's tie-break. The running plan's intervals are kept unless leaving them saves more than the threshold.
    /// - Throws: `PlanningError.invalid` with every fault of the task.
    package static func plan(_ task: ChargingTask) throws(PlanningError) -> ChargingPlan {
        let faults = task.check()
        guard faults.isEmpty else { throw .invalid(faults) }
        let horizon = ChargingHorizon(task)
        let fresh = horizon.solve(preferring: nil)
        guard let running = horizon.runningIntervals(), let kept = horizon.solveKeeping(running, fresh) else {
            return horizon.plan(fresh, keepsRunningPlan: false)
        }
        return horizon.plan(kept, keepsRunningPlan: kept.energies != fresh.energies)
    }

    /// The plan that draws given powers, with its cost and the facts of it; nothing is decided here.
    /// - Parameters:
    ///   - task: what the powers are for; its slots are those that the powers were found for.
    ///   - power: kilowatts in the slot, or part of one, that begins at a second since 1970.
    /// - Throws: `PlanningError.invalid` with every fault of the task.
    package static func plan(
        _ task: ChargingTask, drawing power: (Int) -> Double
    ) throws(PlanningError) -> ChargingPlan {
        let faults = task.check()
        guard faults.isEmpty else { throw .invalid(faults) }
        let horizon = ChargingHorizon(task)
        return horizon.plan(horizon.answer(drawing: power), keepsRunningPlan: false)
    }
}

/// The task's slots within its window, in whole seconds.
struct ChargingHorizon {
    let task: ChargingTask
    let spans: [Span]
    let least: Int64
    let most: Int64

    struct Span {
        var start: Int
        var end: Int
        var slot: Int
        var seconds: Int { end - start }
    }

    init(_ task: ChargingTask) {
        self.task = task
        // Inward rounding: nothing is planned before now or after the deadline.
        let from = Int(max(task.now, task.windowStart ?? task.now).timeIntervalSince1970.rounded(.up))
        let to = Int(task.deadline.timeIntervalSince1970.rounded(.down))
        spans = task.slots.enumerated().compactMap { index, slot in
            let start = max(from, Int(slot.start.timeIntervalSince1970.rounded(.up)))
            let end = min(to, Int(slot.end.timeIntervalSince1970.rounded(.down)))
            return end > start ? Span(start: start, end: end, slot: index) : nil
        }
        let joules = PlanUnits.joulesPerKWh / task.efficiency
        least = Int64((task.minEnergyKWh * joules).rounded(.up))
        most = max(least, Int64((task.maxEnergyKWh * joules).rounded(.down)))
    }

    /// The cheapest energies; the preferred spans are first among equals and cheaper by a discount.
    func solve(preferring preferred: [Bool]?, discount: Int64 = 0) -> MeritAnswer {
        MeritOrder.cheapest(book(preferring: preferred, discount: discount), least: least, most: most)
    }

    /// The cheapest energies that stay with the running plan; `nil` where leaving it saves more than the threshold.
    func solveKeeping(_ running: [Bool], _ fresh: MeritAnswer) -> MeritAnswer? {
        let kilowattHours = max(Double(fresh.energy) / PlanUnits.joulesPerKWh, 1e-3)
        let discount = min(max(task.switchingThreshold, 0) / kilowattHours, 1e3)
        var kept = solve(preferring: running, discount: PlanUnits.micro(discount))
        guard kept.energy >= min(fresh.energy, least) else { return nil }
        kept.cost = cost(of: kept.energies)
        kept.bound = fresh.bound
        let threshold = (max(task.switchingThreshold, 0) * PlanUnits.microPerUnit * PlanUnits.joulesPerKWh).rounded()
        guard Double(kept.cost) - Double(fresh.cost) <= threshold else { return nil }
        return kept
    }

    /// Which spans the running plan uses for at least half their length; `nil` where it uses none.
    func runningIntervals() -> [Bool]? {
        guard !task.runningPlan.isEmpty else { return nil }
        let flags = spans.map { span in
            let used = task.runningPlan.reduce(0.0) { sum, interval in
                guard interval.powerKW > 0 else { return sum }
                let start = max(interval.start.timeIntervalSince1970, Double(span.start))
                return sum + max(0, min(interval.end.timeIntervalSince1970, Double(span.end)) - start)
            }
            return used * 2 >= Double(span.seconds)
        }
        return flags.contains(true) ? flags : nil
    }

    /// Given powers as an answer.
    func answer(drawing power: (Int) -> Double) -> MeritAnswer {
        let energies = spans.map { LoadBook.joules(power($0.start), $0.seconds, .down) }
        let cost = cost(of: energies)
        return MeritAnswer(energies: energies, cost: cost, bound: cost, isExact: false)
    }

    private func cost(of energies: [Int64]) -> Int64 {
        let book = book(preferring: nil, discount: 0)
        return energies.enumerated().reduce(0) { $0 + (book.cost($1.offset, energy: $1.element) ?? 0) }
    }

    func book(preferring preferred: [Bool]?, discount: Int64) -> LoadBook {
        var book = LoadBook()
        book.reserve(spans.count)
        for (index, span) in spans.enumerated() {
            let slot = task.slots[span.slot]
            let isPreferred = preferred?[index] ?? false
            let off = isPreferred ? discount : 0
            var prices: [PriceStep] = []
            if let surplus = slot.surplusKW, surplus > 0 {
                prices.append(PriceStep(upToKW: surplus, price: slot.surplusPriceMicro - off))
            }
            prices.append(PriceStep(upToKW: .infinity, price: slot.importPriceMicro - off))
            book.append(
                seconds: span.seconds, ranges: task.ranges, capKW: slot.maxPowerKW ?? .infinity, prices: prices,
                secondary: isPreferred ? Int64.min : slot.secondary,
                rank: task.tieBreak == .latest ? spans.count - index : index)
        }
        return book
    }
}
