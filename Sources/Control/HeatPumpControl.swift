import EnergyKit
import Foundation
import HubKit
import Planning

/// Decides about one heat pump: reduced in the worst-rated hours, never outside the comfort band; pure but for what it
/// remembers from tick to tick.
struct HeatPumpControl: Sendable {
    /// How it is used; written to disk when it changed.
    var use: DeviceUse
    /// The plan in force.
    private(set) var plan: DevicePlan?
    private var planKey: PlanKey?
    private var guidanceWait = GuidanceWait()
    private(set) var isCooling = false
    /// Whether it has told what it does; until then nobody knows which way a setback goes.
    private var hasToldMode = false
    /// How it follows the own surplus.
    var surplus = HeatingSurplus()
    /// Whether the room is at the far end of its band, so that nothing more is stored in it.
    var isSated = false
    /// When a lock by a limit from outside was in force last.
    var lockedAt: Date?
    /// Whether it was given a limit of power.
    var hasLimit = false
    /// The most it was seen to draw, in watts.
    private(set) var mostWatts: Double?
    private var hasHeard = false
    private var lastState: ReduceState?
    /// The setpoint that the device had without the hub's shift of now; nothing where it has it.
    private(set) var setpointToRestore: Double?
    /// The planned span that comfort broke off; it is not taken up again.
    private var brokenOff: DevicePlan.Interval?

    private struct PlanKey: Equatable {
        var token: UUID
        var comfort: ComfortGoal
        var knowsRoom: Bool
        var isCooling: Bool
    }

    /// Takes up a heat pump, with the plan that ran before a restart.
    init(use: DeviceUse, resuming plan: DevicePlan? = nil) {
        self.use = use
        self.plan = plan
    }

    /// Decides what the heat pump is to do now.
    mutating func decide(_ inputs: TickInputs) -> HeatPumpDecision {
        guard let reading = inputs.device.reading, inputs.device.health.state != .offline else {
            return HeatPumpDecision(reason: "the heat pump was not heard yet")
        }
        guidanceWait.forgetFuture(at: inputs.now)
        noteMode(reading)
        noteReductions(reading)
        if let watts = reading.powerWatts, watts > mostWatts ?? 0 { mostWatts = watts }
        var decision = limited(chosen(inputs, reading), inputs)
        noteLock(&decision, at: inputs.now)
        if let state = decision.aim ?? decision.state { lastState = state }
        let isShifted = decision.aim.map { $0 != .normal } ?? false
        setpointToRestore = isShifted ? comfort(setback(inputs, reading))?.setpointCelsius : nil
        return decision
    }

    private mutating func chosen(_ inputs: TickInputs, _ reading: DeviceReading) -> HeatPumpDecision {
        let hvac = inputs.device.capabilities.hvac
        let mode = use.mode ?? .guided
        let setback = mode == .guided ? setback(inputs, reading) : nil
        let comfort = comfort(setback)
        let ways = HeatingWays(
            hvac, comfort, isCooling: isCooling, knowsMode: hasToldMode || hvac?.mode != true,
            hasSetback: setback != nil)
        let isWaiting = guidanceWait.isWaiting(inputs.guidance != nil, at: inputs.now)
        var decision: HeatPumpDecision
        switch mode {
        case .off:
            surplus.reset()
            decision = leftAlone(ways, inputs, "left alone")
            decision.setpointCelsius = setpointToRestore
        case .now:
            decision = atOnce(ways, inputs)
        case .solar:
            decision = followingTheSun(ways, comfort, inputs, reading)
        case .guided where !ways.canReduce:
            decision = leftAlone(ways, inputs, "it can't be reduced" + Self.text(setback))
            offerSurplus(&decision, ways, inputs)
        case .guided:
            guard let comfort else {
                var decision = leftAlone(ways, inputs, "no comfort goal; set a temperature and a band")
                offerSurplus(&decision, ways, inputs)
                return decision
            }
            decision = ways.carriedOut(guided(inputs, reading, comfort, isWaiting))
            decision.reason += Self.text(setback)
            offerSurplus(&decision, ways, inputs)
        }
        return decision
    }

