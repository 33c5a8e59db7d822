/// A cost below which no schedule is, for every problem, and at once.
///
/// With any price for each interval and any worth of the stored energy, an interval's cost is at least that of a line
/// with this slope below it, each vehicle costs at least what its need costs at these prices in its cheapest intervals,
/// and the battery earns at most what it does where each interval decides by itself (Lagrange duality). That holds
/// whatever is convex or not; good prices make it a high bound. Least powers, gaps between ranges and what vehicles
/// leave each other of a limit do not count, of start costs one for each vehicle.
///
/// ## Complexity
/// O(n log n) to sort the intervals, and O(n) for each vehicle.
struct DualBound {
    /// One slot for each interval; without vehicles and battery.
    private let base: PlanningProblem
    private let vehicles: [PlanningProblem.Vehicle]
    private let battery: PlanningProblem.Battery?
    private let hours: [Double]
    /// Most power of each vehicle, by interval.
    private let capsKW: [[Double]]
    /// Net powers before curtailment at which an interval's cost may bend, and the cost of an hour there; ascending.
    private let bends: [[(netKW: Double, cost: Double)]]

    /// Prepares the bound; `nil` where an interval allows no net power at all.
    init?(_ problem: PlanningProblem, base: PlanningProblem) {
        self.base = base
        vehicles = problem.vehicles
        battery = problem.battery
        hours = base.slots.map { Double($0.end - $0.start) / 3600 }
        let spans = base.slots.indices.map {
            GridInterval(start: base.slots[$0].start, end: base.slots[$0].end, slot: $0)
        }
        capsKW = problem.vehicles.map { vehicle in
            spans.map { span in
                guard vehicle.isPresent(in: span) else { return 0 }
                return min(vehicle.ranges.last?.highKW ?? 0, base.roomKW(for: vehicle.id, in: span.slot))
            }
        }
        var bends: [[(netKW: Double, cost: Double)]] = []
        for (index, slot) in base.slots.enumerated() {
            let reach = capsKW.reduce(0) { $0 + $1[index] }
            let points = Self.bends(base, slot, reachKW: reach, problem.battery)
            guard !points.isEmpty else { return nil }
            bends.append(points)
        }
        self.bends = bends
    }

    private static func bends(
        _ base: PlanningProblem, _ slot: PlanningProblem.Slot, reachKW: Double, _ battery: PlanningProblem.Battery?
    ) -> [(netKW: Double, cost: Double)] {
        let own = slot.baseLoadKW - slot.pvKW
        let sun = base.site.curtailAllowed ? slot.pvKW : 0
        let feedLimit = base.feedLimitKW(of: slot) ?? .infinity, limit = base.importLimitKW(of: slot) ?? .infinity
        let low = max(own - (battery?.maxDischargeKW ?? 0), -feedLimit - sun)
        let high = min(own + reachKW + (battery?.maxChargeKW ?? 0), limit)
        guard low <= high + Evaluation.tolerance else { return [] }
        let inner = [-feedLimit, -sun, 0, limit - sun].filter { low < $0 && $0 < high }
        return Set([low, max(low, high)] + inner).sorted().map { net in
            let settled = net + base.curtailment(slot, netKW: net)
            return (net, settled > 0 ? settled * base.price(of: slot) : settled * base.feedPrice(of: slot))
        }
    }

    /// The slope of a line that lies below an interval's cost and is as high as one can be at a net power.
    func slope(_ index: Int, netKW: Double) -> Double {
        let points = bends[index]
        guard let first = points.first, let last = points.last, last.netKW > first.netKW else {
            return base.price(of: base.slots[index])
        }
        let net = min(max(netKW, first.netKW), last.netKW)
        var best = (cost: Double.infinity, slope: 0.0)
        for left in points where left.netKW < last.netKW && left.netKW <= net {
            for right in points where right.netKW > left.netKW && right.netKW >= net {
                let slope = (right.cost - left.cost) / (right.netKW - left.netKW)
                let cost = left.cost + slope * (net - left.netKW)
                if cost < best.cost - 1e-12 { best = (cost, slope) }
            }
        }
        return best.slope
    }

    /// The bound that prices give.
    /// - Parameters:
    ///   - prices: One for each interval, in currency for each kilowatt-hour at the meter.
    ///   - values: What another stored kilowatt-hour is worth after each interval.
    func cost(prices: [Double], values: [Double]) -> Double {
        var bound = 0.0
        for (index, slot) in base.slots.enumerated() {
            let own = slot.baseLoadKW - slot.pvKW
            let least = bends[index].map { $0.cost - prices[index] * ($0.netKW - own) }.min() ?? 0
            bound += hours[index] * least
        }
        let order = prices.indices.sorted { prices[$0] < prices[$1] }
        for place in vehicles.indices { bound += vehicleCost(place, prices, order) }
        return bound + batteryCost(prices, values)
    }

    /// What a vehicle's need costs in its cheapest intervals.
    private func vehicleCost(_ place: Int, _ prices: [Double], _ order: [Int]) -> Double {
        let vehicle = vehicles[place]
        var taken = 0.0, cost = 0.0
        for index in order where capsKW[place][index] > 0 {
            let most = prices[index] < 0 ? vehicle.maxEnergyKWh : vehicle.minEnergyKWh
            guard taken < most else { break }
            let energy = min(capsKW[place][index] * hours[index] * vehicle.efficiency, most - taken)
            taken += energy
            cost += energy / vehicle.efficiency * prices[index]
        }
        // Whoever needs more than rounding, and is off, starts once.
        let rounding = Evaluation.tolerance * (1 + hours.reduce(0, +))
        return vehicle.initiallyOn || vehicle.minEnergyKWh <= rounding ? cost : cost + vehicle.startPenalty
    }

    /// What the battery costs at least where each interval buys and sells stored energy for what it is worth after it.
    private func batteryCost(_ prices: [Double], _ values: [Double]) -> Double {
        guard let battery, let first = values.first, let last = values.last else { return 0 }
        var cost = -first * battery.initialKWh
        for index in prices.indices {
            let charge = battery.maxChargeKW * (prices[index] - values[index] * battery.chargeEfficiency)
            let discharge =
                battery.maxDischargeKW
                * (battery.wearPerKWh - prices[index] + values[index] / battery.dischargeEfficiency)
            cost += hours[index] * min(0, charge, discharge)
        }
        for (now, next) in zip(values, values.dropFirst()) {
            cost += min((now - next) * battery.minKWh, (now - next) * battery.capacityKWh)
        }
        return cost + min(last * max(battery.minKWh, battery.finalKWh), last * battery.capacityKWh)
    }
}
