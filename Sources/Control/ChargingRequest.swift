import EnergyKit
import Foundation
import HubKit
import Planning

/// Everything a charging plan is made from; turns guidance into priced slots and the planner's answer into a plan for
/// people.
struct ChargingRequest {
    var guidance: ElectricityGuidance
    var venue: Venue
    var deviceID: DeviceID
    var now: Date
    var readyBy: Date
    var missingWattHours: Double
    var power: ChargerPower
    var running: [PlannedInterval]
    var carbonPricePerKg: Double

    /// The cheapest plan; cleaner hours win among equally cheap ones, later ones among those.
    func plan() -> DevicePlan {
        let need = missingWattHours / 1000
        do {
            let whole = try plan(slots, need: need, most: need)
            guard whole.unmetEnergyKWh > 0.001 else { return devicePlan(whole) }
            // The least power over a whole slot may be more than what is missing: then part of a slot is enough.
            let fine = try plan(
                cut(slots), need: need, most: need + power.minimumWatts / 1000 * ChargingRequest.pieceSeconds / 3600)
            return devicePlan(fine.unmetEnergyKWh < whole.unmetEnergyKWh ? fine : whole)
        } catch {
            return DevicePlan(
                deviceID: deviceID, venueID: venue.id, computedAt: now, token: guidance.guidanceToken, intervals: [],
                unmetWattHours: missingWattHours, reason: "no plan could be made: \(error)")
        }
    }

    /// Seconds of the pieces that slots are cut into where whole ones do not fit.
    private static let pieceSeconds = 300.0

    private func cut(_ slots: [PricedSlot]) -> [PricedSlot] {
        slots.flatMap { slot in
            stride(from: slot.start, to: slot.end, by: ChargingRequest.pieceSeconds).map { begin in
                var piece = slot
                piece.start = begin
                piece.end = min(slot.end, begin.addingTimeInterval(ChargingRequest.pieceSeconds))
                return piece
            }
        }
    }

    private func plan(_ slots: [PricedSlot], need: Double, most: Double) throws -> ChargingPlan {
        let task = ChargingTask(
            slots: slots, now: wholeSecond, deadline: readyBy, minEnergyKWh: need, maxEnergyKWh: most,
            ranges: [PowerRange(power.minimumWatts / 1000, power.maximumWatts / 1000)], tieBreak: .latest,
            runningPlan: running, switchingThreshold: 0.001)
        return try ChargingPlanner.plan(task)
    }

    /// The planner counts whole seconds and would begin at the next one: charging that runs would then stop for it.
    private var wholeSecond: Date { Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down)) }

    private var hasPrices: Bool { guidance.values.contains { $0.pricePerKWh != nil } }

    private var slots: [PricedSlot] {
        let hasPrices = hasPrices
        return guidance.values.compactMap { value in
            let grams = value.gramsCO2PerKWh
            // A slot without a price is unknown, not free (field case G-14).
            if hasPrices, value.pricePerKWh == nil { return nil }
            let carbonMoney = carbonPricePerKg * (grams ?? 0) / 1000
            return PricedSlot(
                start: value.interval.start, end: value.interval.end,
                importPriceMicro: PlanUnits.micro((value.pricePerKWh ?? 0) + carbonMoney),
                secondary: Int64((grams ?? value.rating * 1000).rounded()))
        }
    }

    private func devicePlan(_ plan: ChargingPlan) -> DevicePlan {
        let intervals = plan.intervals.map {
            DevicePlan.Interval(start: $0.start, end: $0.end, powerWatts: $0.powerKW * 1000)
        }
        let totals = totals(intervals)
        return DevicePlan(
            deviceID: deviceID, venueID: venue.id, computedAt: now, token: guidance.guidanceToken, intervals: intervals,
            energyWattHours: plan.energyKWh * 1000, cost: totals.cost, gramsCO2: totals.grams,
            unmetWattHours: plan.unmetEnergyKWh * 1000, reason: sentence(plan))
    }

    /// Money and carbon of a plan from the guidance's own values; absent where a part of it is not known.
    private func totals(_ intervals: [DevicePlan.Interval]) -> (cost: Double?, grams: Double?) {
        var cost: Double? = 0
        var grams: Double? = 0
        for interval in intervals {
            for value in guidance.values {
                let from = max(interval.start, value.interval.start)
                let to = min(interval.end, value.interval.end)
                guard to > from else { continue }
                let energy = (interval.powerWatts ?? 0) / 1000 * to.timeIntervalSince(from) / 3600
                cost = cost.flatMap { sum in value.pricePerKWh.map { sum + $0 * energy } }
                grams = grams.flatMap { sum in value.gramsCO2PerKWh.map { sum + $0 * energy } }
            }
        }
        return (cost, grams)
    }

    private func sentence(_ plan: ChargingPlan) -> String {
        let wording = PlanWording(timeZone: venue.timeZone, currencyCode: venue.currency ?? "", now: now)
        let sentence = PlanExplanation.sentence(plan, wording)
        guard !hasPrices else { return sentence }
        // Without prices every hour costs the same to the planner, and carbon decided.
        let spans = sentence.range(of: " because").map { String(sentence[..<$0.lowerBound]) }
        return spans.map { "\($0) because those are the cleanest hours" } ?? sentence
    }
}
