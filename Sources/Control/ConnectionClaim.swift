import Foundation
import HubKit

/// What one charger draws of the connection to the grid, and what it wants of it.
struct ConnectionClaim: Equatable, Sendable {
    /// The current it wants for each phase, in amps; 0 where it pauses.
    var wantedAmps: Double
    /// The least current it charges with.
    var minimumAmps: Double
    /// The steps in which its current can be set above that; 0 where any can.
    var stepAmps = 0.0
    /// Phases it uses, counted from L1.
    var phases: Int
    /// What it draws now on L1, L2 and L3.
    var drawnAmps: [Double]
    /// When that was measured.
    var readAt: Date
    /// When it was last asked for another current.
    var changedAt: Date?
    /// The circuit it hangs on.
    var circuit: String?
    /// Who is served first where there is not enough for all: the higher.
    var priority = 0
    /// The current that meets its deadline if it gets it from now on; 0 without a deadline.
    var neededAmps = 0.0
    /// Seconds that it may pause at most without missing its deadline; infinite without one.
    var slackSeconds = Double.infinity

    /// Describes what a charger draws; where only its power is known, its phases are taken as even.
    init(
        wantedAmps: Double, minimumAmps: Double, phases: Int, reading: DeviceReading, changedAt: Date?
    ) {
        self.wantedAmps = wantedAmps
        self.minimumAmps = minimumAmps
        self.phases = min(max(phases, 1), 3)
        self.changedAt = changedAt
        readAt = reading.at
        if let amps = reading.currentAmps {
            drawnAmps = amps.map { max(0, $0 ?? 0) }
        } else {
            let even = max(0, reading.powerWatts ?? 0) / 230 / Double(self.phases)
            drawnAmps = (0..<3).map { $0 < min(max(phases, 1), 3) ? even : 0 }
        }
    }

    /// The same claim in another unit.
    func scaled(by factor: Double) -> ConnectionClaim {
        var scaled = self
        scaled.wantedAmps *= factor
        scaled.minimumAmps *= factor
        scaled.stepAmps *= factor
        scaled.neededAmps *= factor
        return scaled
    }

    /// The highest current not above this that can be set.
    func settable(_ amps: Double) -> Double {
        guard stepAmps > 0, amps >= minimumAmps else { return amps }
        return minimumAmps + ((amps - minimumAmps) / stepAmps + 1e-9).rounded(.down) * stepAmps
    }
}

/// What the connection leaves for one charger.
struct ConnectionShare: Equatable, Sendable {
    /// Amps for each phase that it may draw.
    var amps: Double
    /// Whether that is a guess, because the grid meter does not tell.
    var isFailSafe = false
    /// Whether all readings are from after the last change of a current, so that they fit together.
    var isSettled = true
    /// Whether more than the fuse's rating flows on one of its phases.
    var isOverloaded = false
    /// What circuits and the grid operator leave, which no measurement changes.
    var fixedAmps = Double.infinity
    /// What limits it, where that is not the connection.
    var limiter: String?

    /// Holds it below a limit that no measurement changes.
    mutating func lower(to most: Double, by name: String) {
        fixedAmps = min(fixedAmps, most)
        guard most < amps else { return }
        amps = most
        limiter = name
    }
}
