import EnergyKit
import Foundation
import HubKit
import Planning

/// What one tick knows when it decides about a device.
struct TickInputs: Sendable {
    var now: Date
    var device: DeviceState
    var venue: Venue
    /// The grid meter's reading where it is fresh.
    var grid: DeviceReading?
    /// The guidance in force for this device.
    var guidance: ElectricityGuidance?
    /// What a kilogram of carbon counts as money in plans.
    var carbonPricePerKg: Double
}

/// What one tick decided about a charger.
struct ChargerDecision: Equatable, Sendable {
    /// Amps for each phase; 0 pauses, nothing leaves the charger as it is.
    var amps: Double?
    /// Why, in a few words.
    var reason: String
    /// The guidance it works under.
    var guidance: FollowedGuidance?
}

/// Decides about one charger; pure but for what it remembers from tick to tick.
struct ChargerControl: Sendable {
    /// How the charger is used; written to disk when it changed.
    var use: DeviceUse
    /// The plan in force.
    private(set) var plan: DevicePlan?
    private(set) var planned: ChargingPlan?
    /// Something a person should be told once.
    private(set) var announcement: String?
    /// When the goal is reached if charging goes on as it does; a tick is due then.
    private(set) var reachesGoalAt: Date?
    private var surplus = SurplusFollower()
    private var plug: PlugState?
    private var planKey: PlanKey?
    private var needAtPlan = 0.0
    private var observed = ObservedPower()
    private var blockedUntil: Date?
    private var lastAmps = 0.0

    /// What a plan depends on; when it differs, a new plan is made.
    private struct PlanKey: Equatable {
        var token: UUID?
        var goal: DeviceUse.StoredGoal?
        var plug: PlugState?
        var rangeWatts: ClosedRange<Double>
    }

    /// Takes up a charger, with the plan that ran before a restart.
    init(use: DeviceUse, resuming plan: DevicePlan? = nil) {
        self.use = use
        self.plan = plan
    }

    /// Decides what the charger is to do now.
    mutating func decide(_ inputs: TickInputs) -> ChargerDecision {
        announcement = nil
        guard let reading = inputs.device.reading, inputs.device.health.state != .offline else {
            return ChargerDecision(amps: nil, reason: "the charger was not heard yet")
        }
        let power = ChargerPower(inputs, observedMaximum: observed.maximumWatts)
        notePlug(reading, inputs)
        observed.note(reading, offeredAmps: lastAmps, power, at: inputs.now)
        var decision = wanted(inputs, reading, power)
        decision = limited(decision, inputs, reading, power)
        if let amps = decision.amps { lastAmps = amps }
        return decision
    }

    private mutating func wanted(_ inputs: TickInputs, _ reading: DeviceReading, _ power: ChargerPower)
        -> ChargerDecision
    {
        switch use.mode ?? .guided {
        case .off:
            forgetPlan()
            return ChargerDecision(amps: 0, reason: "switched off", guidance: notFollowing(inputs))
        case .now:
            forgetPlan()
            return ChargerDecision(
                amps: power.range.maximumAmps, reason: "charging at once, as asked", guidance: notFollowing(inputs))
        case .solar:
            forgetPlan()
            let chosen = surplus.power(
                gridWatts: inputs.grid?.powerWatts, ownWatts: max(0, reading.powerWatts ?? 0),
                minimumWatts: power.minimumWatts,
                maximumWatts: power.maximumWatts, keepsMinimum: use.charging?.minimumAmps != nil, at: inputs.now)
            // Whole amps, so that a passing cloud is not a write for each reading.
            let amps = (chosen.watts / power.wattsPerAmp + 1e-6).rounded(.down)
            return ChargerDecision(
                amps: chosen.watts == 0 ? 0 : amps, reason: chosen.reason, guidance: notFollowing(inputs))
        case .guided:
            return guided(inputs, reading, power)
        }
    }

    // MARK: - Guided

