import EnergyKit
import Foundation
import HubKit
import Planning

/// What one tick decided about a home battery.
struct BatteryDecision: Equatable, Sendable {
    /// What it is told; nothing leaves it as it is.
    var order: BatteryOrder?
    /// Why, in a few words that stay the same while nothing changes.
    var reason: String
    /// The guidance it works under.
    var guidance: FollowedGuidance?
}

/// What chargers do beside a home battery.
struct ChargersBeside: Equatable, Sendable {
    /// What they mean to draw.
    var intervals: [DevicePlan.Interval] = []
    /// What they draw now, in watts.
    var drawnWatts = 0.0
    /// The current that they are about to draw beyond that, on the fullest phase, in amps.
    var pendingAmps = 0.0
    /// What they are allowed to draw beyond what they draw now, in watts.
    var pendingWatts = 0.0
    /// The least time that one of them has to spare before its deadline, in seconds.
    var leastSlackSeconds = Double.infinity
    /// Whether one with a deadline may draw now.
    var isHeadingForDeadline = false
}

/// Decides about one home battery: it follows the house, but where keeping its charge or filling it from the grid is
/// cheaper; pure but for what it remembers from tick to tick.
///
/// Whatever is not known, it follows the house by itself: that is safe without the hub.
struct BatteryControl: Sendable {
    /// How it is used; written to disk when it changed.
    var use: DeviceUse
    /// The plan in force.
    private(set) var plan: DevicePlan?
    private var planKey: PlanKey?
    private var guidanceWait = GuidanceWait()
    /// What it was told last.
    private(set) var lastOrder: BatteryOrder?

    private struct PlanKey: Equatable {
        var token: UUID
        var beside: [DevicePlan.Interval]
    }

    /// How old a plan may be: the charge and the house go other ways than expected.
    static let lifeSeconds = 900.0
    /// The part of what the fuse leaves that a battery takes.
    static let share = 0.9
    /// Orders are given in steps, so that not every tick writes to the device, in watts.
    static let stepWatts = 100.0
    /// The least power it is charged with, in watts.
    static let leastWatts = 300.0

    /// Takes up a battery.
    init(use: DeviceUse, resuming plan: DevicePlan? = nil) {
        self.use = use
        self.plan = plan
    }

    /// Decides what the battery is to do now.
    mutating func decide(_ inputs: TickInputs, beside chargers: ChargersBeside) -> BatteryDecision {
        guard let reading = inputs.device.reading, inputs.device.health.state != .offline,
            let battery = inputs.device.configuration.battery
        else { return BatteryDecision(reason: "the battery was not heard yet") }
        guidanceWait.forgetFuture(at: inputs.now)
        let decision = chosen(inputs, reading, battery, chargers)
        if let order = decision.order { lastOrder = order }
        return decision
    }

    private mutating func chosen(
        _ inputs: TickInputs, _ reading: DeviceReading, _ battery: BatteryConfiguration, _ chargers: ChargersBeside
    ) -> BatteryDecision {
        let mode = use.mode ?? .guided
        guard mode != .off else {
            forgetPlan()
            return follow(inputs, "follows the house by itself")
        }
        if let fault = inputs.gridFault { return follow(inputs, "follows the house by itself, because \(fault)") }
        if mode == .now {
            forgetPlan()
            return charge(
                battery.chargeWatts, inputs, reading, battery, chargers, "charging as fast as the connection bears",
                false)
        }
        guard let percent = reading[.stateOfChargePercent] else {
            forgetPlan()
            return follow(inputs, "follows the house by itself, because its charge is not known")
        }
        if let guidance = inputs.guidance {
            replan(inputs, guidance, percent, battery, chargers)
        } else if plan?.nextEdge(after: inputs.now) == nil {
            guard !guidanceWait.isWaiting(false, at: inputs.now) else {
                return BatteryDecision(reason: "waiting for the first guidance")
            }
            forgetPlan()
            return follow(inputs, "follows the house by itself, because there is no guidance")
        }
        guard let plan else { return follow(inputs, "follows the house by itself") }
        guard let interval = plan.interval(at: inputs.now), let watts = interval.powerWatts else {
            return BatteryDecision(order: .automatic, reason: plan.reason, guidance: following(inputs, true))
        }
        guard watts > 0 else {
            return BatteryDecision(order: .hold, reason: plan.reason, guidance: following(inputs, true))
        }
        return charge(watts, inputs, reading, battery, chargers, plan.reason, true)
    }

