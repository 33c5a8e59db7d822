package import Foundation
package import HubKit
import ThreadKit

/// What the hub means to do with one device, for people, the API and the controller itself.
package struct DevicePlan: Sendable, Equatable {
    /// One span of the plan, half-open.
    package struct Interval: Sendable, Equatable, Codable {
        /// First instant.
        package var start: Date
        /// First instant after it.
        package var end: Date
        /// Planned power in watts; for heating and cooling the expected power, where it is known.
        package var powerWatts: Double?
        /// The load state of heating or cooling in this span.
        package var reduce: ReduceState?

        /// Makes a span.
        package init(start: Date, end: Date, powerWatts: Double? = nil, reduce: ReduceState? = nil) {
            self.start = start
            self.end = end
            self.powerWatts = powerWatts
            self.reduce = reduce
        }
    }

    /// The device.
    package var deviceID: DeviceID
    /// Its home.
    package var venueID: UUID
    /// When it was computed.
    package var computedAt: Date
    /// The guidance it was made from.
    package var token: UUID?
    /// Spans, ascending.
    package var intervals: [Interval]
    /// Energy at the meter, in watt-hours; absent where it is not known.
    package var energyWattHours: Double?
    /// Cost in the venue's currency.
    package var cost: Double?
    /// What the same energy would cost if charged at once, in the venue's currency; absent where it can't be had so.
    package var costIfStartedNow: Double?
    /// Carbon in grams.
    package var gramsCO2: Double?
    /// What could not be planned before the deadline, in watt-hours.
    package var unmetWattHours: Double
    /// One sentence for people: what, and why.
    package var reason: String

    /// Makes a plan.
    package init(
        deviceID: DeviceID, venueID: UUID, computedAt: Date, token: UUID?, intervals: [Interval],
        energyWattHours: Double? = nil, cost: Double? = nil, gramsCO2: Double? = nil, unmetWattHours: Double = 0,
        reason: String
    ) {
        self.deviceID = deviceID
        self.venueID = venueID
        self.computedAt = computedAt
        self.token = token
        self.intervals = intervals
        self.energyWattHours = energyWattHours
        self.cost = cost
        self.gramsCO2 = gramsCO2
        self.unmetWattHours = unmetWattHours
        self.reason = reason
    }

    /// The span that holds an instant.
    package func interval(at instant: Date) -> Interval? {
        intervals.first { $0.start <= instant && instant < $0.end }
    }

    /// The first edge after an instant, where something changes.
    package func nextEdge(after instant: Date) -> Date? {
        intervals.lazy.flatMap { [$0.start, $0.end] }.first { $0 > instant }
    }
}

/// The plans in force, for whoever shows them.
package final class PlanBook: Sendable {
    private let plans = Locked<[DeviceID: DevicePlan]>([:])
    private let listeners = Listeners<DeviceID>(bufferingNewest: 64)

    /// An empty book.
    package init() {}

    /// The device's plan.
    package subscript(id: DeviceID) -> DevicePlan? { plans.withLock { $0[id] } }

    /// Every plan, by device.
    package var all: [DevicePlan] { plans.current.values.sorted { $0.deviceID < $1.deviceID } }

    /// Keeps a plan, or forgets it, and tells the listeners.
    package func post(_ plan: DevicePlan?, for id: DeviceID) {
        let isNew = plans.withLock { plans in
            guard plans[id] != plan else { return false }
            plans[id] = plan
            return true
        }
        if isNew { listeners.tell(id) }
    }

    /// Devices whose plan changes from now on.
    package func changes() -> AsyncStream<DeviceID> { listeners.stream() }
}
