/// Several vehicles under one limit, with or without circuits below it: solved by exchange among them, without a general
/// solver.
///
/// The relaxation lets every vehicle draw any power down to nothing; it is solved exactly and gives the bound. Its powers
/// below a vehicle's least are then raised or dropped, all at once, until none is left, and a search over single
/// decisions improves what is found until it is proven best or the time is over. In practice the bound is met, or
/// missed by a ten-thousandth.
struct SharedLimitPlan {
    private let problem: PlanningProblem
    private let grid: [GridInterval]
    private let root: SharedFlow
    /// Least energy of each vehicle in each interval where it draws, in joules.
    private let least: [Int64]

    /// Most vehicles; the work grows with the square of their number.
    private static let mostVehicles = 24
    /// Differences of cost below this are rounding: a hundred-thousandth of a unit of currency.
    private static let tolerance: Int64 = 10 * Int64(PlanUnits.joulesPerKWh)

    /// `nil` where the problem is not of this kind: a battery, a price of starting, several ranges of power, limits that
    /// count vehicles differently, power that is cheaper to draw than to use from the roof, or figures too large.
    init?(_ problem: PlanningProblem) {
        guard problem.battery == nil, problem.appliance == nil, !problem.vehicles.isEmpty,
            problem.vehicles.count <= Self.mostVehicles,
            problem.vehicles.allSatisfy({ $0.startPenalty == 0 && $0.ranges.count == 1 }),
            !problem.overloadsItself || problem.toleratesOverload, problem.hasModestFigures,
            let limits = CommonLimits(problem)
        else { return nil }
        let grid = problem.grid()
        var steps: [(step: SharedFlow.Step, carbon: Double)] = []
        for (index, span) in grid.enumerated() {
            let slot = problem.slots[span.slot]
            if problem.site.curtailAllowed, slot.pvKW > 0, problem.price(of: slot) < 0 { return nil }
            guard let own = Self.steps(problem, span, index, most: limits.room(span)) else { return nil }
            steps += own.map { ($0, slot.carbonGPerKWh ?? 0) }
        }
        // Among equal prices the cleaner first, then the later.
        steps.sort { one, other in
            if one.step.price != other.step.price { return one.step.price < other.step.price }
            if one.carbon != other.carbon { return one.carbon < other.carbon }
            return one.step.span != other.step.span
                ? one.step.span > other.step.span : one.step.start < other.step.start
        }
        let high = problem.vehicles.flatMap { vehicle in
            grid.map { span in
                vehicle.isPresent(in: span) ? LoadBook.joules(vehicle.ranges[0].highKW, span.seconds, .down) : 0
            }
        }
        least = problem.vehicles.flatMap { vehicle in
            grid.map {
                min(
                    LoadBook.joules(vehicle.ranges[0].lowKW, $0.seconds, .up),
                    LoadBook.joules(vehicle.ranges[0].highKW, $0.seconds, .down))
            }
        }
        self.problem = problem
        self.grid = grid
        root = SharedFlow(
            SharedFlow.Frame(
                loads: problem.vehicles.count, spans: grid.count, steps: steps.map(\.step),
                room: grid.map { limits.room($0) }, circuit: limits.circuits,
                circuitRoom: limits.circuitRooms.map { rooms in grid.map { rooms($0) } },
                least: problem.vehicles.map {
                    Int64(($0.minEnergyKWh * PlanUnits.joulesPerKWh / $0.efficiency).rounded())
                },
                most: problem.vehicles.map {
                    Int64(($0.maxEnergyKWh * PlanUnits.joulesPerKWh / $0.efficiency).rounded())
                },
                groups: Self.groups(problem)),
            high: high)
    }

    /// The cheapest schedule found and how far its cost may be from the least, in currency; `nil` where none was found
    /// or the gap is not known, since some need can't be met.
    /// - Parameters:
    ///   - end: when the search ends; `nil` is when it has looked at `caseLimit` cases.
    ///   - enough: a gap in currency that is not worth more search.
    func solve(
        until end: ContinuousClock.Instant?, enough: Double = 0, caseLimit: Int = 2000
    ) -> (schedule: Schedule, gap: Double?)? {
        var relaxed = root
        guard relaxed.fill() else { return nil }
        var search = SharedSearch(
            least: least, tolerance: Self.tolerance, bound: relaxed.cost, unmet: relaxed.unmet.reduce(0, +),
            isEnough: Int64(enough * PlanUnits.microPerUnit * PlanUnits.joulesPerKWh), end: end, casesLeft: caseLimit)
        if relaxed.unmet.allSatisfy({ $0 == 0 }), !search.isDone { search.runGuided(from: relaxed) }
        search.run(from: relaxed)
        guard let best = search.best else { return nil }
        let isMet = best.unmet.allSatisfy { $0 <= Self.roundingJoules }
        let gap = search.isComplete || best.cost <= search.bound + Self.tolerance ? 0 : best.cost - search.bound
        // What is missing is proven least only where it is no more than the relaxation's.
        let isKnown = isMet || best.unmet.reduce(0, +) <= search.unmet
        return (schedule(best), isKnown ? max(0, PlanUnits.currency(gap)) : nil)
    }

