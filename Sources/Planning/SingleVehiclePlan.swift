/// One vehicle at a connection without a battery: solved in the order of price, without a general solver.
struct SingleVehiclePlan {
    let problem: PlanningProblem
    let vehicle: PlanningProblem.Vehicle
    let grid: [GridInterval]

    /// `nil` where the problem is not of this kind: several vehicles, a battery, a price of starting, a slot in which
    /// curtailing to draw more would pay, an overload that the vehicle may cure, or figures too large for integers.
    init?(_ problem: PlanningProblem) {
        guard problem.battery == nil, problem.appliance == nil, problem.vehicles.count == 1,
            let vehicle = problem.vehicles.first, vehicle.startPenalty == 0,
            vehicle.ranges.count <= ChargingTask.mostRanges
        else { return nil }
        self.problem = problem
        self.vehicle = vehicle
        grid = problem.grid()
        let curtailsToDraw = problem.slots.contains { slot in
            problem.site.curtailAllowed && slot.pvKW > 0 && problem.price(of: slot) < 0
        }
        let mayCureOverload = problem.overloadsItself && !problem.toleratesOverload
        guard !curtailsToDraw, !mayCureOverload, hasModestFigures else { return nil }
    }

    /// Products of prices and energies stay far from the ends of 64-bit integers.
    private var hasModestFigures: Bool {
        let price = problem.slots.reduce(0.0) {
            max($0, problem.price(of: $1).magnitude, problem.feedPrice(of: $1).magnitude)
        }
        let hours = grid.reduce(0.0) { $0 + $1.hours }
        let energy = max(vehicle.maxEnergyKWh / vehicle.efficiency, (vehicle.ranges.last?.highKW ?? 0) * hours)
        return price * PlanUnits.microPerUnit * energy * PlanUnits.joulesPerKWh < 4e18
    }

    /// The cheapest schedule and how far its cost may be from the least, in currency.
    /// - Parameter caseLimit: How many cases around the order of price may be looked at.
    func solve(caseLimit: Int = 20_000) -> (schedule: Schedule, gap: Double?) {
        let present = grid.indices.filter { vehicle.arrival <= grid[$0].start && grid[$0].end <= vehicle.departure }
        let book = book(present)
        let joules = PlanUnits.joulesPerKWh / vehicle.efficiency
        let least = Int64((vehicle.minEnergyKWh * joules).rounded())
        let most = max(least, Int64((vehicle.maxEnergyKWh * joules).rounded()))
        let answer = MeritOrder.cheapest(book, least: least, most: most, caseLimit: caseLimit)
        var powers = Array(repeating: 0.0, count: grid.count)
        for (place, index) in present.enumerated() where answer.energies[place] > 0 {
            powers[index] = book.powerKW(place, energy: answer.energies[place])
        }
        let gap = answer.bound == .min ? nil : PlanUnits.currency(answer.cost - answer.bound)
        return (schedule(powers), answer.isExact ? 0 : gap)
    }

    private func schedule(_ powers: [Double]) -> Schedule {
        Schedule(
            intervals: grid.enumerated().map { index, span in
                let slot = problem.slots[span.slot]
                return Schedule.Interval(
                    start: span.start, end: span.end, vehiclesKW: powers[index] > 0 ? [vehicle.id: powers[index]] : [:],
                    curtailKW: problem.curtailment(slot, netKW: slot.baseLoadKW - slot.pvKW + powers[index]))
            })
    }

    private func book(_ present: [Int]) -> LoadBook {
        var book = LoadBook()
        book.reserve(present.count)
        for (place, index) in present.enumerated() {
            let slot = problem.slots[grid[index].slot]
            let net = slot.baseLoadKW - slot.pvKW
            let room = problem.importLimitKW(of: slot).map { max(0, $0 - net) } ?? .infinity
            book.append(
                seconds: grid[index].seconds, ranges: vehicle.ranges, capKW: room, prices: steps(slot),
                secondary: Int64((slot.carbonGPerKWh ?? 0).rounded()), rank: present.count - place)
        }
        return book
    }

    /// What the vehicle's power costs: first what would be curtailed, then what would be fed in, then the grid's.
    private func steps(_ slot: PlanningProblem.Slot) -> [PriceStep] {
        let surplus = slot.pvKW - slot.baseLoadKW
        let grid = PriceStep(upToKW: .infinity, price: PlanUnits.micro(problem.price(of: slot)))
        guard surplus > 0 else { return [grid] }
        var steps: [PriceStep] = []
        let fed = min(surplus, problem.feedLimitKW(of: slot) ?? .infinity)
        if surplus > fed { steps.append(PriceStep(upToKW: surplus - fed, price: 0)) }
        let feedPrice = problem.feedPrice(of: slot)
        let forgone = problem.site.curtailAllowed ? max(0, feedPrice) : feedPrice
        if fed > 0 { steps.append(PriceStep(upToKW: surplus, price: PlanUnits.micro(forgone))) }
        return steps + [grid]
    }
}