    /// Charges with what the connection bears beside everything else.
    private func charge(
        _ wanted: Double, _ inputs: TickInputs, _ reading: DeviceReading, _ battery: BatteryConfiguration,
        _ chargers: ChargersBeside, _ reason: String, _ isFollowing: Bool
    ) -> BatteryDecision {
        guard inputs.device.capabilities.battery?.charge == true else {
            return follow(inputs, "follows the house by itself, because it can't be charged from the grid")
        }
        // A limit from outside is for all that draws on purpose; chargers have goals, a battery has none.
        guard inputs.limits.externalWatts(at: inputs.now) == nil else {
            return follow(inputs, "follows the house by itself, because \(inputs.limits.externalName) holds")
        }
        var watts = min(wanted, battery.chargeWatts)
        if let connection = inputs.venue.connection {
            guard let room = room(connection, inputs, reading, chargers) else {
                return follow(inputs, "follows the house by itself, because \(GridView.unusable)")
            }
            watts = min(watts, room)
        }
        watts = (watts / BatteryControl.stepWatts).rounded(.down) * BatteryControl.stepWatts
        let guidance = following(inputs, isFollowing)
        guard watts >= BatteryControl.leastWatts else {
            let order: BatteryOrder = inputs.device.capabilities.battery?.hold == true ? .hold : .automatic
            return BatteryDecision(order: order, reason: "waiting for room on the connection", guidance: guidance)
        }
        return BatteryDecision(order: .charge(watts: watts), reason: reason, guidance: guidance)
    }

    /// What the fuse leaves the battery, in watts: on the fullest phase, with what chargers are about to draw.
    private func room(
        _ connection: GridConnection, _ inputs: TickInputs, _ reading: DeviceReading, _ chargers: ChargersBeside
    ) -> Double? {
        guard let grid = inputs.grid else { return nil }
        let phases = connection.phases == 1 ? 1 : 3
        let amps = ConnectionLimit.signedAmps(grid, phases: connection.phases).prefix(phases).compactMap(\.self)
        guard amps.count == phases, let fullest = amps.max() else { return nil }
        let own = max(0, -(reading.powerWatts ?? 0))
        let free = connection.amps - fullest - chargers.pendingAmps
        return max(0, (free * 230 * Double(phases) + own) * BatteryControl.share)
    }

    private mutating func forgetPlan() {
        plan = nil
        planKey = nil
    }

    private func follow(_ inputs: TickInputs, _ reason: String) -> BatteryDecision {
        BatteryDecision(order: .automatic, reason: reason, guidance: following(inputs, false))
    }

    private mutating func replan(
        _ inputs: TickInputs, _ guidance: ElectricityGuidance, _ percent: Double, _ battery: BatteryConfiguration,
        _ chargers: ChargersBeside
    ) {
        let key = PlanKey(token: guidance.guidanceToken, beside: chargers.intervals.filter { $0.end > inputs.now })
        let age = plan.map { inputs.now.timeIntervalSince($0.computedAt) } ?? .infinity
        if key == planKey, (0..<BatteryControl.lifeSeconds).contains(age) { return }
        planKey = key
        plan = BatteryRequest(
            inputs: inputs, guidance: guidance, stateOfCharge: percent, battery: battery, chargers: chargers,
            usualWatts: inputs.house.watts
        ).plan()
    }

    private func following(_ inputs: TickInputs, _ isFollowing: Bool) -> FollowedGuidance? {
        inputs.guidance.map { FollowedGuidance(token: $0.guidanceToken, isFollowing: isFollowing) }
    }
}
