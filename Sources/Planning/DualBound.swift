/// A cost below which no schedule is, for every problem, and at once.
///
/// With any price for each interval and each circuit, an interval's cost is at least that of a line with this slope below
/// it, and each vehicle and the battery cost at least what they do by themselves at these prices (Lagrange duality). That
/// holds whatever is convex or not; good prices make it a high bound, and `highest(from:upTo:until:)` looks for them.
/// Least powers and gaps between ranges do not count.
///
/// ## Complexity
/// O(n log n) to sort the intervals, O(n) for each vehicle, O(n log n) for one on a circuit, and that of `BatteryCourse`.
struct DualBound {
    /// What the bound depends on, and what each of it would gain.
    struct Prices {
        /// One for each interval, in currency for each kilowatt-hour at the meter.
        var power: [Double]
        /// What more a kilowatt-hour costs under each shared limit in each interval, not below 0.
        var limits: [[Double]]
    }

    /// One slot for each interval; without vehicles and battery.
    let base: PlanningProblem
    let loads: [DualLoad]
    private let battery: PlanningProblem.Battery?
    private let hours: [Double]
    /// Net powers before curtailment at which an interval's cost may bend, and the cost of an hour there; ascending.
    private let bends: [[(netKW: Double, cost: Double)]]

    /// Prepares the bound; `nil` where an interval allows no net power at all.
    init?(_ problem: PlanningProblem, base: PlanningProblem) {
        self.base = base
        battery = problem.battery
        let hours = base.slots.map { Double($0.end - $0.start) / 3600 }
        self.hours = hours
        let help = problem.battery?.maxDischargeKW ?? 0
        let loads = problem.vehicles.map { DualLoad($0, base, hours, helpKW: help) }
        self.loads = loads
        var reach = hours.map { _ in 0.0 }
        for load in loads {
            for (place, span) in load.spans.enumerated() { reach[span] += load.capsKW[place] }
        }
        var bends: [[(netKW: Double, cost: Double)]] = []
        for (index, slot) in base.slots.enumerated() {
            let points = Self.bends(base, slot, reachKW: reach[index], problem.battery)
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

    /// Prices that no limit adds to.
    func prices(power: [Double]) -> Prices {
        let nothing = power.map { _ in 0.0 }
        return Prices(power: power.map { max($0, leastPrice) }, limits: base.limits.map { _ in nothing })
    }

    var hasBattery: Bool { battery != nil }

    /// Below this price a battery would be paid for charging and discharging at once, and its course is not exact.
    var leastPrice: Double {
        guard let battery else { return -.infinity }
        let lost = 1 / battery.chargeEfficiency - battery.dischargeEfficiency
        return lost > 1e-9 ? -battery.wearPerKWh * battery.dischargeEfficiency / lost : -.infinity
    }

    /// The bound that prices give.
    /// - Parameters:
    ///   - prices: The prices.
    ///   - worths: What each vehicle's energy was worth the last time, where a start of it costs; kept for the next time.
    ///   - slope: How much of what each price stands for is missing, in kilowatt-hours: what the bound gains with it.
    func cost(_ prices: Prices, worths: inout [Double], slope: inout Prices) -> Double {
        var bound = 0.0
        for index in hours.indices {
            let slot = base.slots[index]
            let own = slot.baseLoadKW - slot.pvKW
            var least = (cost: Double.infinity, netKW: own)
            for bend in bends[index] {
                let cost = bend.cost - prices.power[index] * (bend.netKW - own)
                if cost < least.cost { least = (cost, bend.netKW) }
            }
            bound += hours[index] * least.cost
            slope.power[index] = -hours[index] * (least.netKW - own)
        }
        for (place, limit) in base.limits.enumerated() {
            for index in hours.indices {
                let room = hours[index] * max(0, limit.limitKW[index])
                bound -= room * prices.limits[place][index]
                slope.limits[place][index] = -room
            }
        }
        let order = prices.power.indices.sorted { prices.power[$0] < prices.power[$1] }
        for place in loads.indices {
            bound += loads[place].cost(prices, order: order, worth: &worths[place], slope: &slope)
        }
        return bound + batteryCost(prices, &slope)
    }

    /// What the battery costs at these prices.
    private func batteryCost(_ prices: Prices, _ slope: inout Prices) -> Double {
        guard let battery else { return 0 }
        var lines = base
        lines.site = PlanningProblem.Site(exportAllowed: true)
        lines.carbonPricePerKg = 0
        for (index, price) in prices.power.enumerated() {
            let slot = base.slots[index]
            lines.slots[index] = PlanningProblem.Slot(
                start: slot.start, end: slot.end, importPrice: price, exportPrice: price)
        }
        guard let course = BatteryCourse(lines, battery, besideKW: hours.map { _ in 0 }), course.isExact else {
            return -.infinity
        }
        var cost = 0.0
        for (index, power) in course.powersKW.enumerated() {
            cost += hours[index] * (power * prices.power[index] + max(0, -power) * battery.wearPerKWh)
            slope.power[index] += hours[index] * power
        }
        return cost
    }
}