    private static let roundingJoules: Int64 = 40

    private func schedule(_ flow: SharedFlow) -> Schedule {
        Schedule(
            intervals: grid.enumerated().map { index, span in
                let slot = problem.slots[span.slot]
                var powers: [String: Double] = [:]
                for (place, vehicle) in problem.vehicles.enumerated() {
                    let energy = flow.energy[place * grid.count + index]
                    guard energy > 0 else { continue }
                    let power = Double(energy) / Double(span.seconds) / 1000
                    let range = vehicle.ranges[0]
                    powers[vehicle.id] = min(max(power, range.lowKW), range.highKW)
                }
                let net = slot.baseLoadKW - slot.pvKW + powers.values.reduce(0, +)
                return Schedule.Interval(
                    start: span.start, end: span.end, vehiclesKW: powers,
                    curtailKW: problem.curtailment(slot, netKW: net))
            })
    }

    /// Vehicles of one efficiency together, the best first: what cannot all be met is met there.
    private static func groups(_ problem: PlanningProblem) -> [[Int]] {
        let order = problem.vehicles.indices.sorted { one, other in
            let first = problem.vehicles[one], second = problem.vehicles[other]
            if first.efficiency != second.efficiency { return first.efficiency > second.efficiency }
            return first.departure != second.departure ? first.departure < second.departure : one < other
        }
        var groups: [[Int]] = []
        for index in order {
            if let last = groups.last?.last, problem.vehicles[last].efficiency == problem.vehicles[index].efficiency {
                groups[groups.count - 1].append(index)
            } else {
                groups.append([index])
            }
        }
        return groups
    }

    /// An interval's steps of price, as far as the limit goes; `nil` where they do not ascend.
    private static func steps(
        _ problem: PlanningProblem, _ span: GridInterval, _ index: Int, most: Int64
    ) -> [SharedFlow.Step]? {
        var steps: [SharedFlow.Step] = []
        var start: Int64 = 0
        for step in problem.loadSteps(of: problem.slots[span.slot]) {
            if let last = steps.last, step.price < last.price { return nil }
            let end = step.upToKW.isFinite ? min(most, LoadBook.joules(step.upToKW, span.seconds, .down)) : most
            guard end > start else { continue }
            steps.append(SharedFlow.Step(span: index, start: start, width: end - start, price: step.price))
            start = end
        }
        return steps
    }
}

/// The limits of a problem as one for all vehicles and one for each of several separate circuits.
private struct CommonLimits {
    private let problem: PlanningProblem
    private var common: [(limit: PlanningProblem.SharedLimit, share: Double)] = []
    private var own: [(limit: PlanningProblem.SharedLimit, share: Double)] = []
    private(set) var circuits: [Int?]

    /// `nil` where a limit counts its vehicles differently, or two that do not hold for all have a vehicle in common.
    init?(_ problem: PlanningProblem) {
        self.problem = problem
        circuits = problem.vehicles.map { _ in nil }
        for limit in problem.limits {
            let members = problem.vehicles.indices.filter { limit.shares[problem.vehicles[$0].id] ?? 0 > 0 }
            guard let first = members.first, let share = limit.shares[problem.vehicles[first].id] else { continue }
            guard members.allSatisfy({ abs((limit.shares[problem.vehicles[$0].id] ?? 0) - share) < 1e-9 }) else {
                return nil
            }
            guard members.count < problem.vehicles.count else {
                common.append((limit, share))
                continue
            }
            // A circuit's phases are limits of the same vehicles.
            let known = circuits[first]
            guard members.allSatisfy({ circuits[$0] == known }),
                known == nil || circuits.filter({ $0 == known }).count == members.count
            else { return nil }
            if let known {
                let other = own[known]
                for slot in limit.limitKW.indices {
                    own[known].limit.limitKW[slot] = min(
                        other.limit.limitKW[slot], limit.limitKW[slot] / share * other.share)
                }
            } else {
                for member in members { circuits[member] = own.count }
                own.append((limit, share))
            }
        }
    }

    /// What all vehicles together may take in an interval, in joules.
    func room(_ span: GridInterval) -> Int64 {
        let slot = problem.slots[span.slot]
        let net = slot.baseLoadKW - slot.pvKW
        let grid = problem.importLimitKW(of: slot).map { max(0, $0 - net) } ?? .infinity
        let shared = common.map { max(0, $0.limit.limitKW[span.slot]) / $0.share }.min() ?? .infinity
        let reach = problem.vehicles.reduce(0.0) { $0 + ($1.ranges.last?.highKW ?? 0) }
        return LoadBook.joules(min(grid, shared, reach), span.seconds, .down)
    }

    /// For each circuit what its vehicles may take in an interval, in joules.
    var circuitRooms: [(GridInterval) -> Int64] {
        own.map { circuit in
            { span in
                let power = max(0, circuit.limit.limitKW[span.slot]) / circuit.share
                return LoadBook.joules(min(power, 1e5), span.seconds, .down)
            }
        }
    }
}
