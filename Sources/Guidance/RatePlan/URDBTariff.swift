import Foundation

/// What the database answers with.
struct URDBAnswer: Decodable {
    let items: [URDBTariff]
}

/// One tariff as the database has it.
struct URDBTariff: Decodable {
    struct Tier: Decodable {
        let rate: Double?
        let adj: Double?
        let max: Double?
        let unit: String?
        let sell: Double?

        /// Whether its limit is of a day's energy.
        var isDaily: Bool { unit?.lowercased() == "kwh daily" }
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
        if tiers.contains(where: { $0.isDaily && $0.max != nil }) {
            parts.append(
                "energyratestructure: tiers by the day's kWh; their limits are those of a month, of 30.4375 days")
        }
        return parts
    }
}

extension URDBTariff {
    /// 365.25 days in 12 months.
    private static let daysAMonth = 365.25 / 12

    /// The tiers of a period as a plan has them: by the month's kWh, ascending.
    /// - Parameter place: the period's place in the answer, for the error.
    /// - Throws: `PayloadError` with the place of what can't be said so.
    static func planTiers(_ tiers: [Tier], _ place: String) throws(PayloadError) -> [RatePlan.Tier] {
        guard !tiers.isEmpty else { throw .tariff(place, "it holds no price", "choose a tariff with energy rates") }
        var found: [RatePlan.Tier] = []
        for (index, tier) in tiers.enumerated() {
            let place = "\(place)[\(index)]"
            guard let rate = tier.rate else {
                throw .tariff(
                    "\(place).rate", "it is missing or null, which is not 0", "look the price up with the utility")
            }
            if tiers.count > 1 || tier.max != nil, let unit = tier.unit, unit.lowercased() != "kwh", !tier.isDaily {
                throw .tariff(
                    "\(place).unit", "a tier by '\(unit)' can't be said by a plan", "choose a tariff with tiers by kWh")
            }
            let limit = tier.max.map { tier.isDaily ? $0 * daysAMonth : $0 }
            if limit == nil, index < tiers.count - 1 {
                throw .tariff("\(place).max", "it is missing", "only the last tier may be without a limit")
            }
            if let limit, limit <= found.last?.upToKWh ?? 0 {
                throw .tariff("\(place).max", "it is not above the tier before", "put tiers in ascending order")
            }
            found.append(RatePlan.Tier(upToKWh: limit, price: rate + (tier.adj ?? 0)))
        }
        return found
    }
}

extension PayloadError {
    /// A tariff that can't be a plan, at a place in it.
    fileprivate static func tariff(_ place: String, _ what: String, _ remedy: String) -> PayloadError {
        PayloadError(.notASeries, "\(place): \(what)", remedy: remedy)
    }
}
