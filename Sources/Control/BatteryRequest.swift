import EnergyKit
import Foundation
import HubKit
import Planning

/// Everything a battery's plan is made from; turns guidance into priced slots and the planner's answer into a plan for
/// people.
struct BatteryRequest {
    var inputs: TickInputs
    var guidance: ElectricityGuidance
    /// Its charge in percent.
    var stateOfCharge: Double
    var battery: BatteryConfiguration
    var chargers: ChargersBeside
    /// What the house draws where no forecast tells, in watts.
    var usualWatts: Double

    /// The plan: an interval with power charges with it, one with 0 W keeps the charge, between them the battery follows
    /// the house.
    func plan() -> DevicePlan {
        let slots = slots
        let wording = PlanWording(
            timeZone: inputs.venue.timeZone, currencyCode: inputs.venue.currency ?? "", now: inputs.now)
        guard !slots.isEmpty else { return made([], nil, "follows the house by itself, because no price is known") }
        let capabilities = inputs.device.capabilities.battery
        let planned = BatteryPlanner.plan(
            BatteryTask(
                slots: slots, battery: store, importLimitKW: inputs.venue.connection.map { $0.importWatts / 1000 },
                chargesFromGrid: battery.chargesFromGrid && capabilities?.charge == true,
                canHold: capabilities?.hold == true))
        let intervals = planned.intervals.map { interval -> DevicePlan.Interval in
            var watts = 0.0
            if case .charge(let power) = interval.action { watts = power * 1000 }
            return DevicePlan.Interval(start: interval.start, end: interval.end, powerWatts: watts)
        }
        return made(intervals, planned, PlanExplanation.sentence(planned, wording))
    }

    private func made(_ intervals: [DevicePlan.Interval], _ planned: BatteryPlan?, _ reason: String) -> DevicePlan {
        DevicePlan(
            deviceID: inputs.device.configuration.id, venueID: inputs.venue.id, computedAt: inputs.now,
            token: guidance.guidanceToken, intervals: intervals,
            energyWattHours: planned == nil
                ? nil
                : intervals.reduce(0.0) {
                    $0 + ($1.powerWatts ?? 0) * $1.end.timeIntervalSince($1.start) / 3600
                }, reason: reason)
    }

    private var store: PlanningProblem.Battery {
        let capacity = battery.capacityWattHours / 1000, least = capacity * battery.minimumStateOfCharge / 100
        let held = capacity * min(max(stateOfCharge, 0), 100) / 100
        // What is below its least is not there to be given.
        return PlanningProblem.Battery(
            capacityKWh: capacity, minKWh: min(least, held), initialKWh: held, finalKWh: min(least, held),
            maxChargeKW: battery.chargeWatts / 1000, maxDischargeKW: battery.dischargeWatts / 1000,
            chargeEfficiency: battery.efficiency.squareRoot(), dischargeEfficiency: battery.efficiency.squareRoot(),
            wearPerKWh: battery.wearPerKWh)
    }

    /// From now to where the first price is missing.
    private var slots: [BatteryTask.Slot] {
        let now = Date(timeIntervalSince1970: inputs.now.timeIntervalSince1970.rounded(.down))
        var edges = Set(chargers.intervals.flatMap { [$0.start, $0.end] })
        edges.formUnion((inputs.surplus?.slots ?? []).flatMap { [$0.start, $0.end] })
        var slots: [BatteryTask.Slot] = []
        for value in guidance.values where value.interval.end > now {
            guard let price = value.pricePerKWh, value.interval.start <= slots.last?.end ?? now else { break }
            let money = price + inputs.carbonPricePerKg * (value.gramsCO2PerKWh ?? 0) / 1000
            let start = max(now, value.interval.start)
            let cuts = edges.filter { start < $0 && $0 < value.interval.end }.sorted()
            let all = [start] + cuts + [value.interval.end]
            for (from, to) in zip(all, all.dropFirst()) where to > from {
                slots.append(
                    BatteryTask.Slot(
                        start: from, end: to, importPrice: money, feedPrice: inputs.surplus?.feedInPerKWh ?? 0,
                        netKW: netWatts(from) / 1000))
            }
        }
        return slots
    }

    private func netWatts(_ moment: Date) -> Double {
        let house = inputs.surplus?.slot(at: moment)?.netWatts ?? usualWatts
        return chargers.intervals.filter { $0.start <= moment && moment < $0.end }.reduce(house) {
            $0 + ($1.powerWatts ?? 0)
        }
    }
}

extension ExpectedSurplus {
    /// What is left of the expectation beside a battery that follows the house: it takes the sun first, and gives what the
    /// house needs.
    /// - Parameters:
    ///   - stateOfCharge: its charge now, in percent.
    ///   - now: the present moment.
    func beside(_ battery: BatteryConfiguration, stateOfCharge: Double, at now: Date) -> ExpectedSurplus {
        let efficiency = battery.efficiency.squareRoot()
        let least = battery.capacityWattHours * battery.minimumStateOfCharge / 100
        var held = battery.capacityWattHours * min(max(stateOfCharge, 0), 100) / 100
        var left = self
        for (index, slot) in slots.enumerated() where slot.end > now {
            let hours = slot.end.timeIntervalSince(max(slot.start, now)) / 3600
            guard hours > 0 else { continue }
            if slot.netWatts < 0 {
                let room = max(0, battery.capacityWattHours - held) / efficiency / hours
                let taken = min(-slot.netWatts, battery.chargeWatts, room)
                held += taken * efficiency * hours
                left.slots[index].netWatts += taken
                left.slots[index].watts = max(0, slot.watts - taken)
            } else {
                let there = max(0, held - least) * efficiency / hours
                let given = min(slot.netWatts, battery.dischargeWatts, there)
                held -= given / efficiency * hours
                left.slots[index].netWatts -= given
            }
        }
        return left
    }
}