    private mutating func guided(_ inputs: TickInputs, _ reading: DeviceReading, _ power: ChargerPower)
        -> ChargerDecision
    {
        rollOver(inputs, reading)
        guard var goal = use.charging else { return withoutGoal(inputs, power) }
        let counter = reading[.importWattHours]
        if goal.baselineWattHours == nil, let counter {
            goal.baselineWattHours = counter
            use.charging = goal
        }
        let charge = StateOfCharge.percent(reading, use: use, vehicle: inputs.device.configuration.vehicle)
        let need = EnergyNeed.of(
            goal, reading: reading, stateOfCharge: charge, vehicle: inputs.device.configuration.vehicle,
            at: inputs.now)
        reachesGoalAt = nil
        switch need {
        case .reached: return reached(inputs, goal)
        case .unknown(let why):
            forgetPlan()
            return ChargerDecision(amps: nil, reason: why, guidance: notFollowing(inputs))
        case .wattHours(let missing):
            if let watts = reading.powerWatts, reading.charging == .charging, watts > 0 {
                reachesGoalAt = inputs.now.addingTimeInterval(missing / watts * 3600)
            }
            if inputs.now >= goal.readyBy { return overrun(inputs, goal, missing, power) }
            return planned(inputs, goal, missing, power, reading)
        }
    }

    private mutating func planned(
        _ inputs: TickInputs, _ goal: DeviceUse.StoredGoal, _ missing: Double, _ power: ChargerPower,
        _ reading: DeviceReading
    ) -> ChargerDecision {
        guard let guidance = inputs.guidance else {
            forgetPlan()
            return ChargerDecision(
                amps: power.range.maximumAmps, reason: "no guidance; charging at once so that the goal is met")
        }
        replanWhereNeeded(inputs, guidance, goal, missing, power)
        let isPlugged = reading.plug != .unplugged
        guard let plan, isPlugged else {
            return ChargerDecision(
                amps: 0, reason: "no car is plugged in",
                guidance: FollowedGuidance(token: guidance.guidanceToken, isFollowing: false))
        }
        let now = plan.interval(at: inputs.now)
        if let watts = now?.powerWatts {
            return ChargerDecision(
                amps: power.amps(atLeast: watts), reason: plan.reason,
                guidance: FollowedGuidance(token: guidance.guidanceToken, isFollowing: true))
        }
        // The last few watt-hours are not worth another start later: finish while it runs.
        let isLast = plan.nextEdge(after: inputs.now) == nil
        if lastAmps > 0, isLast, missing < power.maximumWatts / 4 {
            return ChargerDecision(
                amps: lastAmps, reason: "finishing the last \(Int(missing.rounded(.up))) Wh",
                guidance: FollowedGuidance(token: guidance.guidanceToken, isFollowing: true))
        }
        return ChargerDecision(
            amps: 0, reason: plan.reason, guidance: FollowedGuidance(token: guidance.guidanceToken, isFollowing: true))
    }

    private mutating func replanWhereNeeded(
        _ inputs: TickInputs, _ guidance: ElectricityGuidance, _ goal: DeviceUse.StoredGoal, _ missing: Double,
        _ power: ChargerPower
    ) {
        let key = PlanKey(
            token: guidance.guidanceToken, goal: goal, plug: plug, rangeWatts: power.minimumWatts...power.maximumWatts)
        if key == planKey, let plan, !deviates(plan, missing, at: inputs.now, power) { return }
        let running = (plan?.intervals ?? []).compactMap { interval -> PlannedInterval? in
            guard let watts = interval.powerWatts, interval.end > inputs.now else { return nil }
            return PlannedInterval(start: interval.start, end: interval.end, powerKW: watts / 1000)
        }
        let request = ChargingRequest(
            guidance: guidance, venue: inputs.venue, deviceID: inputs.device.configuration.id, now: inputs.now,
            readyBy: goal.readyBy, missingWattHours: missing, power: power, running: running,
            carbonPricePerKg: inputs.carbonPricePerKg)
        plan = request.plan()
        planKey = key
        needAtPlan = missing
    }

