package import Foundation

extension ImportedRatePlan {
    /// Reads a tariff of OpenEI's utility rate database: 12 × 24 schedules of local hours, and tiers by the month's energy.
    ///
    /// A price is rate plus adjustment. Demand charges, minimum charges and tiers by anything but monthly kWh are named in `leftOut`.
    /// - Parameter index: which tariff of the answer.
    /// - Throws: `PayloadError`.
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
        var layouts = Array(repeating: MonthHourLayout(), count: structure.count)
        for month in 0..<12 {
            for hour in 0..<24 {
                layouts[workdays[month][hour]].insert(month: month + 1, isWeekend: false, hour: hour)
                layouts[weekends[month][hour]].insert(month: month + 1, isWeekend: true, hour: hour)
            }
        }
        let periods = zip(layouts, structure).enumerated().flatMap { number, pair in
            pair.0.periods(name: "period \(number)", tiers: pair.1.map(\.planTier))
        }
        self.init(
            plan: RatePlan(currency: "USD", periods: periods, fixedPerMonth: tariff.fixedPerMonth),
            name: tariff.name ?? "", validFrom: tariff.start.map { Date(timeIntervalSince1970: $0) },
            validTo: tariff.end.map { Date(timeIntervalSince1970: $0) }, leftOut: tariff.leftOut)
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

private struct URDBAnswer: Decodable {
    let items: [URDBTariff]
}

private struct URDBTariff: Decodable {
    struct Tier: Decodable {
        let rate: Double?
        let adj: Double?
        let max: Double?
        let unit: String?
        let sell: Double?

        var planTier: RatePlan.Tier { RatePlan.Tier(upToKWh: max, price: (rate ?? 0) + (adj ?? 0)) }
    }

    struct Anything: Decodable {}

    let name: String?
    let start: Double?
    let end: Double?
    let fixedMonthly: Double?
    let fixedFirstMeter: Double?
    let fixedUnits: String?
    let structure: [[Tier]]?
    let workdays: [[Int]]?
    let weekends: [[Int]]?
    let demand: [Anything]?
    let flatDemand: [Anything]?
    let minimum: Double?

    private enum CodingKeys: String, CodingKey {
        case name
        case start = "startdate"
        case end = "enddate"
        case fixedMonthly = "fixedmonthlycharge"
        case fixedFirstMeter = "fixedchargefirstmeter"
        case fixedUnits = "fixedchargeunits"
        case structure = "energyratestructure"
        case workdays = "energyweekdayschedule"
        case weekends = "energyweekendschedule"
        case demand = "demandratestructure"
        case flatDemand = "flatdemandstructure"
        case minimum = "minmonthlycharge"
    }

    var fixedPerMonth: Double? {
        guard let first = fixedFirstMeter else { return fixedMonthly }
        switch fixedUnits {
        case "$/day": return first * 365.25 / 12
        case "$/year": return first / 12
        default: return first
        }
    }

    var leftOut: [String] {
        var parts: [String] = []
        if demand != nil { parts.append("demandratestructure: charges per kW of peak demand, not per kWh") }
        if flatDemand != nil { parts.append("flatdemandstructure: charges per kW of peak demand, not per kWh") }
        if let minimum, minimum > 0 { parts.append("minmonthlycharge: a least bill of \(minimum) a month") }
        let tiers = (structure ?? []).joined()
        if tiers.contains(where: { $0.sell != nil }) {
            parts.append("sell: a price for feeding in that differs by period")
        }
        let units = Set(tiers.compactMap(\.unit)).subtracting(["kWh"]).sorted()
        if !units.isEmpty {
            parts.append("energyratestructure: tiers by \(units.joined(separator: ", ")), read as kWh a month")
        }
        return parts
    }
}
