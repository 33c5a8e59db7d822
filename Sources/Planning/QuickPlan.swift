/// A schedule at once, for when a general solver has not enough time: it leaves as little unmet as quick ways find, keeps
/// every limit, and is made cheaper while there is time.
///
/// It starts from how the loads share the connection when their powers may go down to nothing, and from one load after
/// the other in order of their slack; a battery takes the best course beside them, or they plan beside the battery. Then
/// each load in turn is planned anew within what the others leave, exactly, until nothing gets better.
///
/// ## Complexity
/// That of `SharedLimitPlan` and of `MeritOrder` for each load, with few cases each, some four times.
struct QuickPlan {
    /// What every load does in each interval.
    struct Course {
        /// Kilowatts of each vehicle, by interval.
        var vehiclesKW: [[Double]]
        /// Kilowatts of the battery, above 0 into it.
        var batteryKW: [Double]
        /// What another stored kilowatt-hour is worth after each interval.
        var values: [Double]
        /// Whether no other course of the battery costs less beside the vehicles.
        var isExact = false
    }

    /// Cases of one load; the first of them are the best of the order of price.
    static let caseLimit = 200

    let problem: PlanningProblem
    /// The same with one slot for each interval and without vehicles.
    let base: PlanningProblem
    /// The same for the planning of single loads, whose limits the evaluator judges as a whole.
    private let lenient: PlanningProblem
    private let end: ContinuousClock.Instant?
    private let limit: ContinuousClock.Instant?

    /// Prepares a plan for a checked problem.
    /// - Parameters:
    ///   - end: When it stops to look for something cheaper; least unmet energy is looked for a little longer.
    ///   - limit: When it stops to look for that too.
    init(_ problem: PlanningProblem, end: ContinuousClock.Instant? = nil, limit: ContinuousClock.Instant? = nil) {
        self.problem = problem
        self.end = end
        self.limit = limit
        let grid = problem.grid()
        var base = problem
        base.slots = grid.map { span in
            var slot = problem.slots[span.slot]
            slot.start = span.start
            slot.end = span.end
            return slot
        }
        for index in base.limits.indices {
            base.limits[index].limitKW = grid.map { problem.limits[index].limitKW[$0.slot] }
        }
        base.vehicles = []
        base.battery = nil
        self.base = base
        // Adding up leaves rounding errors at the limit.
        base.toleratesOverload = true
        // Giving up sun to draw more of what is paid for is left to the evaluator's settlement.
        if base.slots.contains(where: { $0.pvKW > 0 && problem.price(of: $0) < 0 }) { base.site.curtailAllowed = false }
        lenient = base
    }

    /// A schedule, perhaps not the cheapest, and a cost below which none is; `nil` where this way finds none.
    func solve() -> (schedule: Schedule, bound: Double?)? {
        var best: (course: Course, schedule: Schedule, evaluation: Evaluation)?
        for start in starts {
            if let best, isOver, best.evaluation.unmetEnergyKWh.isEmpty || isGivenUp { break }
            guard let course = start() else { continue }
            var found = judged(course)
            var rounds = 0
            while rounds < 3, !isGivenUp,
                rounds == 0 && !(found?.evaluation.unmetEnergyKWh.isEmpty ?? false) || !isOver
            {
                rounds += 1
                guard let better = judged(polished(found?.course ?? course)) else { break }
                if let known = found, !Self.isBetter(better.evaluation, than: known.evaluation) { break }
                found = better
            }
            guard let found else { continue }
            if let known = best, !Self.isBetter(found.evaluation, than: known.evaluation) { continue }
            best = found
        }
        return best.map { best in
            if problem.vehicles.isEmpty, best.course.isExact { return (best.schedule, best.evaluation.cost) }
            return (best.schedule, best.evaluation.unmetEnergyKWh.isEmpty ? bound(best.course) : nil)
        }
    }

    /// Whether the battery can't keep the limits and hold what it must in the end even if no vehicle charges.
    var isBatteryImpossible: Bool {
        var tolerant = base
        tolerant.toleratesOverload = true
        return problem.battery.map { BatteryCourse(tolerant, $0, besideKW: base.slots.map { _ in 0 }) == nil } ?? false
    }

    private var isOver: Bool { end.map { ContinuousClock.now >= $0 } ?? false }

    /// Whether there is no time even for least unmet energy.
    var isGivenUp: Bool { limit.map { ContinuousClock.now >= $0 } ?? false }

    private static func isBetter(_ one: Evaluation, than other: Evaluation) -> Bool {
        let missing = one.unmetEnergyKWh.values.reduce(0, +) - other.unmetEnergyKWh.values.reduce(0, +)
        if missing.magnitude > Evaluation.tolerance { return missing < 0 }
        return one.cost < other.cost - 1e-9
    }

    // MARK: - Starts

    private var starts: [() -> Course?] {
        let batteryFirst: [Bool] = problem.battery == nil ? [false] : [true, false]
        return batteryFirst.flatMap { isFirst -> [() -> Course?] in
            let starts = [{ together(batteryFirst: isFirst) }, { oneByOne(batteryFirst: isFirst) }]
            // A load that shares nothing is planned exactly by itself.
            return problem.vehicles.count > 1 ? starts : starts.reversed()
        }
    }

    private func empty(batteryFirst: Bool) -> Course? {
        let nothing = base.slots.map { _ in 0.0 }
        var course = Course(vehiclesKW: problem.vehicles.map { _ in nothing }, batteryKW: nothing, values: nothing)
        guard batteryFirst else { return course }
        return settle(&course) ? course : nil
    }

