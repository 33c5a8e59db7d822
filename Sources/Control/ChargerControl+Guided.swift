import EnergyKit
import Foundation
import HubKit
import Planning

/// Guided charging: towards a goal by plan, or without one in the good hours.
extension ChargerControl {
    /// What a plan depends on; when it differs, a new plan is made.
    struct PlanKey: Equatable, Sendable {
        var token: UUID
        var goal: DeviceUse.StoredGoal
        var plug: PlugState?
        var rangeWatts: ClosedRange<Double>
        var reserved: [DevicePlan.Interval]
        var limits: HomeLimits
    }

    /// What a common plan is made from.
    struct OpenPlan: Sendable {
        var request: ChargingRequest
        var key: PlanKey
        /// Whether the plan in force no longer fits.
        var isWanted = false
    }

    mutating func guided(_ inputs: TickInputs, _ reading: DeviceReading, _ power: ChargerPower) -> ChargerDecision {
        let isWaiting = guidanceWait.isWaiting(inputs.guidance != nil, at: inputs.now)
        endOfDay(inputs)
        guard let goal = use.charging else { return withoutGoal(inputs, power, isWaiting) }
        let vehicle = inputs.device.configuration.vehicle
        let counted = countedWattHours(reading, at: inputs.now)
        let charge = StateOfCharge.percent(reading, use: use, counted: counted, vehicle: vehicle)
        let need = EnergyNeed.of(goal, counted: counted, stateOfCharge: charge, vehicle: vehicle)
        switch need {
        case .reached: return reached(inputs, goal)
        case .unknown(let why):
            // What runs goes on while a value is missing for a moment.
            if let plan, plan.nextEdge(after: inputs.now) != nil, plug != .unplugged {
                return follow(plan, inputs, 0, power)
            }
            forgetPlan()
            return ChargerDecision(amps: nil, reason: why, guidance: notFollowing(inputs))
        case .wattHours(let missing):
            if goal.isReached {
                // A battery at rest loses a little, and meters flicker: that is no new need.
                let capacity = goal.stateOfCharge == nil ? 0 : vehicle?.capacityWattHours ?? 0
                guard inputs.now < goal.readyBy, missing > max(500, 0.03 * capacity) else {
                    return reached(inputs, goal)
                }
                use.charging?.isReached = false
            }
            if let watts = reading.powerWatts, reading.charging == .charging, watts > 0 {
                reachesGoalAt = inputs.now.addingTimeInterval(min(missing / watts * 3600, 86_400))
            }
            haste = Haste(missing, by: goal.readyBy, power, at: inputs.now)
            if inputs.now >= goal.readyBy { return overrun(inputs, missing, power) }
            let planned = towards(use.charging ?? goal, missing, inputs, power, isWaiting)
            return atOnceWhereCheap(planned, inputs, power)
        }
    }

    private mutating func towards(
        _ goal: DeviceUse.StoredGoal, _ missing: Double, _ inputs: TickInputs, _ power: ChargerPower, _ isWaiting: Bool
    ) -> ChargerDecision {
        let allowed = allowedDeviation(goal, inputs)
        if let guidance = inputs.guidance {
            replanWhereNeeded(inputs, guidance, goal, missing, power, allowed)
        } else if plan?.nextEdge(after: inputs.now) == nil {
            guard !isWaiting else {
                return ChargerDecision(amps: nil, reason: "waiting for the first guidance")
            }
            forgetPlan()
            return ChargerDecision(
                amps: power.range.maximumAmps, reason: "no guidance; charging at once so that the goal is met")
        }
        if plan == nil, openPlan?.isWanted == true {
            return ChargerDecision(
                amps: nil, reason: "planning together with the home's other chargers", guidance: notFollowing(inputs))
        }
        guard let plan, plug != .unplugged else {
            return ChargerDecision(amps: 0, reason: "no car is plugged in", guidance: notFollowing(inputs))
        }
        return follow(plan, inputs, missing, power, allowed)
    }

