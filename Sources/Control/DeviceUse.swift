import Foundation
import HubKit

/// How a device is used, as it is kept on disk.
struct DeviceUse: Codable, Equatable, Sendable {
    var mode: DeviceMode?
    var charging: StoredGoal?
    var comfort: ComfortGoal?
    /// The price at or below which a charger charges at once; absent is no limit, and 0 is one.
    var limit: PriceLimit?
    /// The charger's counter when the car was plugged in, to estimate its charge from.
    var pluggedAtWattHours: Double?
    /// How much more was counted than the charger's counter shows, since that began anew: the count goes on from both
    /// after a restart of the hub.
    var counterAheadWattHours: Double?
    /// Reductions of the last day, which count against the budget after a restart too.
    var reductions: [DateInterval]?
    /// When the reduction that runs began.
    var reducedSince: Date?

    /// A charging goal with where it was counted from.
    struct StoredGoal: Codable, Equatable, Sendable {
        var energyWattHours: Double?
        var stateOfCharge: Double?
        var readyBy: Date
        var repeatsDaily: Bool
        var minimumAmps: Double?
        var setAt: Date
        /// The charger's counter when the goal was set, or at the first reading after that.
        var baselineWattHours: Double?
        /// Whether the goal was reached.
        var isReached: Bool
        /// Whether the deadline's overrun was said already.
        var isLate: Bool
        /// The deadline as a person set it: the days after are counted from it, so that a day without that time of day
        /// moves no later one.
        var firstReadyBy: Date?
    }

    var goal: DeviceGoal? {
        if let comfort { return .comfort(comfort) }
        return charging.map { .charge($0.goal) }
    }
}

extension DeviceUse.StoredGoal {
    init(_ goal: ChargingGoal) {
        var energy: Double?
        var percent: Double?
        switch goal.amount {
        case .energy(let wattHours): energy = wattHours
        case .stateOfCharge(let value): percent = value
        }
        self.init(
            energyWattHours: energy, stateOfCharge: percent, readyBy: goal.readyBy, repeatsDaily: goal.repeatsDaily,
            minimumAmps: goal.minimumAmps, setAt: goal.setAt, baselineWattHours: nil, isReached: false, isLate: false,
            firstReadyBy: goal.readyBy)
    }

    var goal: ChargingGoal {
        let amount: ChargingGoal.Amount =
            stateOfCharge.map { .stateOfCharge(percent: $0) } ?? .energy(wattHours: energyWattHours ?? 0)
        return ChargingGoal(
            amount: amount, readyBy: readyBy, repeatsDaily: repeatsDaily, minimumAmps: minimumAmps, setAt: setAt)
    }

    /// The same goal for the next day: the same time on the venue's wall clock, counted anew.
    /// - Parameters:
    ///   - zone: the venue's zone, since a day has 23, 24 or 25 hours.
    ///   - now: the goal is put into the future of this.
    ///   - counter: what energy is counted from.
    func nextDay(in zone: TimeZone, after now: Date, counter: Double?) -> DeviceUse.StoredGoal {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let first = firstReadyBy ?? readyBy
        var days = max(1, Int((min(now.timeIntervalSince(first), 3e9) / 86_400).rounded(.down)) - 1)
        var next = self
        while next.readyBy <= now {
            let sameTime = calendar.date(byAdding: .day, value: days, to: first)
            next.readyBy = sameTime ?? first.addingTimeInterval(Double(days) * 86_400)
            days += 1
        }
        next.setAt = now
        next.baselineWattHours = counter
        next.isReached = false
        next.isLate = false
        return next
    }
}
