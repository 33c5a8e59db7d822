package import Foundation

extension ImportedRatePlan {
    /// Reads a tariff of OpenEI's utility rate database: 12 × 24 schedules of local hours, and tiers by the month's energy.
    ///
    /// A price is rate plus adjustment. Tiers by the day's energy are turned into such by the month's. Demand charges and minimum charges are
    /// named in `leftOut`.
    /// - Parameter index: which tariff of the answer.
    /// - Throws: `PayloadError`, with the place, for a tariff that a plan can't express: prices that are not there, tiers by kilowatts of demand
    ///   or out of order.
    package init(urdb bytes: Data, index: Int = 0) throws(PayloadError) {
        let items: [URDBTariff]
        do {
            items = try decodeJSON(URDBAnswer.self, bytes).items
        } catch {
            throw .malformed(jsonReason(error))
        }
        guard items.indices.contains(index) else { throw .nothing("the answer holds no tariff \(index)") }
        let tariff = items[index]
        guard let structure = tariff.structure, let workdays = tariff.workdays, let weekends = tariff.weekends else {
            throw PayloadError(
                .notASeries, "the tariff has no energy charge", remedy: "choose a tariff with energy rates")
        }
        try Self.check(workdays, structure.count, "energyweekdayschedule")
        try Self.check(weekends, structure.count, "energyweekendschedule")
        let periods = try Self.periods(structure, workdays, weekends)
        let plan = RatePlan(currency: "USD", periods: periods, fixedPerMonth: tariff.fixedPerMonth)
        // What is printed can stand in a configuration as it is.
        if let fault = plan.faults().first(where: { !$0.isDoubt }) {
            throw PayloadError(.notASeries, "the plan's \(fault.key): \(fault.what)", remedy: fault.remedy)
        }
        self.init(
            plan: plan, name: tariff.name ?? "", validFrom: tariff.start.flatMap(Self.moment),
            validTo: tariff.end.flatMap(Self.moment), leftOut: tariff.leftOut)
    }

    /// The periods that the schedules name; those of the same price are one.
    private static func periods(
        _ structure: [[URDBTariff.Tier]], _ workdays: [[Int]], _ weekends: [[Int]]
    ) throws(PayloadError) -> [RatePlan.Period] {
        var found: [(name: String, tiers: [RatePlan.Tier], layout: MonthHourLayout)] = []
        var places: [Int: Int] = [:]
        for number in Set((workdays + weekends).joined()).sorted() {
            let tiers = try URDBTariff.planTiers(structure[number], "energyratestructure[\(number)]")
            let place = found.firstIndex { $0.tiers == tiers } ?? found.count
            if place == found.count { found.append(("period \(number)", tiers, MonthHourLayout())) }
            places[number] = place
        }
        for month in 0..<12 {
            for (schedule, isWeekend) in [(workdays, false), (weekends, true)] {
                for (hour, number) in schedule[month].enumerated() {
                    guard let place = places[number] else { continue }
                    found[place].layout.insert(month: month + 1, isWeekend: isWeekend, hour: hour)
                }
            }
        }
        return found.flatMap { $0.layout.periods(name: $0.name, tiers: $0.tiers) }
    }

    private static func moment(_ seconds: Double) -> Date? {
        let moment = Date(timeIntervalSince1970: seconds)
        return EnergySeries.believableTimes.contains(moment) ? moment : nil
    }

    private static func check(_ schedule: [[Int]], _ periods: Int, _ name: String) throws(PayloadError) {
        guard schedule.count == 12, schedule.allSatisfy({ $0.count == 24 }) else {
            throw .malformed("\(name) is not 12 months of 24 hours")
        }
        guard schedule.joined().allSatisfy({ (0..<periods).contains($0) }) else {
            throw .malformed("\(name) names a period that energyratestructure does not have")
        }
    }
}
