import Foundation
import HubKit

/// How a device is used, as it is kept on disk.
struct DeviceUse: Codable, Equatable, Sendable {
    var mode: DeviceMode?
    var charging: StoredGoal?
    var comfort: ComfortGoal?
    /// The charger's counter when the car was plugged in, to estimate its charge from.
    var pluggedAtWattHours: Double?

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
            minimumAmps: goal.minimumAmps, setAt: goal.setAt, baselineWattHours: nil, isReached: false, isLate: false)
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
        var next = self
        while next.readyBy <= now {
            next.readyBy =
                calendar.date(byAdding: .day, value: 1, to: next.readyBy) ?? next.readyBy.addingTimeInterval(86_400)
        }
        next.setAt = now
        next.baselineWattHours = counter
        next.isReached = false
        next.isLate = false
        return next
    }
}
