import Foundation
import HubKit

/// Drawing more than by itself, because a person or the sun says so, and keeping within limits from outside.
extension HeatPumpControl {
    /// What it does in mode `now`: it runs as it would by itself, at the temperature people want; what draws nothing but
    /// what it is offered is offered all it can draw.
    mutating func atOnce(_ ways: HeatingWays, _ inputs: TickInputs) -> HeatPumpDecision {
        surplus.reset()
        var decision = leftAlone(ways, inputs, "left alone")
        guard ways.drawsOnlySurplus else { return decision }
        decision.surplusWatts = ways.mostSurplus
        decision.reason = "drawing as much as it can, as asked"
        return decision
    }

    /// What it does in mode `solar`: it takes the own surplus, to the far end of its comfort band.
    mutating func followingTheSun(
        _ ways: HeatingWays, _ comfort: ComfortGoal?, _ inputs: TickInputs, _ reading: DeviceReading
    ) -> HeatPumpDecision {
        forgetPlan()
        if let comfort, let room = reading[.roomCelsius], !isStillSated(room, comfort) {
            isSated = isOutside(room, comfort, .boosted)
        }
        guard ways.canBoost || ways.mostSurplus != nil else { return leftAlone(ways, inputs, "left alone") }
        guard !isSated else {
            surplus.reset()
            return carriedOut(.normal, ways, inputs, "the room is at the end of its band")
        }
        var decision: HeatPumpDecision
        if inputs.limits.externalWatts != nil, !ways.drawsOnlySurplus {
            surplus.reset()
            return carriedOut(.normal, ways, inputs, "no more is drawn under \(inputs.limits.externalName)")
        }
        if !ways.canBoost {
            decision = carriedOut(.normal, ways, inputs, "")
        } else if let full = ways.fullWatts ?? mostWatts {
            let (state, reason) = surplus.ask(inputs, fullWatts: full)
            decision = carriedOut(ways.nearest(state), ways, inputs, reason)
        } else {
            decision = carriedOut(.normal, ways, inputs, "nobody knows how much it draws; set max_watts of its limits")
        }
        offerSurplus(&decision, ways, inputs)
        return decision
    }

    private func carriedOut(
        _ state: ReduceState, _ ways: HeatingWays, _ inputs: TickInputs, _ reason: String
    ) -> HeatPumpDecision {
        var decision = ways.carriedOut(
            HeatPumpDecision(state: state, reason: reason, guidance: following(inputs, false)))
        decision.surplusWatts = ways.mostSurplus.map { _ in 0 }
        return decision
    }

    /// Offers the own surplus to a device that takes it, except while it is reduced.
    mutating func offerSurplus(_ decision: inout HeatPumpDecision, _ ways: HeatingWays, _ inputs: TickInputs) {
        guard let most = ways.mostSurplus else { return }
        let isHeld = inputs.limits.externalWatts != nil && !ways.drawsOnlySurplus
        guard decision.state != .reduced, decision.aim != .reduced, !isHeld else {
            decision.surplusWatts = 0
            return
        }
        let watts = surplus.offer(inputs, most: most, drawsOnlyThis: ways.drawsOnlySurplus)
        decision.surplusWatts = watts
        guard ways.drawsOnlySurplus || decision.reason.isEmpty else { return }
        decision.reason =
            watts > 0
            ? "using the own surplus"
            : inputs.gridWattsOfTheSun == nil ? "\(inputs.surplusFault); waiting for it" : "waiting for surplus"
    }

    /// Whether a room that reached the end of its band has not come back from it yet.
    private func isStillSated(_ room: Double, _ comfort: ComfortGoal) -> Bool {
        guard isSated else { return false }
        let back = min(0.3, comfort.comfortBandKelvin / 2)
        return isCooling
            ? room < comfort.setpointCelsius - comfort.comfortBandKelvin + back
            : room > comfort.setpointCelsius + comfort.comfortBandKelvin - back
    }

    // MARK: - Limits from outside

    /// Keeps a decision within what a limit from outside leaves; that comes before everything.
    func limited(_ decision: HeatPumpDecision, _ inputs: TickInputs) -> HeatPumpDecision {
        var limited = decision
        let hvac = inputs.device.capabilities.hvac
        if let left = inputs.limitLeftWatts, hvac?.drawsOnlySurplus == true, let watts = decision.surplusWatts {
            limited.surplusWatts = min(watts, left)
            if left < watts { limited.reason += "; held down by \(inputs.limits.externalName)" }
        }
        if hvac?.powerLimitWatts != nil, inputs.limits.isLimitedFromOutside {
            limited.powerLimit = inputs.heatingShare?.watts.map { .watts($0) } ?? PowerLimit.none
            if let watts = inputs.heatingShare?.watts, watts < hvac?.fullPowerWatts ?? .infinity {
                let most = PlainNumber.text(watts, .powerWatts)
                limited.reason += "; limited to \(most) by \(inputs.limits.externalName)"
            }
        }
        guard let share = inputs.heatingShare, share.isLocked else { return limited }
        limited.state = .reduced
        limited.isRelease = false
        limited.isLock = true
        limited.aim = nil
        limited.reason = share.reason
        limited.guidance?.isFollowing = false
        if limited.offsetKelvin != nil { limited.offsetKelvin = 0 }
        if limited.surplusWatts != nil { limited.surplusWatts = 0 }
        return limited
    }

    /// What a limit from outside locked runs again at once when it ends, whatever its dwell time.
    mutating func noteLock(_ decision: inout HeatPumpDecision, at now: Date) {
        if case .watts? = decision.powerLimit { hasLimit = true }
        if decision.isLock {
            lockedAt = now
        } else if let lockedAt, decision.state == .normal, (0..<900).contains(now.timeIntervalSince(lockedAt)) {
            decision.isRelease = true
        } else {
            lockedAt = nil
        }
    }
}
