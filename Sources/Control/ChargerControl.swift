import EnergyKit
import Foundation
import HubKit

/// Decides about one charger; pure but for what it remembers from tick to tick.
///
/// A tick asks first what each charger wishes, then limits all wishes to what the connection bears.
struct ChargerControl: Sendable {
    /// How the charger is used; written to disk when it changed.
    var use: DeviceUse
    /// The plan in force.
    var plan: DevicePlan?
    /// Something a person should be told once.
    var announcement: String?
    /// The current it was last told, in amps.
    private(set) var lastAmps = 0.0
    var plug: PlugState?
    var planKey: PlanKey?
    var needAtPlan = 0.0
    /// What a common plan with the home's other chargers would be made from; nothing where it needs no plan.
    var openPlan: OpenPlan?
    /// The number of the common plan it goes by.
    var jointNumber: Int?
    /// The number of the last common plan it took up.
    var adoptedNumber: Int?
    var guidanceWait = GuidanceWait()
    /// What the deadline asks for; absent without one.
    var haste: Haste?
    /// When the goal is reached if charging goes on as it does; a tick is due then.
    var reachesGoalAt: Date?
    private var counter = SteadyCounter()
    private var surplus = SurplusFollower()
    private var switcher = PhaseSwitcher()
    private var observed = ObservedPower()
    private var hasDecided = false
    private var changedAt: Date?
    private var heldUntil: Date?
    private var unusedOffer = UnusedOffer()
    private var lastTickAt: Date?

    /// Takes up a charger, with the plan that ran before a restart.
    init(use: DeviceUse, resuming plan: DevicePlan? = nil) {
        self.use = use
        self.plan = plan
    }

    /// The charger's counter in watt-hours, without its stumbles; absent until it was read.
    var countedWattHours: Double? { counter.wattHours }

    /// Decides what the charger is to do now, where it is the only one on its connection.
    mutating func decide(_ inputs: TickInputs) -> ChargerDecision {
        let decision = wish(inputs)
        let claims = claim(decision, inputs).map { [$0] } ?? []
        let shares = ConnectionLimit.shares(
            inputs.venue.connection, grid: inputs.grid, claims: claims, limits: inputs.limits)
        return limited(decision, inputs, shares.first)
    }

    /// Decides what the charger is to do now if the connection bears it.
    mutating func wish(_ inputs: TickInputs) -> ChargerDecision {
        announcement = nil
        reachesGoalAt = nil
        haste = nil
        openPlan = nil
        noteClock(inputs.now)
        guard let reading = ChargerControl.heard(inputs) else {
            return ChargerDecision(amps: nil, reason: "the charger was not heard yet")
        }
        if !hasDecided {
            hasDecided = true
            // What it does since before a restart goes on until something else is decided.
            if reading.charging == .charging { lastAmps = reading[.limitAmps] ?? 0 }
        }
        let power = power(inputs)
        count(reading, inputs)
        notePlug(reading)
        unusedOffer.note(isOffered: lastAmps > 0 && plug != .unplugged, isTaken: isDrawing(reading), at: inputs.now)
        observed.note(reading, offeredAmps: lastAmps, power, at: inputs.now)
        return switched(chosen(inputs, reading, self.power(inputs)), inputs, reading)
    }

    /// Pauses charging while the phases change, whatever the decision is.
    private mutating func switched(
        _ decision: ChargerDecision, _ inputs: TickInputs, _ reading: DeviceReading
    ) -> ChargerDecision {
        guard canSwitchPhases(inputs) else { return decision }
        if use.mode != .solar {
            switcher.useAll(isIdle: lastAmps == 0 && decision.amps == 0 && !isDrawing(reading), at: inputs.now)
        }
        let isPaused = switcher.proceed(isDrawing: isDrawing(reading), at: inputs.now)
        var decision = decision
        decision.phases = switcher.phases
        guard isPaused, let target = switcher.target else { return decision }
        decision.amps = 0
        decision.reason = target == 1 ? "switching to one phase" : "switching to three phases"
        return decision
    }

    private func canSwitchPhases(_ inputs: TickInputs) -> Bool {
        guard let charger = inputs.device.capabilities.charger, charger.currentLimit != nil else { return false }
        return charger.phases.contains(1) && charger.phases.contains(3) && inputs.venue.connection?.phases != 1
            && inputs.device.configuration.limits.phases != 1
    }

    private func isDrawing(_ reading: DeviceReading) -> Bool {
        reading.powerWatts.map { $0 > 100 } ?? (reading.charging == .charging)
    }

