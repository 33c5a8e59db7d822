package import Foundation

/// A rate plan read from a public tariff file, with what the plan's form cannot express.
package struct ImportedRatePlan: Sendable, Equatable {
    /// The plan.
    package let plan: RatePlan
    /// The tariff's name.
    package let name: String
    /// From when it holds, nil when the file does not say.
    package let validFrom: Date?
    /// Until when it holds, nil when the file does not say.
    package let validTo: Date?
    /// Parts of the tariff that were left out, each with its reason.
    package let leftOut: [String]
}

/// The hours of each month and sort of day at which something holds, brought into as few periods as possible.
struct MonthHourLayout {
    /// For each sort of day (workdays, weekend) and month 1…12, the hours 0…23.
    private var hours: [[Set<Int>]] = Array(repeating: Array(repeating: [], count: 13), count: 2)

    private static let days: [Set<Int>] = [[1, 2, 3, 4, 5], [6, 7]]

    mutating func insert(month: Int, isWeekend: Bool, hour: Int) { hours[isWeekend ? 1 : 0][month].insert(hour) }

    /// Periods with the given tiers: months of the same hours together, and both sorts of day together where they agree.
    func periods(name: String, tiers: [RatePlan.Tier]) -> [RatePlan.Period] {
        let isSameAllWeek = hours[0] == hours[1]
        return (isSameAllWeek ? [0] : [0, 1]).flatMap { sort -> [RatePlan.Period] in
            let months = Dictionary(grouping: 1...12) { hours[sort][$0] }.filter { !$0.key.isEmpty }
            return months.sorted { $0.value[0] < $1.value[0] }.map { hours, months in
                RatePlan.Period(
                    name: name, tiers: tiers, months: months.count == 12 ? nil : Set(months),
                    weekdays: isSameAllWeek ? nil : Self.days[sort], hours: Self.ranges(hours))
            }
        }
    }

    /// Nil for the whole day.
    private static func ranges(_ hours: Set<Int>) -> [ClockRange]? {
        guard hours.count < 24 else { return nil }
        var ranges: [ClockRange] = []
        var hour = 0
        while hour < 24 {
            guard hours.contains(hour) else {
                hour += 1
                continue
            }
            let end = (hour..<24).first { !hours.contains($0) } ?? 24
            if let range = ClockRange(startMinute: hour * 60, endMinute: end * 60) { ranges.append(range) }
            hour = end
        }
        return ranges
    }
}
