/// A schedule at once, for when a general solver has not enough time: one load after the other, each in the order of
/// price within what those before it leave; a battery only reaches what it must hold at the end.
///
/// ## Complexity
/// That of `MeritOrder` for each load, with few cases.
struct SequentialPlan {
    /// Cases of one load; the first of them are the best of the order of price.
    private static let caseLimit = 200

    private let problem: PlanningProblem
    /// The same with one slot for each interval, so that what a load draws can be added to the base load.
    private let base: PlanningProblem

    /// Prepares a plan for a checked problem with vehicles.
    init(_ problem: PlanningProblem) {
        self.problem = problem
        var base = problem
        base.slots = problem.grid().map { span in
            var slot = problem.slots[span.slot]
            slot.start = span.start
            slot.end = span.end
            return slot
        }
        for index in base.limits.indices {
            base.limits[index].limitKW = problem.grid().map { problem.limits[index].limitKW[$0.slot] }
        }
        base.vehicles = []
        base.battery = nil
        // Adding up leaves rounding errors at the limit; the evaluator judges the whole.
        base.toleratesOverload = true
        self.base = base
    }

    /// A schedule, perhaps not the cheapest, and a cost below which none is; `nil` where this way finds none.
    func solve() -> (schedule: Schedule, bound: Double?)? {
        var left = base
        var schedule = Schedule(
            intervals: base.slots.map { Schedule.Interval(start: $0.start, end: $0.end) })
        if let battery = problem.battery, battery.initialKWh < battery.finalKWh {
            guard let charging = powers(of: Self.load(charging: battery, over: base), in: left) else { return nil }
            for (index, power) in charging.enumerated() {
                schedule.intervals[index].batteryChargeKW = power
                left.slots[index].baseLoadKW += power
            }
        }
        for vehicle in problem.vehicles.sorted(by: { slackHours($0) < slackHours($1) }) {
            guard let drawn = powers(of: vehicle, in: left) else { return nil }
            for (index, power) in drawn.enumerated() where power > 0 {
                schedule.intervals[index].vehiclesKW[vehicle.id] = power
                left.slots[index].baseLoadKW += power
                for place in left.limits.indices {
                    left.limits[place].limitKW[index] -= power * (left.limits[place].shares[vehicle.id] ?? 0)
                }
            }
        }
        for (index, slot) in left.slots.enumerated() {
            schedule.intervals[index].curtailKW = problem.curtailment(slot, netKW: slot.baseLoadKW - slot.pvKW)
        }
        return (schedule, bound())
    }

    /// Time to spare between arrival and departure.
    private func slackHours(_ vehicle: PlanningProblem.Vehicle) -> Double {
        let most = vehicle.efficiency * (vehicle.ranges.last?.highKW ?? 0)
        return Double(vehicle.departure - vehicle.arrival) / 3600 - vehicle.minEnergyKWh / most
    }

    /// The battery's charge as a load that has the whole horizon for it.
    private static func load(
        charging battery: PlanningProblem.Battery, over base: PlanningProblem
    ) -> PlanningProblem.Vehicle {
        PlanningProblem.Vehicle(
            id: "", arrival: base.slots.first?.start ?? 0, departure: base.slots.last?.end ?? 0,
            minEnergyKWh: battery.finalKWh - battery.initialKWh, maxEnergyKWh: battery.capacityKWh - battery.initialKWh,
            ranges: [PowerRange(0, battery.maxChargeKW)], efficiency: battery.chargeEfficiency)
    }

    private func powers(of vehicle: PlanningProblem.Vehicle, in left: PlanningProblem) -> [Double]? {
        single(vehicle, in: left)?.schedule.intervals.map { $0.vehiclesKW[vehicle.id] ?? 0 }
    }

    /// The plan of one load as if a start cost nothing.
    private func single(
        _ vehicle: PlanningProblem.Vehicle, in left: PlanningProblem
    ) -> (schedule: Schedule, gap: Double?)? {
        var alone = left
        var vehicle = vehicle
        vehicle.startPenalty = 0
        alone.vehicles = [vehicle]
        return SingleVehiclePlan(alone)?.solve(caseLimit: Self.caseLimit)
    }

    /// What the loads cost at least: each by itself, with the whole connection for it.
    ///
    /// Where drawing never costs less than feeding in earns, an interval's cost is convex in its load, so that loads
    /// together cost no less than the sum of what each adds by itself. A battery makes loads cheaper; then nothing is
    /// known, nor where a load lacks energy.
    private func bound() -> Double? {
        guard problem.battery == nil, problem.slots.allSatisfy({ problem.feedPrice(of: $0) <= problem.price(of: $0) })
        else { return nil }
        let idle = base.evaluate(
            Schedule(
                intervals: base.slots.map { slot in
                    Schedule.Interval(
                        start: slot.start, end: slot.end,
                        curtailKW: base.curtailment(slot, netKW: slot.baseLoadKW - slot.pvKW))
                }))
        var bound = idle.cost
        for vehicle in problem.vehicles {
            guard let alone = single(vehicle, in: base), let gap = alone.gap else { return nil }
            var judged = base
            judged.vehicles = [vehicle]
            judged.vehicles[0].startPenalty = 0
            judged.limits = []
            let evaluation = judged.evaluate(alone.schedule)
            guard evaluation.unmetEnergyKWh.isEmpty else { return nil }
            bound += evaluation.cost - gap - idle.cost
        }
        return bound
    }
}
