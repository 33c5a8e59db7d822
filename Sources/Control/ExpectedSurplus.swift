package import Foundation

/// What a home's solar system is expected to give beyond what the house uses by itself, and what that would earn.
package struct ExpectedSurplus: Sendable, Equatable {
    /// A stretch with one expected power.
    package struct Slot: Sendable, Equatable {
        /// When it begins, inclusive.
        package var start: Date
        /// When it ends, exclusive.
        package var end: Date
        /// The power that is left over, in watts, not below 0.
        package var watts: Double
        /// What the house uses less what the sun gives, in watts: negative where something is left over.
        package var netWatts: Double
    }

    /// The stretches, ascending and without overlap; what is left out is unknown.
    package var slots: [Slot]
    /// What a kWh fed in earns, in the venue's currency: the price of using it.
    package var feedInPerKWh: Double

    /// Makes an expectation of forecast powers.
    /// - Parameters:
    ///   - forecast: start, end and watts of the solar system, ascending.
    ///   - baseLoadWatts: what the house uses by itself.
    ///   - feedInPerKWh: what a kWh fed in earns.
    package init(
        forecast: [(start: Date, end: Date, watts: Double)], baseLoadWatts: Double, feedInPerKWh: Double
    ) {
        slots = forecast.map {
            Slot(
                start: $0.start, end: $0.end, watts: max(0, $0.watts - baseLoadWatts),
                netWatts: baseLoadWatts - $0.watts)
        }
        self.feedInPerKWh = feedInPerKWh
    }

    init(slots: [Slot], feedInPerKWh: Double) {
        self.slots = slots
        self.feedInPerKWh = feedInPerKWh
    }

    /// The stretch that holds at an instant.
    func slot(at instant: Date) -> Slot? { slots.first { $0.start <= instant && instant < $0.end } }

    /// An interval cut wherever the expectation changes inside it.
    func pieces(of interval: DateInterval) -> [DateInterval] {
        let inside = Set(slots.flatMap { [$0.start, $0.end] }).filter { interval.start < $0 && $0 < interval.end }
        let edges = [interval.start] + inside.sorted() + [interval.end]
        return zip(edges, edges.dropFirst()).map { DateInterval(start: $0, end: $1) }
    }
}
