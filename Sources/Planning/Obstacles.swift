/// What stands in the way of the needs that a schedule does not meet, in words: which limit, and by how much.
///
/// The plainest reason is told: a vehicle's own time and power, then a limit that is too small for it alone, then one that
/// is too small for several together, then the one that leaves no room beside the others in this schedule.
///
/// ## Complexity
/// O(n) for each vehicle and limit with n intervals, and O(v²) for each limit that v vehicles share.
struct Obstacles {
    private let problem: PlanningProblem
    private let schedule: Schedule
    private let grid: [GridInterval]
    private let limits: [LimitInTheWay]
    private let crowds: [Crowd?]

    init(_ problem: PlanningProblem, _ schedule: Schedule) {
        self.problem = problem
        self.schedule = schedule
        let grid = problem.grid()
        self.grid = grid
        limits = LimitInTheWay.all(of: problem, grid)
        crowds = limits.map { Crowd($0, problem, grid) }
    }

    /// Why a vehicle lacks energy.
    func text(_ vehicle: PlanningProblem.Vehicle, missingKWh: Double) -> String {
        let reason =
            ownReason(vehicle) ?? aloneReason(vehicle) ?? crowdReason(vehicle) ?? blockedReason(vehicle)
            ?? "the powers it can draw do not add up to its need"
        return "\(vehicle.id) will lack \(missingKWh.shown) kWh: \(reason)"
    }

    private func presence(_ vehicle: PlanningProblem.Vehicle) -> [Int] {
        grid.indices.filter { vehicle.isPresent(in: grid[$0]) }
    }

    private func ownReason(_ vehicle: PlanningProblem.Vehicle) -> String? {
        let most = vehicle.ranges.last?.highKW ?? 0
        let hours = presence(vehicle).reduce(0) { $0 + grid[$1].hours }
        let reach = most * hours * vehicle.efficiency
        guard reach < vehicle.minEnergyKWh - Evaluation.tolerance else { return nil }
        return "its time of \(hours.shown) h at \(most.shown) kW gives only \(reach.shown) kWh"
    }

    // MARK: - Alone

    private func aloneReason(_ vehicle: PlanningProblem.Vehicle) -> String? {
        let spans = presence(vehicle)
        let own = limits.filter { $0.share(of: vehicle.id) > 0 }
        func reach(_ limits: [LimitInTheWay]) -> Double {
            spans.reduce(0) { sum, index in
                let room = limits.map { $0.roomKW[index] / $0.share(of: vehicle.id) }.min() ?? .infinity
                return sum + vehicle.mostKW(within: room) * grid[index].hours * vehicle.efficiency
            }
        }
        let least = vehicle.minEnergyKWh - Evaluation.tolerance
        let narrow = own.map { (limit: $0, reach: reach([$0])) }.filter { $0.reach < least }
        guard let found = narrow.min(by: { $0.reach < $1.reach }) else {
            let all = reach(own)
            guard own.count > 1, all < least else { return nil }
            let names = Self.list(own.map(\.title), atMost: own.count)
            let short = (vehicle.minEnergyKWh - all).shown
            return "\(names) together give it only \(all.shown) kWh, \(short) kWh too little"
        }
        let room = spans.map { found.limit.roomKW[$0] / found.limit.share(of: vehicle.id) }.max() ?? 0
        let lowest = vehicle.ranges.first?.lowKW ?? 0
        guard room >= lowest else {
            return "\(found.limit.title) leaves it \(room.shown) kW, \((lowest - room).shown) kW below the least power "
                + "that it can draw, \(lowest.shown) kW"
        }
        return "\(found.limit.title) leaves too little power for it: \(found.reach.shown) kWh in its time, "
            + "\((vehicle.minEnergyKWh - found.reach).shown) kWh too little"
    }

    // MARK: - Together

    private func crowdReason(_ vehicle: PlanningProblem.Vehicle) -> String? {
        let found = zip(limits, crowds).compactMap { limit, crowd in crowd.map { (limit: limit, crowd: $0) } }
            .filter { $0.crowd.vehicles.contains(vehicle.id) }
            .max { $0.crowd.demandKWh - $0.crowd.supplyKWh < $1.crowd.demandKWh - $1.crowd.supplyKWh }
        guard let (limit, crowd) = found else { return nil }
        let short = (crowd.demandKWh - crowd.supplyKWh).shown
        return "\(limit.title) does not carry \(Self.list(crowd.vehicles, atMost: 4)) together: they need "
            + "\(crowd.demandKWh.shown) kWh from it between \(UTCText.text(crowd.start)) and "
            + "\(UTCText.text(crowd.end)), and it leaves \(crowd.supplyKWh.shown) kWh, \(short) kWh too little"
    }

    /// The limit that most often leaves a vehicle no more than it has in the schedule.
    private func blockedReason(_ vehicle: PlanningProblem.Vehicle) -> String? {
        guard schedule.intervals.count == grid.count else { return nil }
        let most = vehicle.ranges.last?.highKW ?? 0
        var found: (limit: LimitInTheWay, energy: Double, hours: Double)?
        for limit in limits where limit.share(of: vehicle.id) > 0 {
            var energy = 0.0, hours = 0.0
            for index in presence(vehicle) {
                let interval = schedule.intervals[index]
                let power = interval.vehiclesKW[vehicle.id] ?? 0
                guard power < most - Evaluation.tolerance else { continue }
                let room = (limit.roomKW[index] - limit.drawnKW(interval)) / limit.share(of: vehicle.id)
                guard vehicle.mostKW(within: power + max(0, room)) <= power + Evaluation.tolerance else { continue }
                energy += (most - power) * grid[index].hours
                hours += grid[index].hours
            }
            if energy > found?.energy ?? 0 { found = (limit, energy, hours) }
        }
        return found.map { "\($0.limit.title) has no room for more of it in \($0.hours.shown) h of its time" }
    }

