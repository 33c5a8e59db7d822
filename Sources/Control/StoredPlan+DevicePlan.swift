import Foundation
import HubKit

extension StoredPlan {
    init(_ plan: DevicePlan) {
        self.init(
            computedAt: plan.computedAt, token: plan.token, intervals: plan.intervals,
            energyWattHours: plan.energyWattHours, cost: plan.cost, costIfStartedNow: plan.costIfStartedNow,
            gramsCO2: plan.gramsCO2,
            unmetWattHours: plan.unmetWattHours, reason: plan.reason)
    }

    func plan(deviceID: DeviceID, venueID: UUID) -> DevicePlan {
        var plan = DevicePlan(
            deviceID: deviceID, venueID: venueID, computedAt: computedAt, token: token, intervals: intervals,
            energyWattHours: energyWattHours, cost: cost, gramsCO2: gramsCO2, unmetWattHours: unmetWattHours,
            reason: reason)
        plan.costIfStartedNow = costIfStartedNow
        return plan
    }
}
