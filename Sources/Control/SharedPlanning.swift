import Foundation
import HubKit
import Planning

/// How the chargers of one home come to a common plan: what it is made from is collected tick by tick, solved outside of
/// a tick, and offered to each of them.
///
/// Until the first common plan is there, and where none could be made, each charger plans beside those that come before
/// it.
struct SharedPlanning: Sendable {
    /// A charger's part of a common plan.
    struct Offer: Equatable, Sendable {
        /// The number of the plan.
        var number: Int
        /// What it was made for.
        var key: ChargerControl.PlanKey
        var plan: DevicePlan
        /// What was missing then, in watt-hours.
        var missingWattHours: Double
    }

    private var number = 0
    private var isSolving = false
    private var offers: [DeviceID: Offer] = [:]
    private var failed: [DeviceID: ChargerControl.PlanKey]?
    /// Whether chargers wait for a common plan rather than make their own.
    private(set) var isCommon = false

    /// The charger's part of the newest plan.
    func offer(to id: DeviceID) -> Offer? { offers[id] }

    /// Looks at what the chargers want after a tick.
    /// - Returns: what has to be solved now, if anything; its answer goes to `finish`.
    mutating func work(for controls: [(id: DeviceID, control: ChargerControl)], limits: HomeLimits) -> JointCharging? {
        let planning = controls.compactMap { id, control in
            control.openPlan.map { (id: id, plan: $0, control: control) }
        }
        let keys = Dictionary(uniqueKeysWithValues: planning.map { ($0.id, $0.plan.key) })
        let charging = JointCharging(
            number: number + 1, members: planning.map(\.plan.request), keys: keys, limits: limits)
        isCommon = charging.isCoupled && failed != keys
        guard isCommon, !isSolving else { return nil }
        // Who has left leaves room for the others.
        let isCurrent =
            Set(offers.keys) == Set(keys.keys)
            && planning.allSatisfy { part in
                part.control.jointNumber == number && !part.plan.isWanted && offers[part.id] != nil
            }
        guard !isCurrent else { return nil }
        number += 1
        isSolving = true
        return charging
    }

    /// Takes the answer, or learns that there is none.
    mutating func finish(_ work: JointCharging, _ plans: [DeviceID: DevicePlan]?) {
        isSolving = false
        guard let plans else {
            failed = work.keys
            isCommon = false
            return
        }
        failed = nil
        offers = [:]
        for member in work.members {
            guard let key = work.keys[member.deviceID], let plan = plans[member.deviceID] else { continue }
            offers[member.deviceID] = Offer(
                number: work.number, key: key, plan: plan, missingWattHours: member.missingWattHours)
        }
    }
}
