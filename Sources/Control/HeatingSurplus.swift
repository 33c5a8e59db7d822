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
    private var follower = SurplusFollower()

    /// Seconds in which the device and the grid meter follow a new offer.
    static let settleSeconds = 10.0
    /// Seconds after which a device that was asked should draw.
    static let patienceSeconds = 900.0
    /// The steps of offers, in watts; one stands while the surplus is no step below it and no three above, so that a
    /// flickering meter is no write.
    static let stepWatts = 50.0

    /// What it is about to draw beyond what the grid meter has seen, in watts.
    func pendingWatts(at now: Date) -> Double {
        guard let changedAt, (0..<Self.settleSeconds).contains(now.timeIntervalSince(changedAt)) else { return 0 }
        return max(0, offeredWatts - offeredBefore)
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
        // What was measured before the offer says nothing of it; a device that fell silent is not waited for.
        let measuredAt = reading.flatMap { reading in
            reading.powerWatts != nil && inputs.now.timeIntervalSince(reading.at) < 60 ? reading.at : nil
        }
        if let changedAt, changedAt <= inputs.now,
            min(meteredAt, measuredAt ?? meteredAt, inputs.now) < changedAt.addingTimeInterval(Self.settleSeconds)
        {
            return min(offeredWatts, most)
        }
        let own = reading?.powerWatts ?? (drawsOnlyThis ? offeredWatts : 0)
        let left = min(max(0, max(0, own) - grid - inputs.pendingWatts), most)
        if let hvac = inputs.device.capabilities.hvac, !hvac.stagesPercent.isEmpty {
            // Between two steps nothing can be used.
            return note(hvac.stagesPercent[hvac.stage(within: left)] / 100 * (hvac.fullPowerWatts ?? 0), at: inputs.now)
        }
        let isSame =
            offeredWatts > 0 && left > offeredWatts - Self.stepWatts && left < offeredWatts + 3 * Self.stepWatts
        guard !isSame || left == most else { return note(min(offeredWatts, most), at: inputs.now) }
        return note((left / Self.stepWatts + 1e-9).rounded(.down) * Self.stepWatts, at: inputs.now)
    }

    /// What to ask of a device that can only be asked to take more: more while the surplus carries its whole power, and to
    /// run in any case where that much is still exported after it was asked for a while.
    /// - Returns: the load state to ask for, and why.
    mutating func ask(_ inputs: TickInputs, fullWatts: Double) -> (state: ReduceState, reason: String) {
        let measured = inputs.device.reading?.powerWatts
        let grid = inputs.gridWattsOfTheSun.map { $0 + inputs.pendingWatts }
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
