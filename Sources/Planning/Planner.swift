import MILP

/// Solves planning problems: the easy kinds exactly in the order of price, the others with a general solver.
///
/// Every answer is priced and checked by `PlanningProblem.evaluate(_:)` before it is given. What is not proven best
/// says so in its `bound`.
package enum Planner {
    /// Solves a problem.
    ///
    /// The calling thread may be busy for as long as the deadline; call it off the cooperative pool.
    /// - Parameters:
    ///   - problem: The problem; it is checked first.
    ///   - deadlineSeconds: Time in which an answer has to be there, perhaps not the best; `nil` is no limit.
    ///   - acceptableGap: A gap between cost and bound, in currency, that is not worth more search.
    /// - Returns: The answer without `seconds`, which the caller measures.
    /// - Throws: `PlanningError`; a need that cannot be met is no error but unmet energy.
    package static func solve(
        _ problem: PlanningProblem, deadlineSeconds: Double? = nil, acceptableGap: Double = 0
    ) throws(PlanningError) -> PlanAnswer {
        let faults = problem.check()
        guard faults.isEmpty else { throw .invalid(faults) }
        if let appliance = problem.appliance {
            let run = try ApplianceRun(problem: problem, appliance: appliance).solve()
            return PlanAnswer(
                schedule: Schedule(intervals: []), starts: run.starts, cost: run.cost, bound: run.cost,
                unmetEnergyKWh: [:], notes: [])
        }
        let time = SolvingTime(seconds: deadlineSeconds, enough: acceptableGap)
        guard problem.overloadsItself else { return stated(try solveChecked(problem, time), problem, time) }
        // The loads and the battery may cure the overload; only where they cannot is it put up with.
        do {
            return stated(try solveChecked(problem, time), problem, time)
        } catch .infeasible {
            var tolerant = problem
            tolerant.toleratesOverload = true
            return try solveChecked(tolerant, time)
        } catch .outOfTime {
            var tolerant = problem
            tolerant.toleratesOverload = true
            var answer = try solveChecked(tolerant, SolvingTime(seconds: 0, enough: acceptableGap))
            answer.isOverloadDoubtful = true
            answer.bound = nil
            return answer
        }
    }

    /// The answer with a better bound, where it is not proven best.
    private static func stated(_ answer: PlanAnswer, _ problem: PlanningProblem, _ time: SolvingTime) -> PlanAnswer {
        guard answer.unmetEnergyKWh.isEmpty, !answer.isProvenOptimal else { return answer }
        if let bound = answer.bound, answer.cost - bound <= time.enough { return answer }
        var answer = answer
        let found = QuickPlan(problem).bound(answer.schedule, cost: answer.cost, until: time.boundEnd)
        answer.bound = [answer.bound, found].compactMap(\.self).max().map { min($0, answer.cost) }
        return answer
    }

    private static func solveChecked(
        _ problem: PlanningProblem, _ time: SolvingTime
    ) throws(PlanningError) -> PlanAnswer {
        guard let single = SingleVehiclePlan(problem)?.solve() else { return try solveTogether(problem, time) }
        let ordered = try answer(problem, single.schedule) { cost in single.gap.map { cost - $0 } }
        if ordered.isProvenOptimal { return ordered }
        // The order of price met more cases than it may look at; the general solver may do better or prove it best.
        guard let found = try? MixedIntegerPlan(problem: problem, end: time.end).solve(),
            let general = try? answer(problem, found.schedule, bound: { _ in found.bound })
        else { return ordered }
        return isBetter(general, than: ordered) ? general : ordered
    }

    /// Vehicles under one limit by exchange among them; the general solver for the rest, and for what that leaves open.
    private static func solveTogether(
        _ problem: PlanningProblem, _ time: SolvingTime
    ) throws(PlanningError) -> PlanAnswer {
        let end = time.end, enough = time.enough
        // A battery alone has an exact course where costs are convex.
        if problem.vehicles.isEmpty, let alone = QuickPlan(problem).solve(),
            let course = try? answer(problem, alone.schedule, bound: { _ in alone.bound }), course.isProvenOptimal
        {
            return course
        }
        let share = end.map { ContinuousClock.now + ($0 - .now) * 0.5 }
        guard let found = SharedLimitPlan(problem)?.solve(until: share, limit: time.limit, enough: enough),
            let shared = try? answer(problem, found.schedule, bound: { cost in found.gap.map { cost - $0 } })
        else { return try solveGenerally(problem, time) }
        if shared.isProvenOptimal || found.gap.map({ $0 <= enough }) ?? false { return shared }
        // Proving the last ten-thousandth can take hours; nobody is helped by that.
        if let end, ContinuousClock.now >= end, found.gap != nil { return shared }
        let isClose = found.gap.map { $0 <= 1e-4 * shared.cost.magnitude } ?? false
        var patience = time
        patience.end = end ?? (ContinuousClock.now + .seconds(isClose ? 10 : 120))
        guard let general = try? solveGenerally(problem, patience) else { return shared }
        var better = isBetter(general, than: shared) ? general : shared
        if shared.unmetEnergyKWh.isEmpty, general.unmetEnergyKWh.isEmpty {
            better.bound = [shared.bound, general.bound].compactMap(\.self).max().map { min($0, better.cost) }
        }
        return better
    }

    /// The general solver's answer; with a deadline a plan that is made at once stands in where it is better, or the time
    /// is too short.
    private static func solveGenerally(
        _ problem: PlanningProblem, _ time: SolvingTime
    ) throws(PlanningError) -> PlanAnswer {
        let end = time.end
        let quick = end.map { QuickPlan(problem, end: ContinuousClock.now + ($0 - .now) * 0.2, limit: time.limit) }
        let simple = quick?.solve()
        let standIn = simple.flatMap { simple in try? answer(problem, simple.schedule) { _ in simple.bound } }
        let found: PlanAnswer
        do {
            let general = try MixedIntegerPlan(problem: problem, end: end).solve()
            found = try answer(problem, general.schedule) { _ in general.bound }
        } catch .outOfTime {
            guard let standIn else {
                guard quick?.isBatteryImpossible != true else {
                    throw .infeasible(reasons: MixedIntegerPlan(problem: problem, end: end).obstacles())
                }
                throw .outOfTime
            }
            return standIn
        } catch .solverFailed(let reason) {
            let quick =
                standIn
                ?? QuickPlan(problem).solve().flatMap { simple in
                    try? answer(problem, simple.schedule) { _ in simple.bound }
                }
            guard let quick else { throw .solverFailed(reason) }
            return quick
        }
        guard let standIn else { return found }
        var better = isBetter(standIn, than: found) ? standIn : found
        // Both bounds hold where nothing is missing.
        if standIn.unmetEnergyKWh.isEmpty, found.unmetEnergyKWh.isEmpty {
            better.bound = [standIn.bound, found.bound].compactMap(\.self).max().map { min($0, better.cost) }
        }
        return better
    }

    /// Whether a solver whose time was over still runs, on a thread that nothing waits for.
    package static var isStillSearching: Bool { MILPSolver.isStillSearching }

    private static func isBetter(_ one: PlanAnswer, than other: PlanAnswer) -> Bool {
        let missing = one.unmetEnergyKWh.values.reduce(0, +) - other.unmetEnergyKWh.values.reduce(0, +)
        if other.isProvenOptimal, missing > -Evaluation.tolerance { return false }
        if missing.magnitude > Evaluation.tolerance { return missing < 0 }
        return one.isProvenOptimal || one.cost < other.cost
    }

    /// The checked answer, with a bound that may depend on the schedule's cost.
    private static func answer(
        _ problem: PlanningProblem, _ schedule: Schedule, bound: (Double) -> Double?
    ) throws(PlanningError) -> PlanAnswer {
        let evaluation = problem.evaluate(schedule)
        guard evaluation.faults.isEmpty else { throw .solverFailed(evaluation.faults.joined(separator: "; ")) }
        let obstacles = evaluation.unmetEnergyKWh.isEmpty ? nil : Obstacles(problem, schedule)
        let missing = problem.vehicles.compactMap { vehicle in
            evaluation.unmetEnergyKWh[vehicle.id].flatMap { obstacles?.text(vehicle, missingKWh: $0) }
        }
        return PlanAnswer(
            schedule: schedule, starts: [], cost: evaluation.cost,
            bound: bound(evaluation.cost).map { min($0, evaluation.cost) },
            unmetEnergyKWh: evaluation.unmetEnergyKWh, notes: missing + evaluation.notes, overloads: evaluation.notes)
    }
}
