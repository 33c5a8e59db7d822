import Foundation
import HubKit

/// What one charger draws of the connection to the grid, and what it wants of it.
struct ConnectionClaim: Equatable, Sendable {
    /// The current it wants for each phase, in amps; 0 where it pauses.
    var wantedAmps: Double
    /// The least current it charges with.
    var minimumAmps: Double
    /// Phases it uses, counted from L1.
    var phases: Int
    /// What it draws now on L1, L2 and L3.
    var drawnAmps: [Double]
    /// When that was measured.
    var readAt: Date
    /// When it was last asked for another current.
    var changedAt: Date?

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
}

/// How much current the connection to the grid leaves for chargers; pure.
enum ConnectionLimit {
    /// The share of the fuse that is used while the grid meter is not known: the house needs the rest.
    static let failSafeShare = 0.5
    /// Seconds in which a car follows a new current.
    static let settleSeconds = 5.0

    /// Shares the connection among chargers (field case C-5).
    ///
    /// Each gets as much as the others, or less where it wants less, and none a current below its least. Where that is
    /// not enough for all, the later ones wait.
    /// - Parameters:
    ///   - connection: the fuse; absent means that nothing limits.
    ///   - grid: the grid meter's fresh reading; absent while it is stale or dead.
    ///   - claims: the chargers, the first served first.
    static func shares(
        _ connection: GridConnection?, grid: DeviceReading?, claims: [ConnectionClaim]
    ) -> [ConnectionShare] {
        guard let connection else { return claims.map { _ in ConnectionShare(amps: .infinity) } }
        let used = grid.map { signedAmps($0, phases: connection.phases) } ?? [nil, nil, nil]
        var serving = claims
        var shares = divide(connection, used, claims)
        // Who gets nothing on one of its phases leaves the others to those who can charge.
        while let idle = serving.indices.first(where: { serving[$0].wantedAmps > 0 && shares[$0].amps == 0 }) {
            serving[idle].wantedAmps = 0
            shares = divide(connection, used, serving)
        }
        guard let grid, let changed = claims.compactMap(\.changedAt).max() else { return shares }
        let oldest = claims.map(\.readAt).reduce(grid.at, min)
        let isSettled = oldest >= changed.addingTimeInterval(settleSeconds)
        return shares.map { share in
            var share = share
            share.isSettled = isSettled || share.isFailSafe
            return share
        }
    }

    private static func divide(
        _ connection: GridConnection, _ used: [Double?], _ claims: [ConnectionClaim]
    ) -> [ConnectionShare] {
        var shares = claims.map { _ in ConnectionShare(amps: .infinity) }
        for phase in 0..<(connection.phases == 1 ? 1 : 3) {
            let members = claims.indices.filter { claims[$0].phases > phase }
            let drawn = claims.reduce(0) { $0 + $1.drawnAmps[phase] }
            let free = used[phase].map { max(0, connection.amps - ($0 - drawn)) } ?? connection.amps * failSafeShare
            for (index, amps) in zip(members, divide(free, among: members.map { claims[$0] })) {
                shares[index].amps = min(shares[index].amps, amps)
                shares[index].isFailSafe = shares[index].isFailSafe || used[phase] == nil
                shares[index].isOverloaded =
                    shares[index].isOverloaded || used[phase].map { $0 > connection.amps } ?? false
            }
        }
        return shares
    }

    /// Divides one phase's current: what is left beside the others' wishes where that is enough, else evenly.
    private static func divide(_ free: Double, among claims: [ConnectionClaim]) -> [Double] {
        var amps = claims.map { _ in 0.0 }
        var served = claims.indices.filter { claims[$0].wantedAmps > 0 }
        while true {
            let level = level(free, served.map { claims[$0].wantedAmps })
            guard
                let tooLittle = served.last(where: { level < min(claims[$0].minimumAmps, claims[$0].wantedAmps) - 1e-9 }
                )
            else {
                // What nobody wants is open to each of them.
                let rest = max(0, free - served.reduce(0) { $0 + min(level, claims[$1].wantedAmps) })
                for index in served { amps[index] = min(level, claims[index].wantedAmps) + rest }
                return amps
            }
            served.removeAll { $0 == tooLittle }
        }
    }

    /// The current that no wish may exceed so that all together fit; infinite where they fit anyway.
    private static func level(_ free: Double, _ wishes: [Double]) -> Double {
        guard wishes.reduce(0, +) > free else { return .infinity }
        var left = free
        for (index, wish) in wishes.sorted().enumerated() {
            let even = left / Double(wishes.count - index)
            if wish >= even { return even }
            left -= wish
        }
        return .infinity
    }

    /// Currents by phase, negative for export: many meters give the size alone, so the sign comes from the power.
    /// - Returns: amps of L1, L2 and L3; absent where a phase is not known.
    private static func signedAmps(_ grid: DeviceReading, phases: Int) -> [Double?] {
        let pairs: [(Quantity, Quantity)] = [
            (.currentL1Amps, .powerL1Watts), (.currentL2Amps, .powerL2Watts), (.currentL3Amps, .powerL3Watts),
        ]
        let amps = pairs.map { current, power -> Double? in
            if let amps = grid[current] { return (grid[power] ?? grid.powerWatts ?? 0) < 0 ? -abs(amps) : abs(amps) }
            return grid[power].map { $0 / 230 }
        }
        if amps.contains(where: { $0 != nil }) { return amps }
        guard let watts = grid.powerWatts else { return [nil, nil, nil] }
        // Only the sum is known: take the phases as even, the house's own imbalance stays within the fuse's reserve.
        let even = watts / 230 / (phases == 1 ? 1 : 3)
        return [even, even, even]
    }
}
