import Foundation
import HubKit

/// How much current the connection to the grid, the circuits and the grid operator leave for chargers; pure.
enum ConnectionLimit {
    /// The share of the fuse that is used while the grid meter is not known: the house needs the rest.
    static let failSafeShare = 0.5
    /// Seconds in which a car follows a new current.
    static let settleSeconds = 5.0

    /// Shares what there is among chargers (field case C-5).
    ///
    /// Those of a higher priority come first. Among equals each gets as much as the others, or less where it wants less, but
    /// first what its deadline needs; and none a current below its least. Where that is not enough for all, those with the
    /// most time to spare wait, among equals the later ones.
    /// - Parameters:
    ///   - connection: the fuse; absent means that it limits nothing.
    ///   - grid: the grid meter's fresh reading; absent while it is stale or dead.
    ///   - claims: the chargers, among equals the first served first.
    ///   - limits: circuits and the grid operator's limit.
    static func shares(
        _ connection: GridConnection?, grid: DeviceReading?, claims: [ConnectionClaim],
        limits: HomeLimits = HomeLimits()
    ) -> [ConnectionShare] {
        let used = connection.map { fuse in
            grid.map { signedAmps($0, phases: fuse.phases) } ?? [nil, nil, nil]
        }
        var serving = claims
        var shares = divide(connection, used, limits, claims)
        // Who gets nothing of one limit leaves the others to those who can charge.
        var limiters: [Int: String] = [:]
        while let idle = idle(serving, shares) {
            limiters[idle] = shares[idle].limiter
            serving[idle].wantedAmps = 0
            shares = divide(connection, used, limits, serving)
        }
        for (index, name) in limiters { shares[index].limiter = name }
        guard connection != nil, let grid, let changed = claims.compactMap(\.changedAt).max() else { return shares }
        let oldest = claims.map(\.readAt).reduce(grid.at, min)
        let isSettled = oldest >= changed.addingTimeInterval(settleSeconds)
        return shares.map { share in
            var share = share
            share.isSettled = isSettled || share.isFailSafe
            return share
        }
    }

    /// Who gets nothing although it wants something; the least important of them.
    private static func idle(_ claims: [ConnectionClaim], _ shares: [ConnectionShare]) -> Int? {
        claims.indices.filter { claims[$0].wantedAmps > 0 && shares[$0].amps == 0 }
            .min { claims[$0].priority < claims[$1].priority }
    }

    private static func divide(
        _ connection: GridConnection?, _ used: [Double?]?, _ limits: HomeLimits, _ claims: [ConnectionClaim]
    ) -> [ConnectionShare] {
        var shares = claims.map { _ in ConnectionShare(amps: .infinity) }
        if let connection, let used { divide(connection, used, claims, &shares) }
        for (name, amps) in limits.circuitAmps.sorted(by: { $0.key < $1.key }) {
            for phase in 0..<3 {
                let members = claims.indices.filter { claims[$0].circuit == name && claims[$0].phases > phase }
                for (index, share) in zip(members, divide(amps, among: members.map { claims[$0] })) {
                    shares[index].lower(to: share, by: "the circuit \(name)")
                }
            }
        }
        if let watts = limits.externalWatts {
            // In watts, since a charger on three phases draws three times as much with the same current.
            let scaled = claims.map { $0.scaled(by: 230 * Double($0.phases)) }
            for (index, share) in divide(watts, among: scaled).enumerated() {
                shares[index].lower(to: share / 230 / Double(claims[index].phases), by: limits.externalName)
            }
        }
        return shares
    }

    private static func divide(
        _ connection: GridConnection, _ used: [Double?], _ claims: [ConnectionClaim], _ shares: inout [ConnectionShare]
    ) {
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
    }

    /// Divides what one limit leaves: by priority, then what is left beside the others' wishes where that is enough, else
    /// evenly.
    private static func divide(_ free: Double, among claims: [ConnectionClaim]) -> [Double] {
        var amps = claims.map { _ in 0.0 }
        var left = free
        for priority in Set(claims.map(\.priority)).sorted(by: >) {
            let members = claims.indices.filter { claims[$0].priority == priority }
            let shares = divideEvenly(left, among: members.map { claims[$0] })
            for (index, share) in zip(members, shares) { amps[index] = share }
            left = max(0, left - members.reduce(0) { $0 + min(amps[$1], claims[$1].wantedAmps) })
        }
        return amps
    }

    private static func divideEvenly(_ free: Double, among claims: [ConnectionClaim]) -> [Double] {
        var amps = claims.map { _ in 0.0 }
        var served = claims.indices.filter { claims[$0].wantedAmps > 0 }
        while true {
            let even = even(free, served.map { claims[$0] })
            let tooLittle = zip(served, even).filter { index, amps in
                amps < min(claims[index].minimumAmps, claims[index].wantedAmps) - 1e-9
            }
            guard let waits = tooLittle.map(\.0).max(by: { waitsLess(claims, $0, than: $1) }) else {
                for (index, even) in zip(served, even) { amps[index] = claims[index].settable(even) }
                var rest = max(0, free - served.reduce(0) { $0 + amps[$1] })
                // What whole steps leave over makes another step for some of them.
                for index in served.sorted(by: { waitsLess(claims, $0, than: $1) }) {
                    let step = claims[index].stepAmps
                    guard step > 0, rest >= step - 1e-9, amps[index] + step <= claims[index].wantedAmps + 1e-9
                    else { continue }
                    amps[index] += step
                    rest -= step
                }
                // What nobody wants is open to each of them.
                for index in served { amps[index] += max(0, rest) }
                return amps
            }
            served.removeAll { $0 == waits }
        }
    }

    /// Who comes first where there is not enough for all.
    private static func waitsLess(_ claims: [ConnectionClaim], _ one: Int, than other: Int) -> Bool {
        let (first, second) = (claims[one].slackSeconds, claims[other].slackSeconds)
        return first == second ? one < other : first < second
    }

    /// What each gets: as much as the others, but no more than it wants and no less than its deadline needs.
    private static func even(_ free: Double, _ claims: [ConnectionClaim]) -> [Double] {
        let needs = claims.map { min($0.neededAmps, $0.wantedAmps) }
        guard needs.reduce(0, +) <= free else {
            var left = free
            var amps = needs
            for index in claims.indices.sorted(by: { waitsLess(claims, $0, than: $1) }) {
                amps[index] = min(needs[index], left)
                left -= amps[index]
            }
            return amps
        }
        guard claims.reduce(0, { $0 + $1.wantedAmps }) > free else { return claims.map(\.wantedAmps) }
        // Between two of these levels what is given grows evenly with the level.
        let edges = Set(needs + claims.map(\.wantedAmps)).union([0]).sorted()
        func given(_ level: Double) -> [Double] {
            zip(claims, needs).map { min(max(level, $1), $0.wantedAmps) }
        }
        let below = edges.last { given($0).reduce(0, +) <= free } ?? 0
        let growing = zip(claims, needs).count { $1 <= below && below < $0.wantedAmps }
        let left = free - given(below).reduce(0, +)
        return given(below + left / Double(max(1, growing)))
    }

    /// Currents by phase, negative for export: many meters give the size alone, so the sign comes from the power.
    /// - Returns: amps of L1, L2 and L3; absent where a phase is not known.
    static func signedAmps(_ grid: DeviceReading, phases: Int) -> [Double?] {
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