    private func follow(
        _ plan: DevicePlan, _ inputs: TickInputs, _ missing: Double, _ power: ChargerPower, _ allowed: Double = 0
    ) -> ChargerDecision {
        let token = inputs.guidance?.guidanceToken ?? plan.token
        func decision(_ amps: Double, _ reason: String, _ isFollowing: Bool = true) -> ChargerDecision {
            ChargerDecision(
                amps: amps, reason: reason,
                guidance: token.map { FollowedGuidance(token: $0, isFollowing: isFollowing) })
        }
        if let watts = plan.interval(at: inputs.now)?.powerWatts {
            return decision(power.amps(atLeast: watts), plan.reason)
        }
        if isFinishing(plan, missing, allowed, power, at: inputs.now) {
            return decision(lastAmps, "finishing what little is missing")
        }
        if plan.unmetWattHours > 50 {
            // The known hours are not enough: what was promised comes before what is saved.
            return decision(
                power.range.maximumAmps, "the known hours before the deadline are not enough; charging at once", false)
        }
        return decision(0, plan.reason)
    }

    /// The last few watt-hours are not worth another start later: they follow at once while it runs.
    private func isFinishing(
        _ plan: DevicePlan, _ missing: Double, _ allowed: Double, _ power: ChargerPower, at now: Date
    ) -> Bool {
        lastAmps > 0 && plug != .unplugged && missing > 0 && missing <= max(allowed, power.maximumWatts / 20)
            && plan.nextEdge(after: now) == nil
    }

    // MARK: - Plans

    private mutating func replanWhereNeeded(
        _ inputs: TickInputs, _ guidance: ElectricityGuidance, _ goal: DeviceUse.StoredGoal, _ missing: Double,
        _ power: ChargerPower, _ allowed: Double
    ) {
        let key = PlanKey(
            token: guidance.guidanceToken, goal: goal, plug: plug, rangeWatts: power.minimumWatts...power.maximumWatts,
            reserved: inputs.reserved, limits: inputs.limits.lasting)
        let running = (plan?.intervals ?? []).compactMap { interval -> PlannedInterval? in
            guard let watts = interval.powerWatts, interval.end > inputs.now else { return nil }
            return PlannedInterval(start: interval.start, end: interval.end, powerKW: watts / 1000)
        }
        var request = ChargingRequest(
            guidance: guidance, venue: inputs.venue, deviceID: inputs.device.configuration.id, now: inputs.now,
            readyBy: goal.readyBy, missingWattHours: missing, power: power, running: running,
            carbonPricePerKg: inputs.carbonPricePerKg, reserved: inputs.reserved, surplus: inputs.surplus,
            circuit: inputs.device.configuration.circuit, limits: inputs.limits)
        request.house = inputs.house
        if plug != .unplugged {
            var common = key
            common.reserved = []
            openPlan = OpenPlan(request: request, key: common)
            if adopt(inputs.offer, for: common) { return }
        }
        if key == planKey, let plan, !deviates(plan, missing, allowed, power, goal.readyBy, at: inputs.now) { return }
        if inputs.isPlannedInCommon, plug != .unplugged {
            // The plan that runs holds until the common one is there, a moment later.
            openPlan?.isWanted = true
            if plan?.nextEdge(after: inputs.now) == nil { forgetPlan() }
            return
        }
        plan = request.plan()
        planKey = key
        needAtPlan = missing
        jointNumber = nil
    }

    /// Goes by a common plan that was made for just this need.
    private mutating func adopt(_ offer: SharedPlanning.Offer?, for key: PlanKey) -> Bool {
        // A plan of its own that came after it is not given up for it.
        guard let offer, offer.key == key, offer.number != adoptedNumber else { return false }
        adoptedNumber = offer.number
        plan = offer.plan
        planKey = key
        needAtPlan = offer.missingWattHours
        jointNumber = offer.number
        return true
    }

    /// A difference that counters make by themselves, in watt-hours.
    private static let grainWattHours = 20.0

    /// How far the need may be from what the plan holds before a new one is made, in watt-hours.
    private func allowedDeviation(_ goal: DeviceUse.StoredGoal, _ inputs: TickInputs) -> Double {
        // Cars tell their charge in whole percents.
        let capacity = inputs.device.configuration.vehicle?.capacityWattHours ?? 0
        let grain = goal.stateOfCharge == nil ? 0 : 0.015 * capacity
        return max(250, 0.02 * needAtPlan, grain)
    }

