import EnergyKit
import Foundation
import HubKit
import Planning

/// What one tick decided about heating or cooling.
struct HeatPumpDecision: Equatable, Sendable {
    /// The load state; nothing leaves it as it is.
    var state: ReduceState?
    /// The setpoint to write, where the device takes one.
    var setpointCelsius: Double?
    /// Why, in a few words.
    var reason: String
    /// The guidance it works under.
    var guidance: FollowedGuidance?
}

/// Decides about one heat pump: reduced in the worst-rated hours, never outside the comfort band; pure but for what it
/// remembers from tick to tick.
struct HeatPumpControl: Sendable {
    /// How it is used; written to disk when it changed.
    var use: DeviceUse
    /// The plan in force.
    private(set) var plan: DevicePlan?
    private var planKey: PlanKey?
    private var recent: [DateInterval] = []
    private var reducedSince: Date?

    private struct PlanKey: Equatable {
        var token: UUID
        var comfort: ComfortGoal
        var knowsRoom: Bool
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
        noteReductions(reading, at: inputs.now)
        let canReduce = inputs.device.capabilities.hvac?.reduce.contains(.reduced) == true
        let setpoint = inputs.device.capabilities.hvac?.setpointCelsius == nil ? nil : use.comfort?.setpointCelsius
        let mode = use.mode ?? .guided
        guard mode == .guided, canReduce else {
            forgetPlan()
            let reason = mode != .guided ? "left alone" : "it can't be reduced"
            return HeatPumpDecision(
                state: canReduce ? .normal : nil, setpointCelsius: mode == .off ? nil : setpoint, reason: reason,
                guidance: following(inputs, false))
        }
        guard let comfort = use.comfort else {
            forgetPlan()
            return HeatPumpDecision(
                state: .normal, reason: "no comfort goal; set a temperature and a band",
                guidance: following(inputs, false))
        }
        guard let guidance = inputs.guidance else {
            forgetPlan()
            return HeatPumpDecision(state: .normal, setpointCelsius: setpoint, reason: "no guidance; runs as usual")
        }
        var decision = guided(inputs, reading, comfort, guidance)
        decision.setpointCelsius = setpoint
        return decision
    }

    private mutating func guided(
        _ inputs: TickInputs, _ reading: DeviceReading, _ comfort: ComfortGoal, _ guidance: ElectricityGuidance
    ) -> HeatPumpDecision {
        let key = PlanKey(token: guidance.guidanceToken, comfort: comfort, knowsRoom: reading[.roomCelsius] != nil)
        if key != planKey {
            plan = reductions(inputs, reading, comfort, guidance)
            planKey = key
        }
        guard let plan else { return HeatPumpDecision(state: .normal, reason: "runs as usual") }
        let wanted = plan.interval(at: inputs.now)?.reduce ?? .normal
        // What is measured comes before what was predicted: outside the band it heats, whatever the plan says.
        if wanted == .reduced, let room = reading[.roomCelsius], isOutside(room, comfort, reading) {
            return HeatPumpDecision(
                state: .normal, reason: String(format: "the room is at %.1f °C; comfort comes first", room),
                guidance: FollowedGuidance(token: guidance.guidanceToken, isFollowing: false))
        }
        return HeatPumpDecision(
            state: wanted, reason: plan.reason,
            guidance: FollowedGuidance(token: guidance.guidanceToken, isFollowing: true))
    }

    private func isOutside(_ room: Double, _ comfort: ComfortGoal, _ reading: DeviceReading) -> Bool {
        reading.hvacMode == .cooling
            ? room > comfort.setpointCelsius + comfort.comfortBandKelvin
            : room < comfort.setpointCelsius - comfort.comfortBandKelvin
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
        let isCooling = reading.hvacMode == .cooling
        let canBoost = inputs.device.capabilities.hvac?.reduce.contains(.boosted) == true
        // In whole seconds, as the planner counts: a reduction that runs must not pause until the next one.
        let wholeSecond = Date(timeIntervalSince1970: inputs.now.timeIntervalSince1970.rounded(.down))
        // What runs is finished: new guidance each hour must not start and stop the compressor.
        let running = plan?.interval(at: inputs.now)
        let now = running?.end ?? wholeSecond
        var reductions = recent
        if let since = reducedSince { reductions.append(DateInterval(start: since, end: max(since, inputs.now))) }
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

    /// Keeps the reductions of the last day, which count against the budget.
    private mutating func noteReductions(_ reading: DeviceReading, at now: Date) {
        recent.removeAll { $0.end < now.addingTimeInterval(-86_400) }
        if reading.reduce == .reduced {
            reducedSince = reducedSince ?? reading.at
        } else if let since = reducedSince {
            recent.append(DateInterval(start: since, end: max(since, reading.at)))
            reducedSince = nil
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

    private mutating func forgetPlan() {
        plan = nil
        planKey = nil
    }

    private func following(_ inputs: TickInputs, _ isFollowing: Bool) -> FollowedGuidance? {
        inputs.guidance.map { FollowedGuidance(token: $0.guidanceToken, isFollowing: isFollowing) }
    }
}