    private static func heard(_ inputs: TickInputs) -> DeviceReading? {
        inputs.device.health.state == .offline ? nil : inputs.device.reading
    }

    private func power(_ inputs: TickInputs) -> ChargerPower {
        ChargerPower(inputs, observedMaximum: observed.maximumWatts, asked: switcher.phases)
    }

    private mutating func chosen(
        _ inputs: TickInputs, _ reading: DeviceReading, _ power: ChargerPower
    ) -> ChargerDecision {
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
            return atOnceWhereCheap(solar(inputs, reading, power), inputs, power)
        case .guided:
            return guided(inputs, reading, power)
        }
    }

    private mutating func solar(
        _ inputs: TickInputs, _ reading: DeviceReading, _ power: ChargerPower
    ) -> ChargerDecision {
        let asked = use.charging?.minimumAmps
        let leastAmps = min(max(power.range.minimumAmps, asked ?? 0), power.range.maximumAmps)
        let leastWatts = min(leastAmps * power.wattsPerAmp, power.maximumWatts)
        // A car comes before heating that runs on the same surplus.
        let gridWatts = inputs.gridWattsOfTheSun.map { $0 - inputs.yieldedWatts }
        if canSwitchPhases(inputs) {
            let available = gridWatts.map { ownWatts(reading, power) - $0 }
            switcher.follow(
                available, on: power.phases, oneWatts: leastAmps * 230, threeWatts: leastAmps * 690, at: inputs.now)
        }
        let chosen = surplus.power(
            gridWatts: gridWatts, fault: inputs.surplusFault,
            ownWatts: ownWatts(reading, power), minimumWatts: leastWatts,
            maximumWatts: power.maximumWatts, keepsMinimum: asked != nil, at: inputs.now)
        guard chosen.watts > 0 else {
            return ChargerDecision(amps: 0, reason: chosen.reason, guidance: notFollowing(inputs))
        }
        // Whole amps, and none more for a passing gleam, so that the sky is not a write for each reading.
        let exact = chosen.watts / power.wattsPerAmp
        let isSame = lastAmps >= leastAmps && exact > lastAmps - 0.25 && exact < lastAmps + 1.25
        let whole = leastAmps + max(0, exact - leastAmps + 1e-6).rounded(.down)
        return ChargerDecision(
            amps: isSame ? lastAmps : whole, reason: chosen.reason, guidance: notFollowing(inputs))
    }

    /// What it draws; where it charges and does not say how much, what it was allowed.
    private func ownWatts(_ reading: DeviceReading, _ power: ChargerPower) -> Double {
        let fromAmps = reading.currentAmps.map { $0.reduce(0) { $0 + ($1 ?? 0) } * 230 }
        if let watts = reading.powerWatts ?? fromAmps { return max(0, watts) }
        return reading.charging == .charging ? lastAmps * power.wattsPerAmp : 0
    }

    // MARK: - Memory

    /// Forgets what it remembers of the future: the clock was set back, and waiting for it would freeze the charger.
    private mutating func noteClock(_ now: Date) {
        defer { lastTickAt = now }
        guard let lastTickAt, now < lastTickAt else { return }
        if let changedAt, changedAt > now { self.changedAt = nil }
        unusedOffer.forgetFuture(at: now)
        if let heldUntil, heldUntil > now.addingTimeInterval(60) { self.heldUntil = nil }
        counter.clockWasSet()
        surplus.forgetFuture(at: now)
        switcher.forgetFuture(at: now)
        guidanceWait.forgetFuture(at: now)
    }

    private mutating func count(_ reading: DeviceReading, _ inputs: TickInputs) {
        let charger = inputs.device.capabilities
        let known = [use.charging?.baselineWattHours, use.pluggedAtWattHours].compactMap { $0 }.max()
        let mostAmps = charger.charger?.currentLimit?.maximumAmps ?? 32
        counter.read(
            reading, known: known, ahead: use.counterAheadWattHours ?? 0,
            hasCounter: charger.meter?.importEnergy ?? true,
            maximumWatts: mostAmps * 3 * 230 * 1.25)
        guard let counted = counter.wattHours else { return }
        let ahead = counter.aheadWattHours ?? 0
        if abs(ahead - (use.counterAheadWattHours ?? 0)) > 10 { use.counterAheadWattHours = ahead > 10 ? ahead : nil }
        // A counter that began anew while the hub was away: what flowed before it is not known any more.
        if let baseline = use.charging?.baselineWattHours, baseline > counted + 10 {
            use.charging?.baselineWattHours = counted
        }
        if let start = use.pluggedAtWattHours, start > counted + 10 { use.pluggedAtWattHours = counted }
        if use.charging != nil, use.charging?.baselineWattHours == nil { use.charging?.baselineWattHours = counted }
    }

    /// The counter as it stands now: what was read, and what has flowed since at the power that was read.
    ///
    /// Without that a charger stops up to a whole polling interval too late; not more than a minute is added, since an
    /// old reading says nothing of the present.
    func countedWattHours(_ reading: DeviceReading, at now: Date) -> Double? {
        guard let counted = counter.wattHours else { return nil }
        guard reading.charging == .charging, let watts = reading.powerWatts, watts > 0 else { return counted }
        return counted + watts * min(60, max(0, now.timeIntervalSince(reading.at))) / 3600
    }

    private mutating func notePlug(_ reading: DeviceReading) {
        if let now = reading.plug, now != plug {
            let wasKnown = plug != nil
            plug = now
            if wasKnown {
                // Another car may come, or the same one with another charge.
                use.pluggedAtWattHours = nil
                observed = ObservedPower()
                surplus.reset()
            }
        }
        if plug == .plugged, use.pluggedAtWattHours == nil { use.pluggedAtWattHours = counter.wattHours }
    }

    mutating func forgetPlan() {
        plan = nil
        planKey = nil
    }

    func notFollowing(_ inputs: TickInputs) -> FollowedGuidance? {
        inputs.guidance.map { FollowedGuidance(token: $0.guidanceToken, isFollowing: false) }
    }

    // MARK: - Connection

    /// What the charger draws and wants of the connection; absent while it is not heard.
    func claim(_ decision: ChargerDecision, _ inputs: TickInputs) -> ConnectionClaim? {
        guard let reading = ChargerControl.heard(inputs) else { return nil }
        let power = power(inputs)
        var claim = ConnectionClaim(
            wantedAmps: decision.amps ?? lastAmps, minimumAmps: power.range.minimumAmps, phases: power.phases,
            reading: reading, changedAt: changedAt)
        claim.stepAmps = power.range.stepAmps
        claim.circuit = inputs.device.configuration.circuit
        // Without a car, or with one that takes nothing, it may have what the others leave.
        let isIdle = plug == .unplugged || unusedOffer.isRefused(at: inputs.now)
        claim.priority = isIdle ? .min : inputs.device.configuration.priority
        if let haste {
            claim.neededAmps = haste.watts / power.wattsPerAmp
            claim.slackSeconds = haste.slackSeconds
        }
        return claim
    }

    /// Keeps the decision within the connection, whatever mode or plan wants.
    /// - Parameter share: what the connection leaves; absent while the charger is not heard.
    mutating func limited(
        _ decision: ChargerDecision, _ inputs: TickInputs, _ share: ConnectionShare?
    ) -> ChargerDecision {
        guard let share else { return decision }
        let wanted = decision.amps ?? lastAmps
        guard wanted > 0 else { return noted(decision, at: inputs.now) }
        var limited = decision
        let range = power(inputs).range
        let most = range.settable(wanted + 1e-6)
        var allowed = share.amps
        // While a current changes, the meters show two different moments; only a real overload counts then.
        if !share.isSettled, !share.isOverloaded { allowed = min(lastAmps, share.fixedAmps) }
        // What was taken away is not given back at once, so that a kettle is not a start and a stop.
        if let heldUntil, inputs.now < heldUntil { allowed = min(allowed, lastAmps) }
        let settable = range.settable(min(most, allowed))
        guard settable < most - 1e-6 else {
            if decision.amps != nil { limited.amps = most }
            return noted(limited, at: inputs.now)
        }
        if settable < lastAmps { heldUntil = inputs.now.addingTimeInterval(60) }
        limited.amps = settable
        limited.reason =
            share.isFailSafe && share.limiter == nil
            ? "\(decision.reason); limited, because \(inputs.gridFault ?? GridView.unusable)"
            : "\(decision.reason); limited by \(share.limiter ?? "the connection")"
        return noted(limited, at: inputs.now)
    }

    private mutating func noted(_ decision: ChargerDecision, at now: Date) -> ChargerDecision {
        if let amps = decision.amps, amps != lastAmps {
            lastAmps = amps
            changedAt = now
        }
        guard lastAmps > 0, plug != .unplugged, unusedOffer.isRefused(at: now) else { return decision }
        var decision = decision
        decision.reason += "; the car takes nothing of what it is offered"
        return decision
    }
}
