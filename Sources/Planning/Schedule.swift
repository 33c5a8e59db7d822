/// What every load does in each interval of a planning problem's horizon.
package struct Schedule: Sendable, Equatable {
    /// Contiguous intervals that cover the horizon.
    package var intervals: [Interval]

    /// Creates a schedule.
    package init(intervals: [Interval]) {
        self.intervals = intervals
    }

    /// A span of constant powers.
    package struct Interval: Sendable, Equatable {
        /// First second, since 1970.
        package var start: Int
        /// First second after it.
        package var end: Int
        /// Kilowatts drawn by each vehicle that charges.
        package var vehiclesKW: [String: Double]
        /// Kilowatts into the battery.
        package var batteryChargeKW: Double
        /// Kilowatts out of the battery.
        package var batteryDischargeKW: Double
        /// Kilowatts of solar production given up.
        package var curtailKW: Double

        /// Creates an interval in which nothing happens but what is named.
        package init(
            start: Int, end: Int, vehiclesKW: [String: Double] = [:], batteryChargeKW: Double = 0,
            batteryDischargeKW: Double = 0, curtailKW: Double = 0
        ) {
            self.start = start
            self.end = end
            self.vehiclesKW = vehiclesKW
            self.batteryChargeKW = batteryChargeKW
            self.batteryDischargeKW = batteryDischargeKW
            self.curtailKW = curtailKW
        }
    }
}

extension PlanningProblem {
    /// The horizon cut at every slot edge, arrival and departure: the spans within which powers are constant.
    func grid() -> [GridInterval] {
        let moments = vehicles.flatMap { [$0.arrival, $0.departure] }
        var grid: [GridInterval] = []
        for (index, slot) in slots.enumerated() {
            let cuts = Set(moments.filter { slot.start < $0 && $0 < slot.end }).sorted()
            let edges = [slot.start] + cuts + [slot.end]
            for (start, end) in zip(edges, edges.dropFirst()) {
                grid.append(GridInterval(start: start, end: end, slot: index))
            }
        }
        return grid
    }
}

/// A span of the refined horizon and the slot it lies in.
struct GridInterval {
    let start: Int
    let end: Int
    let slot: Int

    var seconds: Int { end - start }
    var hours: Double { Double(end - start) / 3600 }
}