    mutating func leftAlone(_ ways: HeatingWays, _ inputs: TickInputs, _ reason: String) -> HeatPumpDecision {
        forgetPlan()
        var decision = HeatPumpDecision(
            state: ways.hasStates ? .normal : nil, isRelease: ways.hasStates, setpointCelsius: ways.setpoint(.normal),
            reason: reason, guidance: following(inputs, false))
        decision.offsetKelvin = ways.offset(.normal)
        decision.surplusWatts = ways.mostSurplus.map { _ in 0 }
        return decision
    }

    /// By how many kelvin it is set back, because nobody is at home.
    private func setback(_ inputs: TickInputs, _ reading: DeviceReading) -> Double? {
        guard inputs.isAway, let kelvin = inputs.device.configuration.awaySetbackKelvin, kelvin > 0,
            use.comfort != nil, hasToldMode || inputs.device.capabilities.hvac?.mode != true
        else { return nil }
        return kelvin
    }

    /// What people want: the same band around a temperature that is lower, for cooling higher, while they are away.
    private func comfort(_ setback: Double?) -> ComfortGoal? {
        guard var comfort = use.comfort, let setback else { return use.comfort }
        comfort.setpointCelsius += isCooling ? setback : -setback
        return comfort
    }

    private static func text(_ setback: Double?) -> String {
        setback.map { "; set back by \(PlainNumber.text($0)) K, since nobody is at home" } ?? ""
    }

    private mutating func guided(
        _ inputs: TickInputs, _ reading: DeviceReading, _ comfort: ComfortGoal, _ isWaiting: Bool
    ) -> HeatPumpDecision {
        if let guidance = inputs.guidance {
            let key = PlanKey(
                token: guidance.guidanceToken, comfort: comfort, knowsRoom: reading[.roomCelsius] != nil,
                isCooling: isCooling)
            if key != planKey { plan = reductions(inputs, reading, comfort, guidance) }
            planKey = key
        } else if plan?.nextEdge(after: inputs.now) == nil {
            // A plan from before goes on; without one the first guidance is worth a moment's patience.
            guard !isWaiting else { return HeatPumpDecision(reason: "waiting for the first guidance") }
            forgetPlan()
        }
        guard let plan else { return HeatPumpDecision(state: .normal, reason: "no guidance; runs as usual") }
        let token = inputs.guidance?.guidanceToken ?? plan.token
        guard let interval = plan.interval(at: inputs.now), let wanted = interval.reduce, wanted != .normal else {
            return HeatPumpDecision(
                state: .normal, reason: plan.reason,
                guidance: token.map { FollowedGuidance(token: $0, isFollowing: true) })
        }
        // Stored heat can wait, and is what a car's plan knew nothing of.
        let isLimited = inputs.limits.externalWatts != nil
        guard wanted != .boosted || !(inputs.carsHurry || isLimited) else {
            return HeatPumpDecision(
                state: .normal,
                reason: isLimited
                    ? "no heat is stored under \(inputs.limits.externalName)" : "a car needs the connection first",
                guidance: token.map { FollowedGuidance(token: $0, isFollowing: false) })
        }
        // What is measured comes before what was predicted: outside the band it runs as usual, whatever the plan says.
        if let room = reading[.roomCelsius], isOutside(room, comfort, wanted) { brokenOff = interval }
        if let brokenOff, brokenOff.reduce == wanted, brokenOff.end > inputs.now, brokenOff.start <= inputs.now {
            return HeatPumpDecision(
                state: .normal, reason: "the room is outside its band; comfort comes first",
                guidance: token.map { FollowedGuidance(token: $0, isFollowing: false) })
        }
        return HeatPumpDecision(
            state: wanted, reason: plan.reason, guidance: token.map { FollowedGuidance(token: $0, isFollowing: true) })
    }

    /// Whether the room is beyond the end of the band that a load state drives it to.
    func isOutside(_ room: Double, _ comfort: ComfortGoal, _ state: ReduceState) -> Bool {
        let cools = isCooling == (state == .boosted)
        return cools
            ? room < comfort.setpointCelsius - comfort.comfortBandKelvin
            : room > comfort.setpointCelsius + comfort.comfortBandKelvin
    }