    private static func list(_ words: [String], atMost most: Int) -> String {
        let shown = words.count > most ? Array(words.prefix(most - 1)) + ["\(words.count - most + 1) more"] : words
        guard shown.count > 1, let last = shown.last else { return shown.first ?? "" }
        return shown.dropLast().joined(separator: ", ") + " and " + last
    }
}

/// A limit as a reason tells it: the connection's, or one that some vehicles share.
private struct LimitInTheWay {
    /// What it is called, with its power.
    let title: String
    /// What it leaves the vehicles in each interval of the grid, in kilowatts.
    let roomKW: [Double]
    /// What part of a vehicle's power counts; `nil` where every vehicle counts in full.
    private let shares: [String: Double]?

    func share(of id: String) -> Double { shares.map { $0[id] ?? 0 } ?? 1 }

    /// What an interval of a schedule takes of the room.
    func drawnKW(_ interval: Schedule.Interval) -> Double {
        let vehicles = interval.vehiclesKW.reduce(0) { $0 + $1.value * share(of: $1.key) }
        return shares == nil ? vehicles + interval.batteryChargeKW : vehicles
    }

    static func all(of problem: PlanningProblem, _ grid: [GridInterval]) -> [LimitInTheWay] {
        var all = problem.limits.map { limit in
            LimitInTheWay(
                title: "circuit \(limit.id), at most \(powers(limit.limitKW)) kW,",
                roomKW: grid.map { max(0, limit.limitKW[$0.slot]) }, shares: limit.shares)
        }
        if let most = problem.site.importLimitKW {
            let battery = problem.battery?.maxDischargeKW ?? 0
            let rooms = grid.map { span in
                let slot = problem.slots[span.slot]
                return max(0, most - slot.baseLoadKW + slot.pvKW + battery)
            }
            all.append(LimitInTheWay(title: "the connection's limit of \(most.shown) kW", roomKW: rooms, shares: nil))
        }
        return all
    }

    private static func powers(_ limits: [Double]) -> String {
        guard let least = limits.min(), let most = limits.max() else { return "0" }
        return least == most ? "\(most.shown)" : "\(least.shown) to \(most.shown)"
    }
}

/// Vehicles whose needs in a span are more than a limit leaves in it, the span in which most is missing.
private struct Crowd {
    var vehicles: [String] = []
    var start = 0
    var end = 0
    /// What they need, as the limit counts it.
    var demandKWh = 0.0
    /// What the limit leaves them.
    var supplyKWh = 0.0

    /// `nil` where the limit carries all of them in every span.
    init?(_ limit: LimitInTheWay, _ problem: PlanningProblem, _ grid: [GridInterval]) {
        let members = problem.vehicles.filter { limit.share(of: $0.id) > 0 }
        guard members.count > 1 else { return nil }
        var before = [0.0]
        for (index, span) in grid.enumerated() {
            let reach = members.reduce(0.0) { sum, vehicle in
                guard vehicle.isPresent(in: span) else { return sum }
                return sum + (vehicle.ranges.last?.highKW ?? 0) * limit.share(of: vehicle.id)
            }
            before.append(before[index] + min(reach, limit.roomKW[index]) * span.hours)
        }
        func supply(until moment: Int) -> Double { before[grid.firstIndex { $0.start >= moment } ?? grid.count] }
        let supplies = Dictionary(
            members.flatMap { [$0.arrival, $0.departure] }.map { ($0, supply(until: $0)) }, uniquingKeysWith: { $1 })
        let byDeparture = members.map { ($0, limit.share(of: $0.id) * $0.needKWh(grid)) }
            .sorted { $0.0.departure < $1.0.departure }
        for start in Set(members.map(\.arrival)).sorted() {
            var demand = 0.0
            for (vehicle, need) in byDeparture where vehicle.arrival >= start {
                demand += need
                let supply = max(0, (supplies[vehicle.departure] ?? 0) - (supplies[start] ?? 0))
                guard demand - supply > max(Evaluation.tolerance, demandKWh - supplyKWh) else { continue }
                (self.start, end, demandKWh, supplyKWh) = (start, vehicle.departure, demand, supply)
            }
        }
        guard demandKWh > supplyKWh else { return nil }
        vehicles = members.filter { $0.arrival >= start && $0.departure <= end && $0.minEnergyKWh > 0 }.map(\.id)
    }
}

extension PlanningProblem.Vehicle {
    /// What it needs at the meter, as far as its own time and power go.
    fileprivate func needKWh(_ grid: [GridInterval]) -> Double {
        let hours = grid.reduce(0) { isPresent(in: $1) ? $0 + $1.hours : $0 }
        return min(minEnergyKWh / efficiency, hours * (ranges.last?.highKW ?? 0))
    }
}
