import Foundation
import Planning

/// Says a plan in one sentence, in the venue's own time and currency.
struct PlanWording {
    private let calendar: Calendar
    private let now: Date
    private let currency: String?

    init(zone: TimeZone, currency: String?, now: Date) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        self.calendar = calendar
        self.now = now
        self.currency = currency
    }

    /// A moment: the time alone while it is within a day.
    func time(_ date: Date) -> String {
        let parts = calendar.dateComponents([.hour, .minute, .weekday], from: date)
        let clock = String(format: "%02d:%02d", parts.hour ?? 0, parts.minute ?? 0)
        guard abs(date.timeIntervalSince(now)) >= 20 * 3600, let weekday = parts.weekday else { return clock }
        return ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][weekday - 1] + " " + clock
    }

    /// An amount of money.
    func money(_ value: Double) -> String {
        let symbols = ["EUR": "€", "GBP": "£", "USD": "$"]
        let unit = currency.map { symbols[$0] ?? $0 } ?? ""
        return String(format: "%.2f", value) + (unit.isEmpty ? "" : " \(unit)")
    }

    /// A charging plan.
    func charging(
        _ plan: ChargingPlan, cost: Double?, hasPrices: Bool, readyBy: Date, carbonPricePerKg: Double
    ) -> String {
        guard let first = plan.intervals.first, let last = plan.intervals.last else {
            return plan.unmetEnergyKWh > 0
                ? "nothing can be charged before \(time(readyBy)): no known hour is left"
                : "nothing needs to be charged before \(time(readyBy))"
        }
        var text = "charging \(time(first.start))–\(time(last.end))"
        if plan.intervals.count > 1 {
            let pieces = plan.intervals.prefix(3).map { "\(time($0.start))–\(time($0.end))" }.joined(separator: ", ")
            text = "charging \(pieces)" + (plan.intervals.count > 3 ? " and \(plan.intervals.count - 3) more times" : "")
        }
        if plan.unmetEnergyKWh > 0.001 {
            return text + String(format: "; %.1f kWh can't be had before ", plan.unmetEnergyKWh) + time(readyBy)
        }
        if plan.facts.usesEverySlot { return text + ", because every hour before \(time(readyBy)) is needed" }
        let measure = !hasPrices ? "cleanest" : carbonPricePerKg > 0 ? "cheapest and cleanest" : "cheapest"
        text += plan.facts.isFlat && hasPrices
            ? ", because all hours before \(time(readyBy)) cost the same and these are cleaner or later"
            : ", because those are the \(measure) hours before \(time(readyBy))"
        if hasPrices, carbonPricePerKg == 0, let cost, let now = plan.facts.costIfStartedNow, now > cost + 0.005 {
            text += "; \(money(cost)) instead of \(money(now)) if started now"
        }
        return text
    }
}
