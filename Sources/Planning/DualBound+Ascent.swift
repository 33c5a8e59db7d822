extension DualBound {
    /// The highest bound found by going where it rises.
    ///
    /// Steps along a supergradient, as long as the distance to a known cost asks for (Polyak), bent away from where the
    /// last ones came from (Camerini, Fratta and Maffioli), and halved where nothing is gained for a while.
    /// - Parameters:
    ///   - start: Where the search begins.
    ///   - cost: What a known schedule costs.
    ///   - end: When the search ends; some steps are made all the same, more where they are short.
    func highest(from start: Prices, upTo cost: Double, until end: ContinuousClock.Instant) -> Double {
        var prices = start, slope = start, direction = start.scaled(by: 0)
        var worths = firstWorths(start)
        var best = (bound: self.cost(prices, worths: &worths, slope: &slope), prices: prices)
        var value = best.bound
        var length = 1.0, idle = 0
        let leastSteps = min(100, 200_000 / (base.slots.count * stepWeight))
        for step in 0..<Self.mostSteps {
            guard cost - best.bound > Self.enough * max(1, cost.magnitude) else { break }
            if step >= leastSteps, ContinuousClock.now >= end { break }
            let before = direction.dot(direction)
            let bend = before > 0 ? max(0, -1.5 * slope.dot(direction) / before) : 0
            direction = slope.adding(direction, times: bend)
            let size = direction.dot(direction)
            guard size > 1e-12 else { break }
            prices = prices.adding(direction, times: length * (cost - value) / size)
            prices.keepAbove(leastPrice)
            value = self.cost(prices, worths: &worths, slope: &slope)
            if value > best.bound {
                if value > best.bound + 1e-4 * (cost - best.bound) { idle = 0 }
                best = (value, prices)
            }
            idle += 1
            guard idle > 8 else { continue }
            idle = 0
            length /= 2
            guard length > 1e-3 else { break }
            prices = best.prices
            direction = start.scaled(by: 0)
            value = self.cost(prices, worths: &worths, slope: &slope)
        }
        return best.bound
    }

    /// How much work a step is for each interval: a battery's course is as much as that of many vehicles.
    private var stepWeight: Int { loads.count + 1 + (hasBattery ? 20 : 0) }

    /// What each vehicle's energy is taken to be worth at first.
    func firstWorths(_ prices: Prices) -> [Double] {
        loads.map { load in load.spans.map { prices.power[$0] }.max() ?? 0 }
    }

    private static let mostSteps = 5000
    /// A relative gap that is not worth more search.
    private static let enough = 1e-5
}

extension DualBound.Prices {
    fileprivate func scaled(by factor: Double) -> Self {
        Self(
            power: power.map { $0 * factor }, limits: limits.map { $0.map { $0 * factor } })
    }

    fileprivate func adding(_ other: Self, times factor: Double) -> Self {
        var sum = self
        for index in power.indices { sum.power[index] += other.power[index] * factor }
        for place in limits.indices {
            for index in limits[place].indices { sum.limits[place][index] += other.limits[place][index] * factor }
        }
        return sum
    }

    fileprivate func dot(_ other: Self) -> Double {
        func product(_ one: [Double], _ other: [Double]) -> Double {
            var sum = 0.0
            for index in one.indices { sum += one[index] * other[index] }
            return sum
        }
        return product(power, other.power)
            + zip(limits, other.limits).reduce(0) { $0 + product($1.0, $1.1) }
    }

    /// Limits take nothing off a price, and no price falls below the least one.
    fileprivate mutating func keepAbove(_ least: Double) {
        for index in power.indices where power[index] < least { power[index] = least }
        for place in limits.indices {
            for index in limits[place].indices where limits[place][index] < 0 { limits[place][index] = 0 }
        }
    }
}
