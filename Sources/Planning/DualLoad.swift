/// One vehicle of a `DualBound`: what its need costs at least at some prices.
///
/// Its powers may go down to nothing. Where a start costs, its energy has a worth of its own, and the cheapest course of
/// on and off is found interval by interval (dynamic programming); the worth that gives most is sought by halving.
struct DualLoad {
    /// Intervals in which it may draw.
    let spans: [Int]
    /// Most power in each of these, in kilowatts.
    let capsKW: [Double]
    private let vehicle: PlanningProblem.Vehicle
    private let hours: [Double]
    /// Limits that count it, and by what share.
    private let limits: [(place: Int, share: Double)]
    private let startPenalty: Double
    /// The place among `spans` of each interval, or -1.
    private let placeOf: [Int]

    /// - Parameter helpKW: What a battery may give beside the connection.
    init(_ vehicle: PlanningProblem.Vehicle, _ base: PlanningProblem, _ hours: [Double], helpKW: Double) {
        self.vehicle = vehicle
        let spans = base.slots.indices.filter { index in
            let slot = base.slots[index]
            return vehicle.arrival <= slot.start && slot.end <= vehicle.departure
        }
        self.spans = spans
        capsKW = spans.map { index in
            let slot = base.slots[index]
            let grid = base.importLimitKW(of: slot).map { $0 - slot.baseLoadKW + slot.pvKW + helpKW } ?? .infinity
            return vehicle.mostKW(within: min(grid, base.roomKW(for: vehicle.id, in: index)))
        }
        self.hours = spans.map { hours[$0] }
        limits = base.limits.enumerated().compactMap { place, limit in
            let share = limit.shares[vehicle.id] ?? 0
            return share > 0 ? (place, share) : nil
        }
        // A need that is rounding can be met without a start.
        let rounding = Evaluation.tolerance * (1 + hours.reduce(0, +))
        startPenalty = vehicle.minEnergyKWh > rounding ? vehicle.startPenalty : 0
        var placeOf = hours.map { _ in -1 }
        for (place, span) in spans.enumerated() { placeOf[span] = place }
        self.placeOf = placeOf
    }

    /// The least cost, with what it draws added to the slope.
    /// - Parameter order: All intervals, by price.
    func cost(
        _ prices: DualBound.Prices, order: [Int], worth: inout Double, slope: inout DualBound.Prices
    ) -> Double {
        if limits.isEmpty, startPenalty == 0 {
            let places = order.lazy.map { placeOf[$0] }.filter { $0 >= 0 }
            return inOrder(places, { prices.power[spans[$0]] }, &slope)
        }
        var own = spans.map { prices.power[$0] }
        for (place, share) in limits {
            for index in own.indices { own[index] += share * prices.limits[place][spans[index]] }
        }
        guard startPenalty > 0 else {
            return inOrder(own.indices.sorted { own[$0] < own[$1] }, { own[$0] }, &slope)
        }
        return withStarts(own, &worth, &slope)
    }

    private func draw(_ energyKWh: Double, _ place: Int, _ slope: inout DualBound.Prices) {
        slope.power[spans[place]] += energyKWh
        for (limit, share) in limits { slope.limits[limit][spans[place]] += share * energyKWh }
    }

    /// The need in the cheapest intervals.
    private func inOrder(
        _ places: some Sequence<Int>, _ price: (Int) -> Double, _ slope: inout DualBound.Prices
    ) -> Double {
        var taken = 0.0, cost = 0.0
        for place in places where capsKW[place] > 0 {
            let price = price(place)
            let most = price < 0 ? vehicle.maxEnergyKWh : vehicle.minEnergyKWh
            guard taken < most else { break }
            let energy = min(capsKW[place] * hours[place] * vehicle.efficiency, most - taken)
            taken += energy
            cost += energy / vehicle.efficiency * price
            draw(energy / vehicle.efficiency, place, &slope)
        }
        return cost
    }

    // MARK: - Starts

    /// The cheapest course with a worth of the energy.
    private struct Course {
        /// Without what the energy is worth.
        var cost = 0.0
        /// In the car, in kilowatt-hours.
        var energyKWh = 0.0
        /// At the meter, by place.
        var drawnKWh: [Double]
    }

    private func withStarts(_ prices: [Double], _ worth: inout Double, _ slope: inout DualBound.Prices) -> Double {
        var low = worth, high = worth
        var width = 0.01
        var fewer = course(prices, worth: low), more = fewer
        // With more worth more is drawn: a worth that draws too little, and one that draws too much.
        while fewer.energyKWh > need(low), width < 1e4 {
            (high, more) = (low, fewer)
            low -= width
            width *= 2
            fewer = course(prices, worth: low)
        }
        width = 0.01
        while more.energyKWh < need(high), width < 1e4 {
            (low, fewer) = (high, more)
            high += width
            width *= 2
            more = course(prices, worth: high)
        }
        var best = max(value(fewer, low), value(more, high))
        for _ in 0..<12 where high - low > 1e-6 {
            let middle = (low + high) / 2
            let found = course(prices, worth: middle)
            best = max(best, value(found, middle))
            if found.energyKWh < need(middle) { (low, fewer) = (middle, found) } else { (high, more) = (middle, found) }
        }
        worth = (low + high) / 2
        // Between the two courses the need is met.
        let need = need(worth), span = more.energyKWh - fewer.energyKWh
        let share = span > 1e-9 ? min(max((need - fewer.energyKWh) / span, 0), 1) : 0
        for place in spans.indices {
            let energy = fewer.drawnKWh[place] * (1 - share) + more.drawnKWh[place] * share
            if energy != 0 { draw(energy, place, &slope) }
        }
        return best
    }

    private func need(_ worth: Double) -> Double { worth >= 0 ? vehicle.minEnergyKWh : vehicle.maxEnergyKWh }

    private func value(_ course: Course, _ worth: Double) -> Double {
        course.cost + worth * (need(worth) - course.energyKWh)
    }

    private func course(_ prices: [Double], worth: Double) -> Course {
        let least = vehicle.ranges.first?.lowKW ?? 0
        var off = 0.0, on = vehicle.initiallyOn ? 0 : Double.infinity
        var powers = prices
        // Whether the best way to be off, and to be on, was on before.
        var offWasOn = prices.map { _ in false }, onWasOn = offWasOn
        for place in prices.indices {
            let gain = prices[place] - worth * vehicle.efficiency
            powers[place] = gain < 0 ? capsKW[place] : least
            let canDraw = capsKW[place] > 0 && capsKW[place] >= least
            offWasOn[place] = on < off
            onWasOn[place] = on <= off + startPenalty
            let drawing = canDraw ? min(on, off + startPenalty) + gain * powers[place] * hours[place] : .infinity
            off = min(off, on)
            on = drawing
        }
        var course = Course(cost: min(off, on), drawnKWh: prices.map { _ in 0 })
        var isOn = on < off
        for place in prices.indices.reversed() {
            if isOn {
                course.drawnKWh[place] = powers[place] * hours[place]
                course.energyKWh += course.drawnKWh[place] * vehicle.efficiency
            }
            isOn = isOn ? onWasOn[place] : offWasOn[place]
        }
        course.cost += worth * course.energyKWh
        return course
    }
}