    /// Whether what is left of the plan no longer fits what is missing.
    private func deviates(
        _ plan: DevicePlan, _ missing: Double, _ allowed: Double, _ power: ChargerPower, _ deadline: Date, at now: Date
    ) -> Bool {
        // Without a car the plan only shows what would be; the car's coming makes a new one.
        guard plug != .unplugged else { return false }
        let left = plan.intervals.reduce(0.0) { sum, interval in
            let from = max(interval.start, now)
            guard interval.end > from else { return sum }
            return sum + (interval.powerWatts ?? 0) * interval.end.timeIntervalSince(from) / 3600
        }
        let expected = left + plan.unmetWattHours
        if expected == 0 { return !isFinishing(plan, missing, allowed, power, at: now) }
        // What is lacking must still have its place between the plan's end and the deadline.
        let end = plan.intervals.last?.end ?? now
        let later = max(0, deadline.timeIntervalSince(max(end, now))) / 3600 * power.maximumWatts / 2
        return missing - expected > min(allowed, max(later, Self.grainWattHours)) || expected - missing > allowed
    }

    // MARK: - Without a plan

    private mutating func overrun(_ inputs: TickInputs, _ missing: Double, _ power: ChargerPower) -> ChargerDecision {
        // What was promised is kept, late rather than never, while the car is there (field case C-1).
        forgetPlan()
        if use.charging?.isLate == false {
            use.charging?.isLate = true
            announcement = String(
                format: "the goal was not reached in time: %.1f kWh are missing; charging goes on", missing / 1000)
        }
        return ChargerDecision(
            amps: power.range.maximumAmps, reason: "late: charging until the goal is reached",
            guidance: notFollowing(inputs))
    }

    private mutating func reached(_ inputs: TickInputs, _ goal: DeviceUse.StoredGoal) -> ChargerDecision {
        if !goal.isReached {
            use.charging?.isReached = true
            announcement = "the goal is reached"
        }
        forgetPlan()
        return ChargerDecision(
            amps: 0, reason: "the goal is reached",
            guidance: inputs.guidance.map { FollowedGuidance(token: $0.guidanceToken, isFollowing: true) })
    }

    /// Without a goal: charge in the good hours, as the ratings tell.
    private mutating func withoutGoal(
        _ inputs: TickInputs, _ power: ChargerPower, _ isWaiting: Bool
    ) -> ChargerDecision {
        forgetPlan()
        let value = inputs.guidanceNow
        guard let guidance = inputs.guidance, let rating = value?.rating else {
            guard !isWaiting else { return ChargerDecision(amps: nil, reason: "waiting for the first guidance") }
            return ChargerDecision(
                amps: 0, reason: "no goal and no guidance; set a goal or another mode", guidance: notFollowing(inputs))
        }
        if let limit = use.limit {
            let wait = ChargerDecision(
                amps: 0,
                reason: value?.pricePerKWh == nil
                    ? "no goal; waiting, because the price now is not known"
                    : "no goal; waiting for a price of \(inputs.shown(limit)) or less",
                guidance: FollowedGuidance(token: guidance.guidanceToken, isFollowing: true))
            return atOnceWhereCheap(wait, inputs, power)
        }
        let isGood = rating <= GoodHour.worstRating
        return ChargerDecision(
            amps: isGood ? power.range.maximumAmps : 0,
            reason: isGood ? "no goal; this is a good hour" : "no goal; waiting for a good hour",
            guidance: FollowedGuidance(token: guidance.guidanceToken, isFollowing: true))
    }

    /// After its deadline a goal that repeats goes on to the next day; one that does not ends with the car's leaving.
    private mutating func endOfDay(_ inputs: TickInputs) {
        guard let goal = use.charging, inputs.now >= goal.readyBy else { return }
        // A late goal does not jump to tomorrow while the car still waits for it (field case C-1).
        guard goal.isReached || plug == .unplugged else { return }
        if goal.repeatsDaily {
            use.charging = goal.nextDay(in: inputs.venue.timeZone, after: inputs.now, counter: countedWattHours)
        } else if !goal.isReached {
            use.charging = nil
            announcement = "the car left before the goal was reached; the goal has ended"
        }
    }
}
