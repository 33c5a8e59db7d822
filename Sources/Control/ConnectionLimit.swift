import Foundation
import HubKit

/// How much current the connection to the grid leaves for a charger; pure.
enum ConnectionLimit {
    /// The share of the fuse that is used while the grid meter is not known: the house needs the rest.
    static let failSafeShare = 0.5

    /// Amps for each phase that the charger may draw.
    /// - Parameters:
    ///   - connection: the fuse; absent means that nothing limits.
    ///   - grid: the grid meter's fresh reading; absent while it is stale or dead.
    ///   - ownAmps: what the charger draws now, for each phase.
    ///   - phases: how many phases the charger uses.
    static func allowedAmps(
        _ connection: GridConnection?, grid: DeviceReading?, ownAmps: [Double?]?, phases: Int
    ) -> (amps: Double, isFailSafe: Bool) {
        guard let connection else { return (.infinity, false) }
        guard let grid else { return (connection.amps * failSafeShare, true) }
        let used = signedAmps(grid)
        guard !used.isEmpty else { return (connection.amps * failSafeShare, true) }
        let free = (0..<min(max(phases, 1), 3)).compactMap { phase -> Double? in
            guard let amps = used[phase] ?? used[0], let amps else { return nil }
            let own = ownAmps.flatMap { $0.indices.contains(phase) ? $0[phase] : nil } ?? 0
            return connection.amps - (amps - own)
        }
        guard let least = free.min() else { return (connection.amps * failSafeShare, true) }
        return (max(0, least), false)
    }

    /// Currents by phase, negative for export: many meters give the size alone, so the sign comes from the power.
    private static func signedAmps(_ grid: DeviceReading) -> [Int: Double?] {
        let pairs: [(Quantity, Quantity)] = [
            (.currentL1Amps, .powerL1Watts), (.currentL2Amps, .powerL2Watts), (.currentL3Amps, .powerL3Watts),
        ]
        var amps: [Int: Double?] = [:]
        for (phase, pair) in pairs.enumerated() {
            guard let current = grid[pair.0] else { continue }
            let watts = grid[pair.1] ?? grid.powerWatts ?? 0
            amps[phase] = watts < 0 ? -abs(current) : abs(current)
        }
        if amps.isEmpty, let watts = grid.powerWatts {
            // Only the sum is known: take the phases as even, the house's own imbalance stays within the fuse's reserve.
            for phase in 0..<3 { amps[phase] = watts / 3 / 230 }
        }
        return amps
    }
}
