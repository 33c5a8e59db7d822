import Foundation
import HubKit

/// One tick of all chargers of one home; pure.
///
/// Every charger wishes first; then all wishes are limited together to what connection, circuits and grid operator
/// allow.
struct ChargerTick {
    /// What one charger is to do.
    struct Outcome {
        var inputs: TickInputs
        var decision: ChargerDecision
        /// What it wished before the limits, in amps.
        var wishedAmps: Double?

        var id: DeviceID { inputs.device.configuration.id }
    }

    /// What each charger is to do, the first served first.
    private(set) var outcomes: [Outcome] = []
    /// Whether chargers go by a guess, because the grid meter does not tell.
    private(set) var isFailSafe = false

    /// Decides.
    /// - Parameters:
    ///   - controls: the chargers of the home, which remember what was decided.
    ///   - inputs: what is known of each.
    ///   - planning: how they come to a common plan.
    init(
        _ controls: inout [DeviceID: ChargerControl], _ inputs: [TickInputs], _ planning: SharedPlanning
    ) {
        var reserved: [DevicePlan.Interval] = []
        for var inputs in inputs.sorted(by: Self.isServedFirst) {
            let id = inputs.device.configuration.id
            guard var control = controls[id] else { continue }
            inputs.isPlannedInCommon = planning.isCommon
            inputs.offer = planning.offer(to: id)
            inputs.reserved = planning.isCommon ? [] : reserved
            let decision = control.wish(inputs)
            controls[id] = control
            if control.plug != .unplugged, let plan = control.plan {
                reserved += plan.intervals.filter { $0.end > inputs.now }
            }
            outcomes.append(Outcome(inputs: inputs, decision: decision, wishedAmps: decision.amps))
        }
        limit(&controls)
    }

    /// By priority, as where the limits are shared: who plans first takes the cheapest hours.
    private static func isServedFirst(_ first: TickInputs, _ second: TickInputs) -> Bool {
        let (one, two) = (first.device.configuration, second.device.configuration)
        return one.priority == two.priority ? one.id < two.id : one.priority > two.priority
    }

    private mutating func limit(_ controls: inout [DeviceID: ChargerControl]) {
        guard let inputs = outcomes.first?.inputs else { return }
        let claims = outcomes.map { controls[$0.id]?.claim($0.decision, $0.inputs) }
        var limits = inputs.limits
        limits.externalWatts = limits.externalWatts.map { max(0, $0 - inputs.heatingWatts) }
        for (outcome, claim) in zip(outcomes, claims) where claim == nil {
            guard let control = controls[outcome.id], control.lastAmps > 0 else { continue }
            limits = limits.beside(
                unheard: control.lastAmps, phases: ChargerPower(outcome.inputs, observedMaximum: nil).phases,
                circuit: outcome.inputs.device.configuration.circuit)
        }
        var shares = ConnectionLimit.shares(
            inputs.venue.connection, grid: inputs.grid, claims: claims.compactMap { $0 }, limits: limits)[...]
        isFailSafe = shares.contains { $0.isFailSafe }
        for (index, claim) in claims.enumerated() {
            guard var control = controls[outcomes[index].id] else { continue }
            let share = claim == nil ? nil : shares.popFirst()
            outcomes[index].decision = control.limited(outcomes[index].decision, outcomes[index].inputs, share)
            controls[outcomes[index].id] = control
        }
    }

    /// What the chargers do beside a home battery.
    func beside(_ controls: [DeviceID: ChargerControl]) -> ChargersBeside {
        outcomes.reduce(into: ChargersBeside()) { beside, outcome in
            let reading = outcome.inputs.device.reading
            guard let control = controls[outcome.id], control.plug != .unplugged else { return }
            beside.intervals += control.plan?.intervals ?? []
            let watts = max(0, reading?.powerWatts ?? 0)
            beside.drawnWatts += watts
            let phases = Double(ChargerPower(outcome.inputs, observedMaximum: nil).phases)
            let drawn = reading?.currentAmps?.compactMap(\.self).max() ?? watts / 230 / phases
            let wished = max(outcome.wishedAmps ?? 0, control.lastAmps)
            beside.pendingAmps += max(0, wished - drawn)
            let allowed = (outcome.decision.amps ?? control.lastAmps) * 230 * phases
            beside.pendingWatts += max(0, allowed - watts)
            guard let haste = control.haste else { return }
            beside.leastSlackSeconds = min(beside.leastSlackSeconds, haste.slackSeconds)
            beside.isHeadingForDeadline = beside.isHeadingForDeadline || control.lastAmps > 0
        }
    }
}