    private func together(batteryFirst: Bool) -> Course? {
        guard !isGivenUp, var course = empty(batteryFirst: batteryFirst) else { return nil }
        var shared = left(beside: course)
        shared.vehicles = problem.vehicles
        for index in shared.vehicles.indices { shared.vehicles[index].startPenalty = 0 }
        let plan = SharedLimitPlan(shared, isCautious: true)
        guard let found = plan?.solve(until: .now, limit: limit) else { return nil }
        for (index, vehicle) in problem.vehicles.enumerated() {
            course.vehiclesKW[index] = found.schedule.intervals.map { $0.vehiclesKW[vehicle.id] ?? 0 }
        }
        _ = settle(&course)
        return course
    }

    private func oneByOne(batteryFirst: Bool) -> Course? {
        guard var course = empty(batteryFirst: batteryFirst) else { return nil }
        var left = left(beside: course)
        for index in problem.vehicles.indices.sorted(by: { slackHours($0) < slackHours($1) }) {
            guard let powers = powers(of: index, in: left) else { return nil }
            course.vehiclesKW[index] = powers
            take(powers, of: index, from: &left)
        }
        _ = settle(&course)
        return course
    }

    /// Time to spare between arrival and departure.
    private func slackHours(_ index: Int) -> Double {
        let vehicle = problem.vehicles[index]
        let most = vehicle.efficiency * (vehicle.ranges.last?.highKW ?? 0)
        return Double(vehicle.departure - vehicle.arrival) / 3600 - vehicle.minEnergyKWh / most
    }

    // MARK: - Steps

    /// Every load planned anew beside the others, as far as there is time.
    private func polished(_ course: Course) -> Course {
        var course = course
        var left = left(beside: course)
        for index in problem.vehicles.indices where !isGivenUp {
            var others = left
            take(course.vehiclesKW[index].map { -$0 }, of: index, from: &others)
            guard let powers = powers(of: index, in: others) else { continue }
            course.vehiclesKW[index] = powers
            take(powers, of: index, from: &others)
            left = others
        }
        _ = settle(&course)
        return course
    }

    /// Gives the battery its best course beside the vehicles.
    /// - Returns: Whether it has one; otherwise it keeps the one it had.
    func settle(_ course: inout Course) -> Bool {
        guard let battery = problem.battery else { return true }
        let loads = base.slots.indices.map { index in course.vehiclesKW.reduce(0) { $0 + $1[index] } }
        guard let found = BatteryCourse(base, battery, besideKW: loads) else { return false }
        course.batteryKW = found.powersKW
        course.values = found.values
        course.isExact = found.isExact
        return true
    }

    /// The problem of one more load: what the others draw is base load, and missing from the limits they share.
    private func left(beside course: Course) -> PlanningProblem {
        var left = lenient
        for (place, powers) in course.vehiclesKW.enumerated() { take(powers, of: place, from: &left) }
        for (index, power) in course.batteryKW.enumerated() { left.slots[index].baseLoadKW += power }
        return left
    }

    /// Counts a vehicle's powers as base load, and takes them from the limits it shares.
    private func take(_ powers: [Double], of vehicle: Int, from left: inout PlanningProblem) {
        for (index, power) in powers.enumerated() where power != 0 { left.slots[index].baseLoadKW += power }
        for place in left.limits.indices {
            guard let share = left.limits[place].shares[problem.vehicles[vehicle].id], share > 0 else { continue }
            for (index, power) in powers.enumerated() { left.limits[place].limitKW[index] -= power * share }
        }
    }

    private func powers(of index: Int, in left: PlanningProblem) -> [Double]? {
        let id = problem.vehicles[index].id
        return single(problem.vehicles[index], in: left)?.schedule.intervals.map { $0.vehiclesKW[id] ?? 0 }
    }

    /// The plan of one load as if a start cost nothing.
    func single(
        _ vehicle: PlanningProblem.Vehicle, in left: PlanningProblem
    ) -> (schedule: Schedule, gap: Double?)? {
        var alone = left
        var vehicle = vehicle
        vehicle.startPenalty = 0
        alone.vehicles = [vehicle]
        return SingleVehiclePlan(alone)?.solve(caseLimit: Self.caseLimit)
    }

    // MARK: - The whole

    /// A course's schedule and what it costs; `nil` where it breaks a rule.
    private func judged(_ course: Course) -> (course: Course, schedule: Schedule, evaluation: Evaluation)? {
        let schedule = schedule(course)
        let evaluation = problem.evaluate(schedule)
        return evaluation.faults.isEmpty ? (course, schedule, evaluation) : nil
    }

    func schedule(_ course: Course) -> Schedule {
        Schedule(
            intervals: base.slots.enumerated().map { index, slot in
                var interval = Schedule.Interval(start: slot.start, end: slot.end)
                var net = slot.baseLoadKW - slot.pvKW + course.batteryKW[index]
                for (place, vehicle) in problem.vehicles.enumerated() where course.vehiclesKW[place][index] > 0 {
                    interval.vehiclesKW[vehicle.id] = course.vehiclesKW[place][index]
                    net += course.vehiclesKW[place][index]
                }
                interval.batteryChargeKW = max(0, course.batteryKW[index])
                interval.batteryDischargeKW = max(0, -course.batteryKW[index])
                interval.curtailKW = base.curtailment(slot, netKW: net)
                return interval
            })
    }
}
