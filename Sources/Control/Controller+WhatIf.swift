import Foundation
package import HubKit

/// What would be planned if a person asked for something else.
package struct WhatIf: Sendable, Equatable {
    /// The plan of the device.
    package var plan: DevicePlan
    /// The plans of the chargers that would be planned together with it.
    package var others: [DevicePlan]
}

extension Controller {
    /// Plans a charger for another goal, as of now; nothing is changed by it.
    /// - Throws: `HubError` that says what is wrong with the goal, or why nothing can be planned.
    package func whatIf(_ goal: ChargingGoal, for id: DeviceID) async throws -> WhatIf {
        guard var control = chargers[id] else {
            throw HubError(
                board[id] == nil ? .notFound : .refused,
                board[id] == nil ? "there is no device '\(id)'" : "\(id) is no charger that can be planned")
        }
        try check(goal, for: id)
        let now = clock.now
        var stored = DeviceUse.StoredGoal(goal)
        stored.baselineWattHours = control.countedWattHours ?? board[id]?.reading?[.importWattHours]
        control.use.mode = .guided
        control.use.charging = stored
        control.forgetPlan()
        var controls = chargers
        controls[id] = control
        guard let home = inputs(id, now)?.venue.id else { throw HubError(.refused, "\(id) has no home") }
        let known = chargers.keys.sorted().compactMap { inputs($0, now) }.filter { $0.venue.id == home }
        var planning = SharedPlanning()
        let tick = ChargerTick(&controls, known, planning)
        let planned = tick.outcomes.compactMap { outcome in controls[outcome.id].map { (outcome.id, $0) } }
        let alone = controls[id]?.plan
        if let work = planning.work(for: planned, limits: known.first?.limits ?? HomeLimits()), work.keys[id] != nil,
            let plans = await planner.plans(work, within: settings.planningSeconds), let plan = plans[id]
        {
            return WhatIf(
                plan: plan, others: plans.values.filter { $0.deviceID != id }.sorted { $0.deviceID < $1.deviceID })
        }
        guard let plan = alone else {
            let reason = tick.outcomes.first { $0.id == id }?.decision.reason ?? "nothing is known of it"
            throw HubError(.refused, "nothing can be planned for \(id): \(reason)")
        }
        return WhatIf(plan: plan, others: [])
    }
}
