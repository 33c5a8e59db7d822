import Foundation

/// One sentence of reason for people, from a plan's facts.
package enum PlanExplanation {
    /// Why a load charges when it does: "charging 01:15–04:30 because those are the cheapest hours before 07:00;
    /// 2.10 € instead of 3.40 € if started now".
    package static func sentence(_ plan: ChargingPlan, _ wording: PlanWording) -> String {
        let deadline = wording.time(plan.facts.deadline)
        let spans = joinedSpans(plan.intervals)
        guard !spans.isEmpty else { return nothingPlanned(plan, deadline, wording) }
        var text = "charging \(wording.spans(spans))\(reason(plan, deadline))"
        if let saving = saving(plan, wording) { text += "; \(saving)" }
        if plan.unmetEnergyKWh > 0 {
            text += "; \(wording.fixed(plan.unmetEnergyKWh, 1)) kWh will still be missing at \(deadline)"
        }
        return text
    }

    /// Why a device is reduced when it is: "reducing heating 17:00–19:00, the worst-rated time; the room stays at
    /// 20.1 °C or above".
    package static func sentence(_ plan: ReductionPlan, _ wording: PlanWording) -> String {
        let device = plan.facts.purpose == .heating ? "heating" : "cooling"
        let reduced = plan.intervals.filter { $0.kind == .reduce }
        let boosts = plan.intervals.filter { $0.kind == .boost }
        let storing = boosts.isEmpty ? nil : "storing ahead \(wording.spans(boosts.map { ($0.start, $0.end) }))"
        guard !reduced.isEmpty else {
            return storing.map { "\($0) by \(device), which is better rated than what follows" }
                ?? "\(device) runs as usual: \(limit(plan.facts, wording))"
        }
        var text = "reducing \(device) \(wording.spans(reduced.map { ($0.start, $0.end) })), the worst-rated time"
        if let storing { text += ", and \(storing)" }
        if let extreme = plan.facts.predictedExtremeCelsius {
            let side = plan.facts.purpose == .heating ? "above" : "below"
            text += "; the room stays at \(wording.fixed(extreme, 1)) °C or \(side)"
        } else {
            text += "; kept short because the room's temperature cannot be predicted"
        }
        return text
    }

    /// Why a home battery does not just follow the house: "charging 02:00–04:00 at 0.18 € and keeping the charge
    /// 04:00–06:00 for hours of up to 0.41 €; 0.55 € less than by itself".
    package static func sentence(_ plan: BatteryPlan, _ wording: PlanWording) -> String {
        func spans(_ isMeant: (BatteryPlan.Action) -> Bool) -> [(start: Date, end: Date)] {
            joinedSpans(
                plan.intervals.filter { isMeant($0.action) }.map {
                    PlannedInterval(start: $0.start, end: $0.end, powerKW: 0)
                })
        }
        guard !plan.intervals.isEmpty else {
            return "follows the house: until \(wording.time(plan.end)) nothing else would save more than it costs"
        }
        let charges = spans { $0 != .hold }, holds = spans { $0 == .hold }
        var parts: [String] = []
        if !charges.isEmpty {
            let price = plan.chargingPrice.map { " at \(wording.money($0)) per kWh" } ?? ""
            parts.append("charging \(wording.spans(charges))\(price)")
        }
        if !holds.isEmpty { parts.append("keeping the charge \(wording.spans(holds))") }
        let use = plan.highestPrice.map { " for hours of up to \(wording.money($0)) per kWh" } ?? ""
        let saving = wording.money(plan.costFollowing - plan.cost)
        return "\(parts.joined(separator: " and "))\(use); \(saving) less than if it only followed the house"
    }

    private static func joinedSpans(_ intervals: [PlannedInterval]) -> [(start: Date, end: Date)] {
        var spans: [(start: Date, end: Date)] = []
        for interval in intervals {
            if let last = spans.last, last.end == interval.start {
                spans[spans.count - 1].end = interval.end
            } else {
                spans.append((interval.start, interval.end))
            }
        }
        return spans
    }

    private static func nothingPlanned(_ plan: ChargingPlan, _ deadline: String, _ wording: PlanWording) -> String {
        guard plan.unmetEnergyKWh > 0 else { return "nothing needs to be charged before \(deadline)" }
        return "not charging: nothing can be drawn before \(deadline); "
            + "\(wording.fixed(plan.unmetEnergyKWh, 1)) kWh will be missing"
    }

    private static func reason(_ plan: ChargingPlan, _ deadline: String) -> String {
        let facts = plan.facts
        if facts.usesEverySlot, plan.unmetEnergyKWh > 0 { return " without a pause because \(deadline) is too soon" }
        if facts.usesEverySlot { return " because all the time before \(deadline) is needed" }
        if facts.isFlat {
            return facts.tieBreak == .latest
                ? " because every price before \(deadline) is the same and later is kinder to the battery"
                : " because every price before \(deadline) is the same and earlier is safer"
        }
        if let price = facts.highestPricePaid, price < 0 { return " because using power is paid for then" }
        if facts.surplusEnergyKWh * 2 >= plan.energyKWh { return " because the sun gives more than the house uses" }
        return " because those are the cheapest hours before \(deadline)"
    }

    private static func saving(_ plan: ChargingPlan, _ wording: PlanWording) -> String? {
        guard let immediate = plan.facts.costIfStartedNow else { return nil }
        guard immediate - plan.cost >= 0.005 else { return "\(wording.money(plan.cost))" }
        return "\(wording.money(plan.cost)) instead of \(wording.money(immediate)) if started now"
    }

    private static func limit(_ facts: ReductionPlan.Facts, _ wording: PlanWording) -> String {
        switch facts.limit {
        case .ratings: "no time is rated worse than \(wording.fixed(facts.ratingThreshold, 2))"
        case .budget: "the day's reductions are used up"
        case .comfort: "the room would leave its comfort band"
        case .unknownTemperature: "the room's temperature is unknown and a short reduction was made already"
        case .nothingToReduce: "it would hardly run anyway"
        }
    }
}
