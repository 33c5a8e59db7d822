import Foundation

extension RatePlan {
    /// Everything that is wrong with the plan, each with the path to it and the remedy; empty when it can be used.
    ///
    /// - Parameter path: the path of the plan itself in the configuration.
    package func validate(path: String = "rate_plan") -> [String] {
        var faults: [String] = []
        if let flat, !flat.isFinite { faults.append("\(path).flat: not a finite number; give a price per kWh") }
        if !composition.addPerKWh.isFinite {
            faults.append("\(path).add_per_kwh: not a finite number; give a price per kWh")
        }
        if !(composition.factor.isFinite && composition.factor > 0) {
            faults.append("\(path).factor: not above zero; give 1.19 for a tax of 19 %")
        }
        if let currency, currency.count != 3 || !currency.allSatisfy({ $0.isASCII && $0.isLetter }) {
            faults.append("\(path).currency: '\(currency)' is no currency code; give three letters such as EUR")
        }
        for (index, holiday) in holidays.enumerated() where !Self.isDay(holiday) {
            faults.append(
                "\(path).holidays[\(index)]: '\(holiday)' is no day; give 2026-12-25, or 12-25 for every year")
        }
        for (index, period) in periods.enumerated() {
            faults += period.validate(path: "\(path).periods[\(index)]")
        }
        if flat == nil, !periods.isEmpty, faults.isEmpty, let hole = firstUncoveredTime() {
            faults.append("\(path).periods: no period holds on \(hole); add one, or a flat price for the rest")
        }
        return faults
    }

    /// The first stretch of the year that no period covers, in words.
    private func firstUncoveredTime() -> String? {
        for month in 1...12 {
            for weekday in 1...7 {
                for minutes in edges(month: month, weekday: weekday)
                where period(month: month, weekday: weekday, minute: minutes.lowerBound) == nil {
                    let day = CyclicNames.weekdays.names[weekday - 1].capitalized
                    let clock = "\(ClockRange.text(minutes.lowerBound))-\(ClockRange.text(minutes.upperBound))"
                    return "\(day)s in \(CyclicNames.months.names[month - 1].capitalized), \(clock)"
                }
            }
        }
        return nil
    }

    private static func isDay(_ text: String) -> Bool {
        guard text.count == 10 || text.count == 5 else { return false }
        // 2024 is a leap year, so that 02-29 may be named.
        return InstantText(text.count == 5 ? "2024-\(text)" : text) != nil
    }
}

extension RatePlan.Period {
    fileprivate func validate(path: String) -> [String] {
        var faults: [String] = []
        if tiers.isEmpty { faults.append("\(path): no price; give price, or tiers") }
        if tiers.contains(where: { !$0.price.isFinite }) {
            faults.append("\(path): a price is not a finite number; give a price per kWh")
        }
        for (index, tier) in tiers.enumerated() {
            let before = index == 0 ? 0 : tiers[index - 1].upToKWh ?? .infinity
            if let limit = tier.upToKWh, limit <= before {
                faults.append(
                    "\(path).tiers[\(index)].up_to_kwh: not above the tier before; put tiers in ascending order")
            }
            if tier.upToKWh == nil, index < tiers.count - 1 {
                faults.append("\(path).tiers[\(index)].up_to_kwh: missing; only the last tier may be without a limit")
            }
        }
        for (name, set, limit) in [("months", months, 12), ("weekdays", weekdays, 7)] {
            guard let set else { continue }
            if set.isEmpty { faults.append("\(path).\(name): empty, it never holds; leave it out for all") }
            if !set.allSatisfy({ (1...limit).contains($0) }) {
                faults.append("\(path).\(name): outside 1…\(limit); count from 1")
            }
        }
        if let hours, hours.isEmpty { faults.append("\(path).hours: empty, it never holds; leave it out for all day") }
        return faults
    }
}
