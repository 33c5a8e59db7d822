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
    /// What a kilowatt of each vehicle counts: 1, or what part of it falls on the limit that is shared.
    private let scales: [Double]
    private let isCautious: Bool

    /// Most vehicles; the work grows with the square of their number.
    private static let mostVehicles = 24
    /// Differences of cost below this are rounding: a hundred-thousandth of a unit of currency.
    private static let tolerance: Int64 = 10 * Int64(PlanUnits.joulesPerKWh)

    /// `nil` where the problem is not of this kind: a battery, a price of starting, several ranges of power, limits that
    /// count vehicles differently, power that is cheaper to draw than to use from the roof, or figures too large.
    /// - Parameter isCautious: Whether such a problem is turned into one of this kind that is no more generous: all limits
    ///   hold, and the least unmet energy is looked for, but nothing is known of the cost.
    init?(_ problem: PlanningProblem, isCautious: Bool = false) {
        guard problem.battery == nil, problem.appliance == nil, !problem.vehicles.isEmpty,
            problem.vehicles.count <= Self.mostVehicles,
            isCautious || problem.vehicles.allSatisfy({ $0.startPenalty == 0 && $0.ranges.count == 1 }),
            !problem.overloadsItself || problem.toleratesOverload, problem.hasModestFigures,
            let limits = CommonLimits(problem, isCautious: isCautious)
        else { return nil }
        self.isCautious = isCautious
        let scales = limits.scales
        self.scales = scales
        let grid = problem.grid()
        var steps: [(step: SharedFlow.Step, carbon: Double)] = []
        for (index, span) in grid.enumerated() {
            let slot = problem.slots[span.slot]
            if !isCautious, problem.site.curtailAllowed, slot.pvKW > 0, problem.price(of: slot) < 0 { return nil }
            let all = Self.steps(problem, span, index, most: limits.room(span), isCautious: isCautious)
            guard let own = all else { return nil }
            steps += own.map { ($0, slot.carbonGPerKWh ?? 0) }
        }
        // Among equal prices the cleaner first, then the later.
        steps.sort { one, other in
            if one.step.price != other.step.price { return one.step.price < other.step.price }
            if one.carbon != other.carbon { return one.carbon < other.carbon }
            return one.step.span != other.step.span
                ? one.step.span > other.step.span : one.step.start < other.step.start
        }
        let high = zip(problem.vehicles, scales).flatMap { vehicle, scale in
            grid.map { span in
                vehicle.isPresent(in: span)
                    ? LoadBook.joules((vehicle.ranges.last?.highKW ?? 0) * scale, span.seconds, .down) : 0
            }
        }
        least = zip(problem.vehicles, scales).flatMap { vehicle, scale in
            grid.map {
                min(
                    LoadBook.joules((vehicle.ranges.first?.lowKW ?? 0) * scale, $0.seconds, .up),
                    LoadBook.joules((vehicle.ranges.last?.highKW ?? 0) * scale, $0.seconds, .down))
            }
        }
        self.problem = problem
        self.grid = grid
        root = SharedFlow(
            SharedFlow.Frame(
                loads: problem.vehicles.count, spans: grid.count, steps: steps.map(\.step),
                room: grid.map { limits.room($0) }, circuit: limits.circuits,
                circuitRoom: limits.circuitRooms.map { rooms in grid.map { rooms($0) } },
                least: zip(problem.vehicles, scales).map {
                    Int64(($0.minEnergyKWh * PlanUnits.joulesPerKWh / $0.efficiency * $1).rounded())
                },
                most: zip(problem.vehicles, scales).map {
                    Int64(($0.maxEnergyKWh * PlanUnits.joulesPerKWh / $0.efficiency * $1).rounded())
                },
                groups: Self.groups(problem, scales)),
            high: high)
    }

    /// The cheapest schedule found and how far its cost may be from the least, in currency; `nil` where none was found
    /// or the gap is not known, since some need can't be met.
    /// - Parameters:
    ///   - end: when the search ends; `nil` is when it has looked at `caseLimit` cases. A first answer, and one with the
    ///     least unmet energy, are looked for a little longer.
    ///   - limit: when it ends all the same.
    ///   - enough: a gap in currency that is not worth more search.
    func solve(
        until end: ContinuousClock.Instant?, limit: ContinuousClock.Instant? = nil, enough: Double = 0,
        caseLimit: Int = 2000
    ) -> (schedule: Schedule, gap: Double?)? {
        var relaxed = root
        relaxed.limit = limit
        guard relaxed.fill() else { return nil }
        var search = SharedSearch(
            least: least, tolerance: Self.tolerance, bound: relaxed.cost, unmet: relaxed.unmet.reduce(0, +),
            isEnough: Int64(enough * PlanUnits.microPerUnit * PlanUnits.joulesPerKWh), end: end, limit: limit,
            casesLeft: caseLimit)
        if relaxed.unmet.allSatisfy({ $0 == 0 }), !search.isDone { search.runGuided(from: relaxed) }
        search.run(from: relaxed)
        guard let best = search.best else { return nil }
        let isMet = best.unmet.allSatisfy { $0 <= Self.roundingJoules }
        let gap = search.isComplete || best.cost <= search.bound + Self.tolerance ? 0 : best.cost - search.bound
        // What is missing is proven least only where it is no more than the relaxation's.
        let isKnown = isMet || best.unmet.reduce(0, +) <= search.unmet
        return (schedule(best), isKnown && !isCautious ? max(0, PlanUnits.currency(gap)) : nil)
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
                    let power = Double(energy) / Double(span.seconds) / 1000 / scales[place]
                    powers[vehicle.id] = Self.allowed(power, vehicle.ranges)
                }
                let net = slot.baseLoadKW - slot.pvKW + powers.values.reduce(0, +)
                return Schedule.Interval(
                    start: span.start, end: span.end, vehiclesKW: powers,
                    curtailKW: problem.curtailment(slot, netKW: net))
            })
    }

    /// A power as one of the ranges has it: what is between two of them is the end of the lower one.
    private static func allowed(_ power: Double, _ ranges: [PowerRange]) -> Double {
        let range = ranges.last { $0.lowKW <= power + 1e-9 } ?? ranges[0]
        return min(max(power, range.lowKW), range.highKW)
    }

    /// Vehicles of which as much reaches the car together, the best first: what cannot all be met is met there.
    private static func groups(_ problem: PlanningProblem, _ scales: [Double]) -> [[Int]] {
        let yields = zip(problem.vehicles, scales).map { $0.efficiency / $1 }
        let order = problem.vehicles.indices.sorted { one, other in
            let first = problem.vehicles[one], second = problem.vehicles[other]
            if yields[one] != yields[other] { return yields[one] > yields[other] }
            return first.departure != second.departure ? first.departure < second.departure : one < other
        }
        var groups: [[Int]] = []
        for index in order {
            if let last = groups.last?.last, yields[last] == yields[index] {
                groups[groups.count - 1].append(index)
            } else {
                groups.append([index])
            }
        }
        return groups
    }

    /// An interval's steps of price, as far as the limit goes; `nil` where they do not ascend.
    private static func steps(
        _ problem: PlanningProblem, _ span: GridInterval, _ index: Int, most: Int64, isCautious: Bool
    ) -> [SharedFlow.Step]? {
        var steps: [SharedFlow.Step] = []
        var start: Int64 = 0
        for step in problem.loadSteps(of: problem.slots[span.slot]) {
            var step = step
            if let last = steps.last, step.price < last.price {
                guard isCautious else { return nil }
                step.price = last.price
            }
            let end = step.upToKW.isFinite ? min(most, LoadBook.joules(step.upToKW, span.seconds, .down)) : most
            guard end > start else { continue }
            steps.append(SharedFlow.Step(span: index, start: start, width: end - start, price: step.price))
            start = end
        }
        return steps
    }
}
