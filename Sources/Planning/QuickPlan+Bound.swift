extension QuickPlan {
    /// A cost below which no schedule is; `nil` where the limits can't be kept.
    ///
    /// The highest of three bounds counts. One holds always: `DualBound`. Without a battery, each load costs at least what
    /// it would by itself with the whole connection. And where drawing never costs less than feeding in earns, an
    /// interval's cost is convex: the line that touches it at a course lies below it everywhere, and along these lines
    /// every load and the battery have each a cheapest course of their own (duality of convex programs).
    func bound(_ course: Course) -> Double? {
        let always = dual(course)?.bound
        guard problem.slots.allSatisfy({ problem.feedPrice(of: $0) <= problem.price(of: $0) }), !isGivenUp else {
            return always
        }
        return [always, problem.battery == nil ? boundApart() : nil, boundAlongLines(course)].compactMap(\.self).max()
    }

    /// A cost below which no schedule is, from the prices that a schedule tells and better ones, sought for some time.
    /// - Parameters:
    ///   - cost: What the schedule costs.
    ///   - end: When the search for better prices ends.
    func bound(_ schedule: Schedule, cost: Double, until end: ContinuousClock.Instant) -> Double? {
        let nothing = base.slots.map { _ in 0.0 }
        var course = Course(vehiclesKW: problem.vehicles.map { _ in nothing }, batteryKW: nothing, values: nothing)
        guard schedule.intervals.count == nothing.count else { return nil }
        for (index, interval) in schedule.intervals.enumerated() {
            for (place, vehicle) in problem.vehicles.enumerated() {
                course.vehiclesKW[place][index] = interval.vehiclesKW[vehicle.id] ?? 0
            }
            course.batteryKW[index] = interval.batteryChargeKW - interval.batteryDischargeKW
        }
        // What the stored energy is worth only the best course beside the vehicles tells.
        _ = settle(&course)
        guard let found = dual(course) else { return nil }
        return max(found.bound, found.dual.highest(from: found.prices, upTo: cost, until: end))
    }

    /// What gives the bound that holds always, with the prices that a course tells.
    private func dual(_ course: Course) -> (dual: DualBound, prices: DualBound.Prices, bound: Double)? {
        guard let dual = DualBound(problem, base: base) else { return nil }
        let power = base.slots.enumerated().map { index, slot in
            let net = course.vehiclesKW.reduce(slot.baseLoadKW - slot.pvKW + course.batteryKW[index]) { $0 + $1[index] }
            let isConvex =
                base.feedPrice(of: slot) <= base.price(of: slot)
                && (base.price(of: slot) >= 0 || slot.pvKW == 0 || !base.site.curtailAllowed)
            return isConvex
                ? slope(slot, net, course.batteryKW[index], course.values[index]) : dual.slope(index, netKW: net)
        }
        let prices = dual.prices(power: power)
        var worths = dual.firstWorths(prices), missing = prices
        return (dual, prices, dual.cost(prices, worths: &worths, slope: &missing))
    }

    private func boundApart() -> Double? {
        let nothing = base.slots.map { _ in 0.0 }
        let idle = base.evaluate(
            schedule(Course(vehiclesKW: problem.vehicles.map { _ in nothing }, batteryKW: nothing, values: nothing)))
        var tolerant = base
        tolerant.toleratesOverload = true
        var bound = idle.cost
        for vehicle in problem.vehicles {
            guard !isGivenUp, let cost = leastCost(of: vehicle, in: tolerant) else { return nil }
            bound += cost - idle.cost
        }
        return bound
    }

    private func boundAlongLines(_ course: Course) -> Double? {
        var lines = base
        lines.site = PlanningProblem.Site(exportAllowed: true)
        lines.carbonPricePerKg = 0
        var bound = 0.0
        for (index, slot) in base.slots.enumerated() {
            // A price of no sign's own: paid for drawing, with sun to give up, the cost is not convex.
            guard base.price(of: slot) >= 0 || slot.pvKW == 0 || !base.site.curtailAllowed else { return nil }
            let hours = Double(slot.end - slot.start) / 3600
            let own = slot.baseLoadKW - slot.pvKW
            let net = course.vehiclesKW.reduce(own + course.batteryKW[index]) { $0 + $1[index] }
            let price = slope(slot, net, course.batteryKW[index], course.values[index])
            bound += hours * (cost(slot, net) - price * (net - own))
            lines.slots[index].importPrice = price
            lines.slots[index].exportPrice = price
            lines.slots[index].baseLoadKW = 0
            lines.slots[index].pvKW = 0
            lines.slots[index].carbonGPerKWh = nil
        }
        guard let loads = loadsBound(lines), let store = batteryBound(lines) else { return nil }
        return bound + loads + store
    }

    private func loadsBound(_ lines: PlanningProblem) -> Double? {
        var bound = 0.0
        for vehicle in problem.vehicles {
            guard !isGivenUp, let cost = leastCost(of: vehicle, in: lines) else { return nil }
            // Prices are rounded to micro-units in the order of price.
            bound += cost - 1e-6 * vehicle.maxEnergyKWh / vehicle.efficiency
        }
        return bound
    }

    /// A cost below which a load by itself does not come, without its start costs; `nil` where nothing is known.
    private func leastCost(of vehicle: PlanningProblem.Vehicle, in problem: PlanningProblem) -> Double? {
        guard let alone = single(vehicle, in: problem), let gap = alone.gap else { return nil }
        var judged = problem
        judged.vehicles = [vehicle]
        judged.vehicles[0].startPenalty = 0
        judged.limits = []
        let evaluation = judged.evaluate(alone.schedule)
        return evaluation.unmetEnergyKWh.isEmpty ? evaluation.cost - gap : nil
    }

    private func batteryBound(_ lines: PlanningProblem) -> Double? {
        guard let battery = problem.battery else { return 0 }
        guard let best = BatteryCourse(lines, battery, besideKW: lines.slots.map { _ in 0 }), best.isExact else {
            return nil
        }
        return zip(lines.slots, best.powersKW).reduce(0.0) { sum, part in
            let (slot, power) = part
            let wear = max(0, -power) * battery.wearPerKWh
            return sum + Double(slot.end - slot.start) / 3600 * (power * slot.importPrice + wear)
        }
    }

    /// What a net power costs in an hour, with the best curtailment.
    private func cost(_ slot: PlanningProblem.Slot, _ net: Double) -> Double {
        let settled = net + base.curtailment(slot, netKW: net)
        return settled > 0 ? settled * base.price(of: slot) : settled * base.feedPrice(of: slot)
    }

    /// The slope of a line that touches an interval's cost at a net power.
    private func slope(_ slot: PlanningProblem.Slot, _ net: Double, _ battery: Double, _ value: Double) -> Double {
        let price = base.price(of: slot)
        let curtails = base.site.curtailAllowed && slot.pvKW > 0
        let feedPrice = curtails ? max(0, base.feedPrice(of: slot)) : base.feedPrice(of: slot)
        guard let store = problem.battery else {
            if net > 1e-6 { return price }
            return net < -1e-6 ? (base.curtailment(slot, netKW: net) > 1e-6 && curtails ? 0 : feedPrice) : price
        }
        // At a bend, and at a limit, there are many such lines; what the battery's energy is worth chooses.
        let worth =
            battery < 0
            ? value / store.dischargeEfficiency + store.wearPerKWh
            : battery > 0 ? value * store.chargeEfficiency : value
        if let limit = base.importLimitKW(of: slot), net > limit - 1e-5 { return max(price, worth) }
        if net > 1e-6 { return price }
        if !curtails, let limit = base.feedLimitKW(of: slot), -net > limit - 1e-5 { return min(feedPrice, worth) }
        if net < -1e-6 { return base.curtailment(slot, netKW: net) > 1e-6 && curtails ? 0 : feedPrice }
        return min(max(worth, min(feedPrice, price)), price)
    }
}
