import EnergyKit
import Foundation
import HubKit
import Planning

/// The planner's problem for several chargers, and the way back from its answer to a plan for each.
struct JointProblem {
    let joint: JointCharging
    let problem: PlanningProblem
    private let deadlines: [Date]

    private static let slotSeconds = 900.0

    /// States the problem.
    /// - Parameter withMargin: whether each plan ends a little earlier than asked.
    init(_ joint: JointCharging, withMargin: Bool) {
        self.joint = joint
        deadlines = joint.members.map { $0.deadline(withMargin: withMargin, isShared: true) }
        let slots = Self.slots(joint, deadlines)
        var limits = joint.sharedLimits(withMargin: withMargin).map { limit in
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
            ranges: [PowerRange(member.leastKilowatts, most)])
    }

    /// Contiguous slots from now to the last deadline, cut wherever something changes; an unknown price is not a number.
    private static func slots(_ joint: JointCharging, _ deadlines: [Date]) -> [PlanningProblem.Slot] {
        // Until the deadlines as they were asked for: what is hurried may need the rest of the time as well.
        guard let first = joint.members.first, let last = joint.members.map(\.readyBy).max() else { return [] }
        let start = first.wholeSecond
        let guidance = first.guidance.values
        let end = max(min(last, guidance.last?.interval.end ?? last), start.addingTimeInterval(1))
        var edges = Set(guidance.flatMap { [$0.interval.start, $0.interval.end] } + deadlines + [end])
        edges.formUnion(joint.members.map(\.readyBy))
        edges.formUnion((first.surplus?.slots ?? []).flatMap { [$0.start, $0.end] })
        // A car that can't draw little can draw for a short time; far away that matters little.
        let near = min(end, start.addingTimeInterval(48 * 3600)).timeIntervalSince1970
        let quarter = (start.timeIntervalSince1970 / slotSeconds).rounded(.up) * slotSeconds
        edges.formUnion(stride(from: quarter, to: near, by: slotSeconds).map { Date(timeIntervalSince1970: $0) })
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
    /// - Parameter areHurried: whether what the answer leaves unmet is had by more power than it counts on, as soon as
    ///   there is, and by the time that is kept in reserve.
    /// - Throws: `PlanningError` where the answer does not fit a member.
    func plans(from answer: PlanAnswer, areHurried: Bool = false) throws -> [DeviceID: DevicePlan] {
        let names = joint.members.map(\.deviceID.rawValue)
        return Dictionary(
            uniqueKeysWithValues: try joint.members.enumerated().map { index, member in
                let name = member.deviceID.rawValue
                var own = member
                own.reserved = []
                own.surplus = ExpectedSurplus(
                    slots: answer.schedule.intervals.map { sun(in: $0, for: name) },
                    feedInPerKWh: member.surplus?.feedInPerKWh ?? 0)
                var powers = Dictionary(
                    uniqueKeysWithValues: answer.schedule.intervals.map { ($0.start, $0.vehiclesKW[name] ?? 0) })
                let others = names.filter { $0 != name }
                let unmet = answer.unmetEnergyKWh[name] ?? 0
                guard areHurried, unmet > 0 else {
                    return (member.deviceID, try own.plan(by: deadlines[index], drawing: powers, beside: others))
                }
                hurry(member, unmet, deadlines[index], answer.schedule.intervals, &powers)
                return (
                    member.deviceID,
                    try own.plan(by: member.readyBy, drawing: powers, beside: others, isHurried: true)
                )
            })
    }

    /// Raises powers until nothing is unmet: where it draws anyway, the earliest first, then between the planned end and
    /// the deadline.
    private func hurry(
        _ member: ChargingRequest, _ unmetKWh: Double, _ plannedEnd: Date, _ intervals: [Schedule.Interval],
        _ powers: inout [Int: Double]
    ) {
        var unmet = unmetKWh
        let most = min(member.power.maximumWatts, joint.limits.externalWatts ?? .infinity) / 1000
        let reserve = Int(plannedEnd.timeIntervalSince1970.rounded(.down))
        let end = Int(member.readyBy.timeIntervalSince1970.rounded(.down))
        let drawing = intervals.filter { powers[$0.start] ?? 0 > 0 }
        for interval in drawing + intervals.filter({ $0.start >= reserve && $0.end <= end }) where unmet > 0 {
            let hours = Double(interval.end - interval.start) / 3600
            let before = powers[interval.start] ?? 0
            let power = min(most, max(before + unmet / hours, member.power.minimumWatts / 1000))
            powers[interval.start] = max(before, power)
            unmet -= max(0, power - before) * hours
        }
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
