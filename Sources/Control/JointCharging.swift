import EnergyKit
import Foundation
import HubKit
import Planning

/// Several chargers that share a connection, circuits, a limit of the grid operator or the sun, planned together.
struct JointCharging: Sendable {
    var number: Int
    var members: [ChargingRequest]
    /// What each plan is made for.
    var keys: [DeviceID: ChargerControl.PlanKey]
    var limits: HomeLimits

    /// A difference of cost that is not worth more search, in the venue's currency.
    private static let enough = 0.001

    /// Whether a plan for each alone could not be the best for all.
    var isCoupled: Bool {
        guard members.count > 1, let first = members.first else { return false }
        if let sun = first.surplus, sun.slots.contains(where: { $0.watts > 0 && $0.end > first.now }) { return true }
        let house = (first.surplus?.slots ?? []).map(\.netWatts).max() ?? first.expectedHouseWatts
        return sharedLimits(withMargin: true).contains { limit in
            let wanted = members.reduce(0) { $0 + $1.power.maximumWatts * limit.share($1) }
            return wanted > limit.watts(beside: house) + 1
        }
    }

    /// The cheapest plans found for all together, with the least unmet energy also where the time is over at once; `nil`
    /// where the problem can't be stated.
    /// - Parameter deadlineSeconds: real time that may be taken.
    func plans(deadlineSeconds: Double) -> [DeviceID: DevicePlan]? {
        let end = ContinuousClock.now + .seconds(deadlineSeconds)
        // A little earlier and with a little less than is left, where that leaves nothing unmet.
        guard let early = solve(margin: true, deadlineSeconds / 2) else { return nil }
        guard early.isShort else { return try? early.board.plans(from: early.answer) }
        let left = Double((end - .now) / .microseconds(1)) / 1e6
        guard let late = solve(margin: false, max(0, left)) else { return try? early.board.plans(from: early.answer) }
        // Where the time is enough only if nothing comes in between, nobody waits for a cheap hour.
        return try? late.isShort
            ? late.board.plans(from: late.answer) : early.board.plans(from: early.answer, areHurried: true)
    }

    private func solve(
        margin: Bool, _ seconds: Double
    ) -> (board: JointProblem, answer: PlanAnswer, isShort: Bool)? {
        let board = JointProblem(self, withMargin: margin)
        guard
            let answer = try? Planner.solve(board.problem, deadlineSeconds: seconds, acceptableGap: Self.enough)
        else { return nil }
        return (board, answer, !answer.unmetEnergyKWh.isEmpty)
    }

    /// One limit that members share.
    struct Limit {
        var id: String
        /// Watts, or amps of one phase.
        var most: Double
        /// Phases the connection spreads the house's own load over; nothing where only chargers count.
        var housePhases: Double?
        /// When it ends; nothing where it does not.
        var until: Date?
        /// The part of what is left that chargers get of it.
        var usableShare = 1.0
        /// What chargers get of it beside an uneven load, both in watts.
        var beside: (@Sendable (Double) -> Double)?
        var counts: @Sendable (ChargingRequest) -> Double

        /// What part of a member's watts counts.
        func share(_ member: ChargingRequest) -> Double { counts(member) }

        /// Watts that are left beside the house's own load.
        func watts(beside house: Double) -> Double {
            let left = max(0, most - (housePhases.map { house / $0 } ?? 0)) * usableShare
            return beside?(left) ?? left
        }

        /// Watts that are left at a moment; much where the limit has ended by then.
        func watts(beside house: Double, at moment: Date) -> Double {
            until.map { moment >= $0 } ?? false ? 1e8 : watts(beside: house)
        }
    }

    /// Every limit, in watts of the phase that carries most: all chargers begin with L1.
    /// - Parameter withMargin: whether a little less than that is planned with.
    func sharedLimits(withMargin: Bool) -> [Limit] {
        var all: [Limit] = []
        let share = withMargin ? ChargingRequest.usableShare : 1
        if let first = members.first, let fuse = first.venue.connection {
            let wanted = members.reduce(0) { $0 + $1.power.maximumWatts / Double($1.power.phases) } / 230
            var limit = Limit(
                id: "the connection", most: fuse.amps * 230, housePhases: Double(fuse.phases), usableShare: share,
                counts: { 1 / Double($0.power.phases) })
            let uneven = first.house.uneven
            if withMargin { limit.beside = { uneven.usable(wanted, of: $0 / 230) * 230 } }
            all.append(limit)
        }
        for (name, amps) in limits.circuitAmps.sorted(by: { $0.key < $1.key }) {
            guard members.contains(where: { $0.circuit == name }) else { continue }
            all.append(
                Limit(
                    id: name, most: amps * 230, usableShare: share,
                    counts: { $0.circuit == name ? 1 / Double($0.power.phases) : 0 }))
        }
        if let watts = limits.externalWatts {
            all.append(
                Limit(
                    id: "the grid operator's limit", most: watts, until: limits.externalUntil, counts: { _ in 1 }))
        }
        return all
    }
}
