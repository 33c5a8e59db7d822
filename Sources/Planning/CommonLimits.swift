/// The limits of a problem as one for all vehicles and one for each of several separate circuits.
struct CommonLimits {
    private let problem: PlanningProblem
    /// What a kilowatt of each vehicle counts under the limits.
    let scales: [Double]
    /// Limits of all vehicles, and the factor by which each counts them.
    private var common: [(limit: PlanningProblem.SharedLimit, share: Double)] = []
    private var own: [(limit: PlanningProblem.SharedLimit, share: Double)] = []
    private(set) var circuits: [Int?]

    /// `nil` where a limit counts its vehicles differently, or two that do not hold for all have a vehicle in common.
    /// - Parameter isCautious: Whether vehicles count as in the widest limit, and a limit that does not fit is taken for a
    ///   tighter one that does.
    init?(_ problem: PlanningProblem, isCautious: Bool) {
        self.problem = problem
        circuits = problem.vehicles.map { _ in nil }
        let scales = isCautious ? Self.scales(problem) : problem.vehicles.map { _ in 1 }
        self.scales = scales
        for limit in problem.limits {
            let shares = problem.vehicles.map { limit.shares[$0.id] ?? 0 }
            let members = problem.vehicles.indices.filter { shares[$0] > 0 }
            let factors = members.map { shares[$0] / scales[$0] }
            guard let least = factors.min(), let most = factors.max() else { continue }
            let isEven = most - least < 1e-9
            guard isEven || isCautious else { return nil }
            if members.count == problem.vehicles.count {
                common.append((limit, most))
                continue
            }
            // A circuit's phases are limits of the same vehicles.
            let known = circuits[members[0]]
            let isSeparate =
                members.allSatisfy { circuits[$0] == known }
                && (known == nil || circuits.filter { $0 == known }.count == members.count)
            guard isSeparate else {
                guard isCautious else { return nil }
                common.append((limit, most))
                continue
            }
            if let known {
                let other = own[known]
                for slot in limit.limitKW.indices {
                    own[known].limit.limitKW[slot] = min(
                        other.limit.limitKW[slot], limit.limitKW[slot] / most * other.share)
                }
            } else {
                for member in members { circuits[member] = own.count }
                own.append((limit, most))
            }
        }
    }

    /// What vehicles count in the widest limit that counts them differently; 1 where there is none.
    private static func scales(_ problem: PlanningProblem) -> [Double] {
        let uneven = problem.limits.map { limit in problem.vehicles.map { limit.shares[$0.id] ?? 0 } }
            .filter { shares in Set(shares.filter { $0 > 0 }).count > 1 }
        let widest = uneven.max { one, other in one.filter { $0 > 0 }.count < other.filter { $0 > 0 }.count }
        return widest?.map { $0 > 0 ? $0 : 1 } ?? problem.vehicles.map { _ in 1 }
    }

    /// What all vehicles together may take in an interval, in joules.
    func room(_ span: GridInterval) -> Int64 {
        let slot = problem.slots[span.slot]
        let net = slot.baseLoadKW - slot.pvKW
        let grid = problem.importLimitKW(of: slot).map { max(0, $0 - net) * (scales.min() ?? 1) } ?? .infinity
        let shared = common.map { max(0, $0.limit.limitKW[span.slot]) / $0.share }.min() ?? .infinity
        let reach = zip(problem.vehicles, scales).reduce(0.0) { $0 + ($1.0.ranges.last?.highKW ?? 0) * $1.1 }
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
