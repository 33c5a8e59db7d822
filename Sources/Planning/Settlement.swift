extension PlanningProblem.Site {
    /// Most power that may be fed in; `nil` is no limit.
    var feedLimitKW: Double? { exportAllowed ? exportLimitKW : 0 }
}

/// What the connection makes of a slot's net load: limits, price, and how much solar production to give up.
extension PlanningProblem {
    /// Currency per kilowatt-hour drawn in a slot, priced carbon included.
    func price(of slot: Slot) -> Double {
        slot.importPrice + carbonPricePerKg * (slot.carbonGPerKWh ?? 0) / 1000
    }

    /// Currency earned per kilowatt-hour fed in.
    func feedPrice(of slot: Slot) -> Double {
        site.exportAllowed ? slot.exportPrice ?? 0 : 0
    }

    /// Most power drawn in a slot; with a tolerated overload of the base load, that much and nothing more.
    func importLimitKW(of slot: Slot) -> Double? {
        site.importLimitKW.map { toleratesOverload ? max($0, slot.baseLoadKW - slot.pvKW) : $0 }
    }

    /// Most power fed in during a slot; with a tolerated overload of a sun that cannot be curtailed, that much.
    func feedLimitKW(of slot: Slot) -> Double? {
        site.feedLimitKW.map {
            toleratesOverload && !site.curtailAllowed ? max($0, slot.pvKW - slot.baseLoadKW) : $0
        }
    }

    /// Whether the base load or the sun by themselves break a limit in some slot.
    var overloadsItself: Bool {
        slots.contains { slot in
            let net = slot.baseLoadKW - slot.pvKW
            return net > site.importLimitKW ?? .infinity
                || !site.curtailAllowed && -net > site.feedLimitKW ?? .infinity
        }
    }

    /// The cheapest curtailment for a net load before it, in kilowatts.
    ///
    /// The cost is a line with one bend, at a net load of zero, so the ends of what is allowed and the bend suffice.
    func curtailment(_ slot: Slot, netKW: Double) -> Double {
        guard site.curtailAllowed, slot.pvKW > 0 else { return 0 }
        let least = min(slot.pvKW, max(0, -netKW - (feedLimitKW(of: slot) ?? .infinity)))
        let most = max(least, min(slot.pvKW, (importLimitKW(of: slot) ?? .infinity) - netKW))
        var best = (power: least, cost: Double.infinity)
        for power in [least, min(max(-netKW, least), most), most] {
            let net = netKW + power
            let cost = net > 0 ? net * price(of: slot) : net * feedPrice(of: slot)
            if cost < best.cost - 1e-12 { best = (power, cost) }
        }
        return best.power
    }

    /// What the power of loads costs beyond the base load: first what would be curtailed, then what would be fed in, then
    /// the grid's.
    func loadSteps(of slot: Slot) -> [PriceStep] {
        let surplus = slot.pvKW - slot.baseLoadKW
        let grid = PriceStep(upToKW: .infinity, price: PlanUnits.micro(price(of: slot)))
        guard surplus > 0 else { return [grid] }
        var steps: [PriceStep] = []
        let fed = min(surplus, feedLimitKW(of: slot) ?? .infinity)
        if surplus > fed { steps.append(PriceStep(upToKW: surplus - fed, price: 0)) }
        let feedPrice = feedPrice(of: slot)
        let forgone = site.curtailAllowed ? max(0, feedPrice) : feedPrice
        if fed > 0 { steps.append(PriceStep(upToKW: surplus, price: PlanUnits.micro(forgone))) }
        return steps + [grid]
    }

    /// Whether products of prices and energies stay far from the ends of 64-bit integers.
    var hasModestFigures: Bool {
        let price = slots.reduce(0.0) {
            max($0, self.price(of: $1).magnitude, feedPrice(of: $1).magnitude)
        }
        let hours = Double((slots.last?.end ?? 0) - (slots.first?.start ?? 0)) / 3600
        let energy = vehicles.reduce(0.0) {
            $0 + max($1.maxEnergyKWh / $1.efficiency, ($1.ranges.last?.highKW ?? 0) * hours)
        }
        return price * PlanUnits.microPerUnit * energy * PlanUnits.joulesPerKWh < 4e18
    }
}
