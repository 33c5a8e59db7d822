import Foundation
import HubKit

/// Follows the house's own surplus with heating or cooling; pure but for its memory of what was offered last.
struct HeatingSurplus: Equatable, Sendable {
    /// What was offered last, in watts.
    private(set) var offeredWatts = 0.0
    /// Whether it is asked to take more because of the surplus.
    private(set) var isBoosting = false
    private var changedAt: Date?
    private var follower = SurplusFollower()

    /// Seconds in which the device and the grid meter follow a new offer.
    static let settleSeconds = 10.0
    /// What an offer changes by at least, in watts, so that a flickering meter is no write.
    static let stepWatts = 50.0

    /// The surplus to offer, in watts, from 0.
    /// - Parameters:
    ///   - inputs: what is known.
    ///   - most: the most that can be offered, in watts.
    ///   - drawsOnlyThis: whether the device draws nothing else, so that what it draws is known from the offer.
    mutating func offer(_ inputs: TickInputs, most: Double, drawsOnlyThis: Bool) -> Double {
        guard let grid = inputs.gridWattsOfTheSun, let meteredAt = inputs.grid?.at else {
            return note(0, at: inputs.now)
        }
        if let changedAt, changedAt <= inputs.now,
            min(meteredAt, inputs.now) < changedAt.addingTimeInterval(Self.settleSeconds)
        {
            return min(offeredWatts, most)
        }
        let own = inputs.device.reading?.powerWatts ?? (drawsOnlyThis ? offeredWatts : 0)
        let left = max(0, own) - grid - inputs.pendingWatts
        let whole = (left / Self.stepWatts + 1e-9).rounded(.down) * Self.stepWatts
        return note(min(max(0, whole), most), at: inputs.now)
    }

    /// Whether the surplus carries the whole power of a device that can only be asked to take more.
    /// - Returns: whether to ask, and why.
    mutating func boost(_ inputs: TickInputs, fullWatts: Double) -> (isOn: Bool, reason: String) {
        let measured = inputs.device.reading?.powerWatts
        let chosen = follower.power(
            gridWatts: inputs.gridWattsOfTheSun.map { $0 + inputs.pendingWatts }, fault: inputs.surplusFault,
            ownWatts: max(0, measured ?? (isBoosting ? fullWatts : 0)), minimumWatts: fullWatts,
            maximumWatts: fullWatts, keepsMinimum: false, at: inputs.now)
        isBoosting = chosen.watts > 0
        return (isBoosting, isBoosting ? "using the own surplus" : chosen.reason)
    }

    /// Forgets what it followed; nothing is offered any more.
    mutating func reset() { self = HeatingSurplus() }

    private mutating func note(_ watts: Double, at now: Date) -> Double {
        if watts != offeredWatts { changedAt = now }
        offeredWatts = watts
        return watts
    }
}
