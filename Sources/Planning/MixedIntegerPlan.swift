import MILP

/// Solves a planning problem with the general solver: cost first, and unmet energy before it where needs cannot be met.
struct MixedIntegerPlan {
    let problem: PlanningProblem
    /// When the answer has to be there; `nil` for no limit.
    let end: ContinuousClock.Instant?

    /// A share of the time that is left, in seconds.
    private func seconds(_ share: Double) -> Double? {
        end.map { Double(($0 - .now) / .microseconds(1)) / 1e6 * share }
    }

    /// The cheapest schedule found and a cost below which none with as little unmet energy can be.
    /// - Throws: `PlanningError` where nothing is possible, nothing was found in time, or the solver failed.
    func solve() throws(PlanningError) -> (schedule: Schedule, bound: Double?) {
        if let left = seconds(1), left < 0.001 { throw .outOfTime }
        let model = MixedIntegerModel(problem, allowsUnmet: false)
        switch MILPSolver.solve(model.program, seconds: seconds(0.6)) {
        case .optimal(let solution), .feasible(let solution): return (model.schedule(solution), solution.bound)
        case .infeasible, .outOfTime: return try solveShort()
        case .failed(let reason): throw .solverFailed(reason ?? "numerical trouble")
        }
    }

    private func solveShort() throws(PlanningError) -> (schedule: Schedule, bound: Double?) {
        if let left = seconds(1), left <= 0 { throw .outOfTime }
        var least = MixedIntegerModel(problem, allowsUnmet: true)
        least.minimiseUnmet()
        let unmet = try found(least)
        var cheapest = MixedIntegerModel(problem, allowsUnmet: true)
        cheapest.limitUnmet(unmet.solution.cost + 1e-6)
        switch MILPSolver.solve(cheapest.program, seconds: seconds(0.9)) {
        case .optimal(let solution), .feasible(let solution):
            // A bound on the cost holds only among schedules with as little unmet energy, which must be proven too.
            return (cheapest.schedule(solution), unmet.isProven ? solution.bound : nil)
        case .infeasible, .outOfTime, .failed: return (least.schedule(unmet.solution), nil)
        }
    }

    private func found(_ model: MixedIntegerModel) throws(PlanningError) -> (solution: MILPSolution, isProven: Bool) {
        switch MILPSolver.solve(model.program, seconds: seconds(0.6)) {
        case .optimal(let solution): return (solution, true)
        case .feasible(let solution): return (solution, false)
        case .infeasible: throw .infeasible(reasons: obstacles())
        case .outOfTime: throw .outOfTime
        case .failed(let reason): throw .solverFailed(reason ?? "numerical trouble")
        }
    }

    /// What can make a problem impossible although every vehicle may go without.
    func obstacles() -> [String] {
        guard let battery = problem.battery else { return ["the connection's limits cannot be kept"] }
        let hours = horizonHours
        let reach = battery.initialKWh + battery.maxChargeKW * battery.chargeEfficiency * hours
        guard reach < battery.finalKWh else {
            return ["the limits of the connection and the battery cannot both be kept"]
        }
        return [
            "the battery can hold at most \(reach.shown) kWh at the end, \(battery.finalKWh.shown) kWh are demanded"
        ]
    }

    private var horizonHours: Double {
        problem.grid().reduce(0) { $0 + $1.hours }
    }
}
