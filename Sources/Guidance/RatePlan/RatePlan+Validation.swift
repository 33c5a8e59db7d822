import Foundation

extension RatePlan {
    /// What is wrong with one value of a plan, and how to mend it.
    package struct Fault: Sendable, Equatable {
        /// The way from the plan to the value, such as `periods[0].hours`; empty for the plan as a whole.
        package let key: String
        /// What is wrong.
        package let what: String
        /// How to mend it.
        package let remedy: String
        /// Whether the plan can be used all the same, though it is hard to believe.
        package var isDoubt = false

        init(_ key: String, _ what: String, _ remedy: String, isDoubt: Bool = false) {
            self.key = key
            self.what = what
            self.remedy = remedy
            self.isDoubt = isDoubt
        }
    }

    /// Everything that is wrong with the plan, each with the path to it and the remedy; empty when it can be used.
    ///
    /// - Parameter path: the path of the plan itself in the configuration.
    package func validate(path: String = "rate_plan") -> [String] {
        faults().filter { !$0.isDoubt }.map { fault in
            "\(path)\(fault.key.isEmpty ? "" : ".\(fault.key)"): \(fault.what); \(fault.remedy)"
        }
    }

    /// Everything that is wrong or odd with the plan.
    /// - Parameter currency: the venue's, where the plan names none: what a price may be depends on it.
    package func faults(currency venue: String? = nil) -> [Fault] {
        let prices = PriceRange(currency: currency ?? venue)
        var faults: [Fault] = []
        if self == RatePlan() {
            faults.append(Fault("", "the plan says nothing", "give it a price, such as {flat: 0.30}"))
        }
        faults += prices.faults([("flat", flat), ("add_per_kwh", composition.addPerKWh), ("feed_in", feedInPerKWh)])
        if let fixedPerMonth, !(0...1_000_000).contains(fixedPerMonth) {
            faults.append(Fault("fixed_per_month", "not from 0 to 1000000", "give what a month costs without any use"))
        }
        if !(composition.factor.isFinite && composition.factor > 0) {
            faults.append(Fault("factor", "not above zero", "give 1.19 for a tax of 19 %"))
        } else if composition.factor > 10 {
            faults.append(Fault("factor", "the prices are multiplied with more than 10", "give 1.19 for a tax of 19 %"))
        }
        if let currency, currency.count != 3 || !currency.allSatisfy({ $0.isASCII && $0.isLetter }) {
            faults.append(
                Fault("currency", "'\(currency.prefix(40))' is no currency code", "give three letters such as EUR"))
        }
        for (index, holiday) in holidays.enumerated() where !Self.isDay(holiday) {
            faults.append(
                Fault(
                    "holidays[\(index)]", "'\(holiday.prefix(40))' is no day",
                    "give 2026-12-25, or 12-25 for every year"))
        }
        return faults + periodFaults(prices, isSound: faults.isEmpty)
    }

    private func periodFaults(_ prices: PriceRange, isSound: Bool) -> [Fault] {
        guard periods.count <= Self.mostPeriods else {
            return [Fault("periods", "there are \(periods.count) of them", "give at most \(Self.mostPeriods)")]
        }
        let faults = periods.enumerated().flatMap { $1.faults("periods[\($0)]", prices) }
        guard flat == nil, !periods.isEmpty, isSound, faults.allSatisfy(\.isDoubt), let hole = firstUncoveredTime()
        else { return faults }
        return faults + [Fault("periods", "no period holds on \(hole)", "add one, or a flat price for the rest")]
    }

    /// Room for any tariff by month, sort of day and hour: 12 × 2 × 24.
    private static let mostPeriods = 600

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
    fileprivate func faults(_ path: String, _ prices: PriceRange) -> [RatePlan.Fault] {
        var faults: [RatePlan.Fault] = []
        if tiers.isEmpty { faults.append(.init(path, "no price", "give price, or tiers")) }
        for (index, tier) in tiers.enumerated() {
            let isAlone = tiers.count == 1 && tier.upToKWh == nil
            faults += prices.faults([(isAlone ? "\(path).price" : "\(path).tiers[\(index)].price", tier.price)])
            let before = index == 0 ? 0 : tiers[index - 1].upToKWh ?? .infinity
            let key = "\(path).tiers[\(index)].up_to_kwh"
            if let limit = tier.upToKWh, !(limit > before) {
                faults.append(.init(key, "not above the tier before", "put tiers in ascending order"))
            }
            if tier.upToKWh == nil, index < tiers.count - 1 {
                faults.append(.init(key, "up_to_kwh is missing", "only the last tier may be without a limit"))
            }
        }
        for (name, set, limit) in [("months", months, 12), ("weekdays", weekdays, 7)] {
            guard let set else { continue }
            if set.isEmpty {
                faults.append(.init("\(path).\(name)", "empty, it never holds", "leave it out for all"))
            }
            if !set.allSatisfy({ (1...limit).contains($0) }) {
                faults.append(.init("\(path).\(name)", "outside 1…\(limit)", "count from 1"))
            }
        }
        if let hours, hours.isEmpty {
            faults.append(.init("\(path).hours", "empty, it never holds", "leave it out for all day"))
        }
        return faults
    }
}
