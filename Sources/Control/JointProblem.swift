import EnergyKit
import Foundation
import HubKit
import Planning

/// The planner's problem for several chargers, and the way back from its answer to a plan for each.
struct JointProblem {
    let joint: JointCharging
    let problem: PlanningProblem
    private let deadlines: [Date]

    /// States the problem.
    /// - Parameter withMargin: whether each plan ends a little earlier than asked.
    init(_ joint: JointCharging, withMargin: Bool) {
        self.joint = joint
        deadlines = joint.members.map { $0.deadline(withMargin: withMargin, isShared: true) }
        let slots = Self.slots(joint, deadlines)
        var limits = joint.sharedLimits.map { limit in
            PlanningProblem.SharedLimit(
                id: limit.id,
                limitKW: slots.map { slot in
                    limit.watts(
                        beside: (slot.baseLoadKW - slot.pvKW) * 1000,
                        at: Date(timeIntervalSince1970: Double(slot.start))) / 1000
                },
                shares: Dictionary(
                    uniqueKeysWithValues: joint.members.map { ($0.deviceID.rawValue, limit.share($0)) }))
        }
        // Where the price is not known nothing is planned.
        if slots.contains(where: { $0.importPrice.isNaN }) {
            limits.append(
                PlanningProblem.SharedLimit(
                    id: "unknown prices", limitKW: slots.map { $0.importPrice.isNaN ? 0 : 1e5 },
                    shares: Dictionary(uniqueKeysWithValues: joint.members.map { ($0.deviceID.rawValue, 1) })))
        }
        problem = PlanningProblem(
            slots: slots.map { slot in
                var slot = slot
                if slot.importPrice.isNaN { slot.importPrice = 0 }
                return slot
            },
            vehicles: zip(joint.members, deadlines).map { Self.vehicle($0, by: $1) },
            site: PlanningProblem.Site(exportAllowed: true), limits: limits)
    }

    private static func vehicle(_ member: ChargingRequest, by deadline: Date) -> PlanningProblem.Vehicle {
        let most = member.power.maximumWatts / 1000, need = member.missingWattHours / 1000
        return PlanningProblem.Vehicle(
            id: member.deviceID.rawValue, arrival: Int(member.wholeSecond.timeIntervalSince1970),
            departure: max(
                Int(deadline.timeIntervalSince1970.rounded(.down)),
                Int(member.wholeSecond.timeIntervalSince1970) + 1),
            minEnergyKWh: need, maxEnergyKWh: need,
            ranges: [PowerRange(min(member.power.minimumWatts / 1000, most), most)])
    }

    /// Contiguous slots from now to the last deadline, cut wherever something changes; an unknown price is not a number.
    private static func slots(_ joint: JointCharging, _ deadlines: [Date]) -> [PlanningProblem.Slot] {
        guard let first = joint.members.first, let last = deadlines.max() else { return [] }
        let start = first.wholeSecond
        let guidance = first.guidance.values
        let end = max(min(last, guidance.last?.interval.end ?? last), start.addingTimeInterval(1))
        var edges = Set(guidance.flatMap { [$0.interval.start, $0.interval.end] } + deadlines + [end])
        edges.formUnion((first.surplus?.slots ?? []).flatMap { [$0.start, $0.end] })
        // A car that can't draw little can draw for a short time; far away that matters little.
        let near = min(end, start.addingTimeInterval(48 * 3600)).timeIntervalSince1970
        let quarter = (start.timeIntervalSince1970 / 900).rounded(.up) * 900
        edges.formUnion(stride(from: quarter, to: near, by: 900).map { Date(timeIntervalSince1970: $0) })
        let cuts =
            [start]
            + edges.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
            .filter { $0 > start && $0 <= end }
        let sorted = Set(cuts).sorted()
        return zip(sorted, sorted.dropFirst()).map { from, to in
            slot(first, from, to, isPreferred: joint.members.contains { $0.runs(from, to) })
        }
    }

    private static func slot(
        _ member: ChargingRequest, _ from: Date, _ to: Date, isPreferred: Bool
    ) -> PlanningProblem.Slot {
        let value = member.guidance.values.first { $0.interval.start <= from && from < $0.interval.end }
        let net = member.surplus?.slot(at: from)?.netWatts ?? member.expectedHouseWatts
        // The plan that runs is kept where another would save next to nothing.
        let discount = isPreferred ? ChargingRequest.threshold / max(1, member.missingWattHours / 1000) : 0
        let price = value.flatMap { member.price($0) }
        return PlanningProblem.Slot(
            start: Int(from.timeIntervalSince1970), end: Int(to.timeIntervalSince1970),
            importPrice: price.map { $0 - discount } ?? .nan, exportPrice: member.ownPrice,
            baseLoadKW: max(0, net) / 1000, pvKW: max(0, -net) / 1000, carbonGPerKWh: value?.gramsCO2PerKWh)
    }

    /// A plan for each member.
    /// - Throws: `PlanningError` where the answer does not fit a member.
    func plans(from answer: PlanAnswer) throws -> [DeviceID: DevicePlan] {
        let names = joint.members.map(\.deviceID.rawValue)
        return Dictionary(
            uniqueKeysWithValues: try joint.members.enumerated().map { index, member in
                let name = member.deviceID.rawValue
                var own = member
                own.reserved = []
                own.surplus = ExpectedSurplus(
                    slots: answer.schedule.intervals.map { sun(in: $0, for: name) },
                    feedInPerKWh: member.surplus?.feedInPerKWh ?? 0)
                let powers = Dictionary(
                    uniqueKeysWithValues: answer.schedule.intervals.map { ($0.start, $0.vehiclesKW[name] ?? 0) })
                let others = names.filter { $0 != name }
                return (member.deviceID, try own.plan(by: deadlines[index], drawing: powers, beside: others))
            })
    }

    /// A member's share of the sun in an interval: by what it draws, or all of it where nobody does.
    private func sun(in interval: Schedule.Interval, for name: String) -> ExpectedSurplus.Slot {
        let start = Date(timeIntervalSince1970: Double(interval.start))
        let slot = problem.slots.first { $0.start <= interval.start && interval.start < $0.end }
        let watts = max(0, (slot?.pvKW ?? 0) - (slot?.baseLoadKW ?? 0)) * 1000
        let all = interval.vehiclesKW.values.reduce(0, +)
        let share = all > 0 ? (interval.vehiclesKW[name] ?? 0) / all : 1
        return ExpectedSurplus.Slot(
            start: start, end: Date(timeIntervalSince1970: Double(interval.end)), watts: watts * share,
            netWatts: -watts * share)
    }
}
