/// The cheapest starts of a programme that runs once without a break.
///
/// The cost is piecewise linear in the start, so a best start lies where an edge of a phase meets an edge of a slot, or
/// at an end of what is allowed.
struct ApplianceRun {
    let problem: PlanningProblem
    let appliance: PlanningProblem.Appliance

    /// The best starts among those places, earliest first, and their cost in currency.
    /// - Throws: `PlanningError.infeasible` where the programme fits nowhere.
    func solve() throws(PlanningError) -> (starts: [Int], cost: Double) {
        let from = max(appliance.earliestStart, problem.slots.first?.start ?? .max)
        let to = min(appliance.latestEnd, problem.slots.last?.end ?? .min) - appliance.totalSeconds
        guard from <= to else {
            throw .infeasible(reasons: [
                "the programme of \(appliance.totalSeconds / 60) minutes does not fit between "
                    + "\(UTCText.text(appliance.earliestStart)) and \(UTCText.text(appliance.latestEnd)) "
                    + "within the slots with a price"
            ])
        }
        var best: (starts: [Int], cost: Int128) = ([], .max)
        for start in candidates(from, to) {
            let cost = cost(start)
            if cost < best.cost { best = ([start], cost) } else if cost == best.cost { best.starts.append(start) }
        }
        // Milliwatts times seconds times micro-units: 3.6e9 of them are a kilowatt-hour.
        return (best.starts, Double(best.cost) / 3.6e9 / PlanUnits.microPerUnit)
    }

    private func candidates(_ from: Int, _ to: Int) -> [Int] {
        var offsets = [0]
        for phase in appliance.phases { offsets.append((offsets.last ?? 0) + phase.seconds) }
        let edges = problem.slots.map(\.start) + [problem.slots.last?.end ?? from]
        var starts: Set<Int> = [from, to]
        for edge in edges {
            for offset in offsets where from <= edge - offset && edge - offset <= to { starts.insert(edge - offset) }
        }
        return starts.sorted()
    }

    private func cost(_ start: Int) -> Int128 {
        var cost: Int128 = 0
        var at = start
        var index = problem.slots.firstIndex { $0.end > start } ?? problem.slots.endIndex
        for phase in appliance.phases {
            let end = at + phase.seconds
            let milliwatts = Int128((phase.powerKW * 1e6).rounded())
            while at < end, index < problem.slots.count {
                let slot = problem.slots[index]
                let until = min(end, slot.end)
                cost += Int128(until - at) * milliwatts * Int128(PlanUnits.micro(problem.price(of: slot)))
                at = until
                if at == slot.end { index += 1 }
            }
        }
        return cost
    }
}
