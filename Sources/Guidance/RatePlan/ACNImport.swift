package import Foundation

extension ImportedRatePlan {
    /// Reads a tariff schedule in the form of ACN's charging research: seasons, sorts of day, and the hours at which a price begins.
    ///
    /// A season must run from the first of a month to the end of one; its end is inclusive and it may run over the turn of the year.
    /// - Throws: `PayloadError`.
    package init(acnSchedule bytes: Data) throws(PayloadError) {
        let tariff: ACNTariff
        do {
            tariff = try decodeJSON(ACNTariff.self, bytes)
        } catch {
            throw .malformed(jsonReason(error))
        }
        var periods: [RatePlan.Period] = []
        for block in tariff.schedule { periods += try block.periods() }
        let demand = tariff.schedule.contains { ($0.demandCharge ?? 0) > 0 }
        self.init(
            plan: RatePlan(currency: "USD", periods: periods), name: tariff.name ?? "",
            validFrom: tariff.effective.flatMap(Self.day), validTo: nil,
            leftOut: demand ? ["demand_charge: charges per kW of peak demand, not per kWh"] : [])
    }

    /// `2019-3-1`, which need not be padded.
    private static func day(_ text: String) -> Date? {
        let parts = text.split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, let day = CivilDay(year: parts[0], month: parts[1], day: parts[2]) else { return nil }
        return Date(timeIntervalSince1970: Double(day.daysSince1970) * 86_400)
    }
}

private struct ACNTariff: Decodable {
    struct Block: Decodable {
        let id: String?
        let from: String
        let to: String
        let days: String?
        let times: [Double]
        let tariffs: [Double]
        let demandCharge: Double?

        private enum CodingKeys: String, CodingKey {
            case id, times, tariffs
            case from = "effective_start"
            case to = "effective_end"
            case days = "dow_mask"
            case demandCharge = "demand_charge"
        }
    }

    let name: String?
    let effective: String?
    let schedule: [Block]
}

extension ACNTariff.Block {
    func periods() throws(PayloadError) -> [RatePlan.Period] {
        let minutes = times.map { Int(($0 * 60).rounded()) }
        let isAscending = zip(minutes, minutes.dropFirst()).allSatisfy { $0 < $1 }
        guard minutes.first == 0, isAscending, minutes.allSatisfy({ $0 < 1440 }), tariffs.count == times.count else {
            throw .malformed("'\(id ?? "?")' does not have one price for each time from 0 up")
        }
        let months = try months()
        let weekdays = try weekdays()
        return zip(zip(minutes, minutes.dropFirst() + [1440]), tariffs).map { hours, price in
            RatePlan.Period(
                name: id ?? "", price: price, months: months, weekdays: weekdays,
                hours: ClockRange(startMinute: hours.0, endMinute: hours.1).map { [$0] })
        }
    }

    private func months() throws(PayloadError) -> Set<Int>? {
        let first = from.split(separator: "-").compactMap { Int($0) }
        let last = to.split(separator: "-").compactMap { Int($0) }
        guard first.count == 2, last.count == 2, (1...12).contains(first[0]), (1...12).contains(last[0]), first[1] == 1,
            [CivilDay.length(ofMonth: last[0], year: 2023), CivilDay.length(ofMonth: last[0], year: 2024)].contains(
                last[1])
        else { throw .malformed("the season \(from) to \(to) is not made of whole months") }
        let months = first[0] <= last[0] ? Set(first[0]...last[0]) : Set(first[0]...12).union(1...last[0])
        return months.count == 12 ? nil : months
    }

    private func weekdays() throws(PayloadError) -> Set<Int>? {
        switch days?.uppercased() {
        case "WEEKDAYS": return [1, 2, 3, 4, 5]
        case "WEEKENDS": return [6, 7]
        case nil, "ALL": return nil
        case let other?: throw .malformed("the days '\(other)' are not known")
        }
    }
}