    private func reductions(
        _ inputs: TickInputs, _ reading: DeviceReading, _ comfort: ComfortGoal, _ guidance: ElectricityGuidance
    ) -> DevicePlan {
        // The weather of the coming hours is not known; the present temperature outside is the best guess there is.
        let slots = guidance.values.map {
            RatedSlot(
                start: $0.interval.start, end: $0.interval.end, rating: $0.rating,
                outdoorCelsius: reading[.outdoorCelsius])
        }
        let hvac = inputs.device.capabilities.hvac
        let states = hvac?.reduce ?? []
        let canBoost = states.isEmpty || states.contains(.boosted) || hvac?.offsetKelvin != nil
        // In whole seconds, as the planner counts: a reduction that runs must not pause until the next one.
        let wholeSecond = Date(timeIntervalSince1970: inputs.now.timeIntervalSince1970.rounded(.down))
        // What runs is finished: new guidance each hour must not start and stop the compressor.
        let running = plan?.interval(at: inputs.now)
        let now = running?.end ?? wholeSecond
        var reductions = use.reductions ?? []
        if let since = use.reducedSince { reductions.append(DateInterval(start: since, end: max(since, inputs.now))) }
        if let running, running.reduce == .reduced {
            reductions.append(DateInterval(start: min(running.start, now), end: now))
        }
        let task = ReductionTask(
            slots: slots, now: now, house: HouseModel(purpose: isCooling ? .cooling : .heating),
            roomCelsius: reading[.roomCelsius], setpointCelsius: comfort.setpointCelsius,
            comfortBandKelvin: comfort.comfortBandKelvin, preheatSeconds: canBoost ? 3600 : 0,
            recentReductions: HeatPumpControl.merged(reductions))
        let found = HVACReduction.plan(task)
        let wording = PlanWording(
            timeZone: inputs.venue.timeZone, currencyCode: inputs.venue.currency ?? "", now: inputs.now)
        return DevicePlan(
            deviceID: inputs.device.configuration.id, venueID: inputs.venue.id, computedAt: inputs.now,
            token: guidance.guidanceToken,
            intervals: (running.map { [$0] } ?? [])
                + found.intervals.map {
                    DevicePlan.Interval(start: $0.start, end: $0.end, reduce: $0.kind == .reduce ? .reduced : .boosted)
                },
            reason: PlanExplanation.sentence(found, wording))
    }

    // MARK: - Memory

    /// An air conditioner at rest is still one: what it last did counts.
    private mutating func noteMode(_ reading: DeviceReading) {
        switch reading.hvacMode {
        case .cooling: (isCooling, hasToldMode) = (true, true)
        case .heating: (isCooling, hasToldMode) = (false, true)
        default: break
        }
    }

    /// Keeps the reductions of the last day, which count against the budget.
    private mutating func noteReductions(_ reading: DeviceReading) {
        defer { hasHeard = true }
        if use.reductions?.contains(where: { $0.end < reading.at.addingTimeInterval(-86_400) }) == true {
            use.reductions?.removeAll { $0.end < reading.at.addingTimeInterval(-86_400) }
        }
        let isReduced = reading.reduce.map { $0 == .reduced } ?? (lastState == .reduced)
        if isReduced {
            use.reducedSince = use.reducedSince ?? reading.at
        } else if let since = use.reducedSince {
            // After a restart nobody knows when it ended; it may be no more than what is allowed in a row.
            let latest = hasHeard ? reading.at : min(reading.at, since.addingTimeInterval(2 * 3600))
            use.reductions = (use.reductions ?? []) + [DateInterval(start: since, end: max(since, latest))]
            use.reducedSince = nil
        }
    }

    /// Spans without overlap, ascending, so that no minute counts twice.
    private static func merged(_ spans: [DateInterval]) -> [DateInterval] {
        spans.sorted { $0.start < $1.start }.reduce(into: []) { result, span in
            if let last = result.last, span.start <= last.end {
                result[result.count - 1] = DateInterval(start: last.start, end: max(last.end, span.end))
            } else {
                result.append(span)
            }
        }
    }

    mutating func forgetPlan() {
        plan = nil
        planKey = nil
    }

    func following(_ inputs: TickInputs, _ isFollowing: Bool) -> FollowedGuidance? {
        inputs.guidance.map { FollowedGuidance(token: $0.guidanceToken, isFollowing: isFollowing) }
    }
}