    /// Whether what is left of the plan no longer fits what is missing.
    private func deviates(_ plan: DevicePlan, _ missing: Double, at now: Date, _ power: ChargerPower) -> Bool {
        let left = plan.intervals.reduce(0.0) { sum, interval in
            let from = max(interval.start, now)
            guard interval.end > from else { return sum }
            return sum + (interval.powerWatts ?? 0) * interval.end.timeIntervalSince(from) / 3600
        }
        let expected = left + plan.unmetWattHours
        let allowed = max(250, 0.02 * needAtPlan)
        if expected == 0, missing >= power.maximumWatts / 4 { return true }
        return expected > 0 && abs(expected - missing) > allowed
    }

    private mutating func overrun(
        _ inputs: TickInputs, _ goal: DeviceUse.StoredGoal, _ missing: Double, _ power: ChargerPower
    ) -> ChargerDecision {
        // What was promised is kept, late rather than never, while the car is there (field case C-1).
        guard plug != .unplugged else {
            forgetPlan()
            return ChargerDecision(amps: 0, reason: "no car is plugged in", guidance: notFollowing(inputs))
        }
        if !goal.isLate {
            use.charging?.isLate = true
            announcement = "the goal was not reached in time: \(Int(missing)) Wh are missing; charging goes on"
        }
        forgetPlan()
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
    private mutating func withoutGoal(_ inputs: TickInputs, _ power: ChargerPower) -> ChargerDecision {
        forgetPlan()
        guard let guidance = inputs.guidance,
            let rating = guidance.values.first(where: {
                $0.interval.contains(inputs.now) && $0.interval.end > inputs.now
            })?.rating
        else { return ChargerDecision(amps: 0, reason: "no goal and no guidance; set a goal or another mode") }
        let isGood = rating <= 0.35
        return ChargerDecision(
            amps: isGood ? power.range.maximumAmps : 0,
            reason: isGood ? "no goal; this is a good hour" : "no goal; waiting for a good hour",
            guidance: FollowedGuidance(token: guidance.guidanceToken, isFollowing: true))
    }

    // MARK: - Memory

    private mutating func rollOver(_ inputs: TickInputs, _ reading: DeviceReading) {
        guard let goal = use.charging, goal.repeatsDaily, inputs.now >= goal.readyBy else { return }
        // A late goal does not jump to tomorrow while the car still waits for it.
        guard goal.isReached || reading.plug == .unplugged else { return }
        use.charging = goal.nextDay(in: inputs.venue.timeZone, after: inputs.now, counter: reading[.importWattHours])
    }

    private mutating func notePlug(_ reading: DeviceReading, _ inputs: TickInputs) {
        guard let now = reading.plug, now != plug else { return }
        let wasKnown = plug != nil
        plug = now
        if now == .plugged, wasKnown || use.pluggedAtWattHours == nil {
            use.pluggedAtWattHours = reading[.importWattHours]
        }
        if wasKnown {
            observed = ObservedPower()
            surplus.reset()
        }
    }

    private mutating func forgetPlan() {
        plan = nil
        planKey = nil
    }

    private func notFollowing(_ inputs: TickInputs) -> FollowedGuidance? {
        inputs.guidance.map { FollowedGuidance(token: $0.guidanceToken, isFollowing: false) }
    }

    /// Keeps the decision within the connection, whatever mode or plan wants.
    private mutating func limited(
        _ decision: ChargerDecision, _ inputs: TickInputs, _ reading: DeviceReading, _ power: ChargerPower
    ) -> ChargerDecision {
        guard let amps = decision.amps, amps > 0 else { return decision }
        let limit = ConnectionLimit.allowedAmps(
            inputs.venue.connection, grid: inputs.grid, ownAmps: reading.currentAmps, phases: power.phases)
        var limited = decision
        if let blockedUntil, inputs.now < blockedUntil, limit.amps < amps + 1 {
            limited.amps = 0
            limited.reason = "the connection is full; waiting a little"
            return limited
        }
        blockedUntil = nil
        let settable = power.range.settable(min(amps, limit.amps))
        guard settable < amps - 1e-6 else {
            limited.amps = power.range.settable(amps + 1e-6)
            return limited
        }
        limited.amps = settable
        limited.reason =
            limit.isFailSafe
            ? "\(decision.reason); limited, because the grid meter does not answer"
            : "\(decision.reason); limited by the connection"
        if settable == 0 { blockedUntil = inputs.now.addingTimeInterval(60) }
        return limited
    }
}
