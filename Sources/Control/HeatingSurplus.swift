import Foundation
import HubKit

/// Follows the house's own surplus with heating or cooling; pure but for its memory of what was offered last.
struct HeatingSurplus: Equatable, Sendable {
    /// What was offered last, in watts.
    private(set) var offeredWatts = 0.0
    /// Since when it is asked to take more because of the surplus.
    private var boostsSince: Date?
    /// Whether it did not take that, and is made to.
    private var isForcing = false
    /// Whether it is asked to take more because of the surplus.
    var isBoosting: Bool { boostsSince != nil }
    private var changedAt: Date?
    private var offeredBefore = 0.0
    private var askedWatts = 0.0
    private var follower = SurplusFollower()

    /// Seconds in which the device and the grid meter follow a new offer.
    static let settleSeconds = 10.0
    /// Seconds after which a new offer that was too much is taken back.
    static let hurrySeconds = 5.0
    /// Seconds for which a heat pump has what it was offered to itself.
    static let reservedSeconds = 300.0
    /// Seconds after which a device that was asked should draw.
    static let patienceSeconds = 900.0
    /// The steps of offers, in watts; one stands while the surplus is no step below it and no three above, so that a
    /// flickering meter is no write.
    static let stepWatts = 50.0

    /// What it is about to draw beyond what the grid meter has seen, in watts; negative where it is about to leave some.
    ///
    /// A heating rod follows at once. A heat pump takes minutes: what it was offered or asked to take stays its own so long.
    /// - Parameters:
    ///   - drawn: what it is measured to draw, in watts, where that is known.
    ///   - drawsOnlyThis: whether it draws nothing but what it is offered.
    ///   - now: when.
    func pendingWatts(drawn: Double?, drawsOnlyThis: Bool, at now: Date) -> Double {
        if drawsOnlyThis { return isWithin(Self.settleSeconds, of: changedAt, now) ? offeredWatts - offeredBefore : 0 }
        return max(
            reserved(offeredWatts, since: changedAt, drawn, now), reserved(askedWatts, since: boostsSince, drawn, now))
    }

    private func reserved(_ watts: Double, since start: Date?, _ drawn: Double?, _ now: Date) -> Double {
        guard isWithin(Self.reservedSeconds, of: start, now) else { return 0 }
        // Of what is not measured the meter has seen all after a minute, if it was taken.
        return max(0, watts - (drawn ?? (isWithin(60, of: start, now) ? 0 : watts)))
    }

    private func isWithin(_ seconds: Double, of start: Date?, _ now: Date) -> Bool {
        start.map { (0..<seconds).contains(now.timeIntervalSince($0)) } ?? false
    }

    /// The surplus to offer, in watts, from 0.
    /// - Parameters:
    ///   - inputs: what is known.
    ///   - most: the most that can be offered, in watts.
    ///   - drawsOnlyThis: whether the device draws nothing else, so that what it draws is known from the offer.
    mutating func offer(_ inputs: TickInputs, most: Double, drawsOnlyThis: Bool) -> Double {
        guard let grid = inputs.gridWattsOfTheSun, let meteredAt = inputs.grid?.at else {
            return note(0, at: inputs.now)
        }
        let reading = inputs.device.reading
        let measured = reading?.powerWatts.flatMap { watts in
            // What was measured before the offer says nothing of it.
            changedAt.map { $0 <= inputs.now && (reading?.at ?? $0) < $0 } == true ? nil : watts
        }
        let own = measured ?? (drawsOnlyThis ? offeredWatts : reading?.powerWatts ?? 0)
        let rods = drawsOnlyThis ? 0 : inputs.yieldedWatts
        let left = min(max(0, max(0, own) - grid + rods - inputs.pendingWatts), most)
        let since = changedAt.map { min(meteredAt, inputs.now).timeIntervalSince($0) } ?? .infinity
        if since < Self.settleSeconds, inputs.now >= changedAt ?? inputs.now {
            // What is bought is let go of sooner than what is exported is taken.
            guard since >= Self.hurrySeconds, left < offeredWatts - 4 * Self.stepWatts else {
                return min(offeredWatts, most)
            }
        }
        return note(stepped(left, most, inputs.device.capabilities.hvac), at: inputs.now)
    }

    /// What is offered of what is left, in whole steps.
    private func stepped(_ left: Double, _ most: Double, _ hvac: HVACCapabilities?) -> Double {
        if let hvac, !hvac.stagesPercent.isEmpty {
            // Between two steps nothing can be used.
            return hvac.stagesPercent[hvac.stage(within: left)] / 100 * (hvac.fullPowerWatts ?? 0)
        }
        let isSame =
            offeredWatts > 0 && left > offeredWatts - Self.stepWatts && left < offeredWatts + 3 * Self.stepWatts
        guard !isSame || left == most else { return min(offeredWatts, most) }
        return (left / Self.stepWatts + 1e-9).rounded(.down) * Self.stepWatts
    }

    /// What to ask of a device that can only be asked to take more: more while the surplus carries its whole power, and to
    /// run in any case where that much is still exported after it was asked for a while.
    /// - Returns: the load state to ask for, and why.
    mutating func ask(_ inputs: TickInputs, fullWatts: Double) -> (state: ReduceState, reason: String) {
        let measured = inputs.device.reading?.powerWatts
        // A heat pump makes more of the sun than a heating rod does.
        let grid = inputs.gridWattsOfTheSun.map { $0 + inputs.pendingWatts - inputs.yieldedWatts }
        askedWatts = fullWatts
        let chosen = follower.power(
            gridWatts: grid, fault: inputs.surplusFault,
            ownWatts: max(0, measured ?? (isBoosting ? fullWatts : 0)), minimumWatts: fullWatts,
            maximumWatts: fullWatts, keepsMinimum: false, at: inputs.now)
        guard chosen.watts > 0, let grid else {
            boostsSince = nil
            isForcing = false
            return (.normal, chosen.reason)
        }
        let since = min(boostsSince ?? inputs.now, inputs.now)
        boostsSince = since
        if grid <= -fullWatts, inputs.now.timeIntervalSince(since) >= Self.patienceSeconds { isForcing = true }
        return (isForcing ? .forced : .boosted, "using the own surplus")
    }

    /// Forgets what it followed; nothing is offered any more.
    mutating func reset() { self = HeatingSurplus() }

    private mutating func note(_ watts: Double, at now: Date) -> Double {
        if watts != offeredWatts { (changedAt, offeredBefore) = (now, offeredWatts) }
        offeredWatts = watts
        return watts
    }
}
