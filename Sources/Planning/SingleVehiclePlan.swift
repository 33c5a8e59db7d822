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
        guard !curtailsToDraw, !mayCureOverload, problem.hasModestFigures else { return nil }
    }

    /// The cheapest schedule and how far its cost may be from the least, in currency.
    /// - Parameter caseLimit: How many cases around the order of price may be looked at.
    func solve(caseLimit: Int = 20_000) -> (schedule: Schedule, gap: Double?) {
        let present = grid.indices.filter { vehicle.isPresent(in: grid[$0]) }
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
            let shared = problem.roomKW(for: vehicle.id, in: grid[index].slot)
            book.append(
                seconds: grid[index].seconds, ranges: vehicle.ranges, capKW: min(room, shared),
                prices: problem.loadSteps(of: slot),
                secondary: Int64((slot.carbonGPerKWh ?? 0).rounded()), rank: present.count - place)
        }
        return book
    }
}
