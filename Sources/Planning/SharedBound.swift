/// What loads under a common limit cost at least, with all their powers possible ones: a Lagrange relaxation.
///
/// Each load's energy gets a price of its own, and each interval then decides by itself which loads draw, among all sets
/// of them, and how much. Only the needs tie the intervals together, so that with many intervals and few loads the best
/// prices give nearly the least cost itself, where letting powers go down to nothing does not. The prices are sought
/// with ellipsoids that shrink around the best ones (Shor; Yudin and Nemirovski), cut as deep as the best value allows.
struct SharedBound {
    /// A set of loads that may draw in an interval.
    struct Choice {
        /// The interval.
        var span: Int
        /// The loads that draw, one bit each.
        var loads: UInt32
        /// How much more than the best set it costs, in micro-units times joules; less than that no answer with it can be
        /// above the bound.
        var regret: Double
    }

    private struct Interval {
        /// Loads that are there.
        var loads: [Int] = []
        /// Least and most energy, for every load.
        var least: [Double] = []
        var most: [Double] = []
        var ends: [Double] = []
        var prices: [Double] = []
        var room = 0.0
    }

    private let frame: SharedFlow.Frame
    private let intervals: [Interval]
    private let circuitRoom: [[Double]]

    /// Most loads whose sets are all looked at.
    static let mostLoads = 8

    /// `nil` where there are too many loads for this.
    init?(_ flow: SharedFlow, least: [Int64]) {
        frame = flow.frame
        let spans = frame.spans
        guard frame.loads <= Self.mostLoads else { return nil }
        var intervals = (0..<spans).map { span in
            let all = 0..<flow.frame.loads
            return Interval(
                loads: all.filter { flow.high[$0 * spans + span] > 0 },
                // A load that can draw any power down to nothing still draws something where it does.
                least: all.map { Double(max(1, least[$0 * spans + span])) },
                most: all.map { Double(flow.high[$0 * spans + span]) }, room: Double(flow.frame.room[span]))
        }
        for step in frame.steps {
            intervals[step.span].ends.append(Double(step.start + step.width))
            intervals[step.span].prices.append(Double(step.price))
        }
        self.intervals = intervals
        circuitRoom = frame.circuitRoom.map { $0.map(Double.init) }
    }

    /// The highest bound found, and the prices that give it.
    /// - Parameters:
    ///   - prices: where the search begins, one for each load.
    ///   - radius: how far the best prices may be from there.
    ///   - tolerance: a gain that is not worth more search, in micro-units times joules.
    ///   - end: when the search ends.
    func highest(
        from prices: [Double], radius: Double, tolerance: Double, until end: ContinuousClock.Instant?
    ) -> (bound: Double, prices: [Double]) {
        var search = Ellipsoid(center: prices, radius: max(radius, 1))
        var best = (bound: -Double.infinity, prices: prices)
        for round in 0..<(120 * (frame.loads + 1)) {
            if round > 3, let end, ContinuousClock.now >= end { break }
            let found = value(search.center)
            if found.value > best.bound { best = (found.value, search.center) }
            guard search.cut(towards: found.slope, missing: best.bound - found.value, tolerance: tolerance) else {
                break
            }
        }
        return best
    }

    /// Every set of loads whose regret is below a limit, interval by interval, the best set of each among them.
    func choices(at prices: [Double], below limit: Double) -> [Choice] {
        var work = Work(prices, frame.loads)
        return intervals.indices.flatMap { index -> [Choice] in
            let best = decide(index, &work)
            return (0..<(1 << intervals[index].loads.count)).compactMap { set in
                guard let cost = set == 0 ? 0 : cost(index, UInt32(set), &work), cost - best.cost < limit else {
                    return nil
                }
                return Choice(span: index, loads: loads(index, UInt32(set)), regret: max(0, cost - best.cost))
            }
        }
    }

    /// What is worked with at some prices, made once.
    private struct Work {
        let prices: [Double]
        /// Loads, those that pay most first.
        let order: [Int]
        var energies: [Double]
        var best: [Double]

        init(_ prices: [Double], _ loads: Int) {
            self.prices = prices
            order = (0..<loads).sorted { prices[$0] > prices[$1] }
            energies = Array(repeating: 0, count: loads)
            best = energies
        }
    }

    /// The relaxation's value at some prices, and what each price would gain.
    private func value(_ prices: [Double]) -> (value: Double, slope: [Double]) {
        var slope = prices.indices.map { Double(prices[$0] >= 0 ? frame.least[$0] : frame.most[$0]) }
        var value = zip(slope, prices).reduce(0) { $0 + $1.0 * $1.1 }
        var work = Work(prices, frame.loads)
        for index in intervals.indices {
            let decided = decide(index, &work)
            guard decided.set != 0 else { continue }
            value += decided.cost
            for load in intervals[index].loads { slope[load] -= work.best[load] }
        }
        return (value, slope)
    }

    /// The best set of loads of one interval, counted among those present; its energies are in `work.best`.
    private func decide(_ index: Int, _ work: inout Work) -> (cost: Double, set: UInt32) {
        var best: (cost: Double, set: UInt32) = (0, 0)
        guard let cheapest = intervals[index].prices.first else { return best }
        // Who pays less than the cheapest power never gains by drawing.
        var worthwhile: UInt32 = 0
        for (bit, load) in intervals[index].loads.enumerated() where work.prices[load] > cheapest {
            worthwhile |= 1 << UInt32(bit)
        }
        var set = worthwhile
        while set != 0 {
            if let cost = cost(index, set, &work), cost < best.cost {
                best = (cost, set)
                swap(&work.best, &work.energies)
            }
            set = (set - 1) & worthwhile
        }
        return best
    }

    /// The loads of a set that is counted among those present.
    private func loads(_ index: Int, _ set: UInt32) -> UInt32 {
        var loads: UInt32 = 0
        for (bit, load) in intervals[index].loads.enumerated() where set & (1 << UInt32(bit)) != 0 {
            loads |= 1 << UInt32(load)
        }
        return loads
    }

    /// What a set of loads costs less what they pay, with the best energies; `nil` where their least is too much.
    private func cost(_ index: Int, _ set: UInt32, _ work: inout Work) -> Double? {
        var total = 0.0, cost = 0.0
        for (bit, load) in intervals[index].loads.enumerated() {
            let least = set & (1 << UInt32(bit)) != 0 ? intervals[index].least[load] : 0
            work.energies[load] = least
            total += least
            cost -= least * work.prices[load]
        }
        guard total <= intervals[index].room else { return nil }
        for circuit in circuitRoom.indices where taken(circuit, index, work.energies) > circuitRoom[circuit][index] {
            return nil
        }
        let steps = intervals[index].ends.count
        var step = 0, start = 0.0
        while step < steps, intervals[index].ends[step] <= total {
            cost += (intervals[index].ends[step] - start) * intervals[index].prices[step]
            start = intervals[index].ends[step]
            step += 1
        }
        if step < steps { cost += (total - start) * intervals[index].prices[step] }
        for load in work.order where work.energies[load] > 0 {
            var more = intervals[index].most[load] - work.energies[load]
            if let circuit = frame.circuit[load] {
                more = min(more, circuitRoom[circuit][index] - taken(circuit, index, work.energies))
            }
            while more > 0, step < steps, intervals[index].prices[step] < work.prices[load] {
                let amount = min(more, intervals[index].ends[step] - total)
                work.energies[load] += amount
                total += amount
                more -= amount
                cost += amount * (intervals[index].prices[step] - work.prices[load])
                if total >= intervals[index].ends[step] { step += 1 }
            }
        }
        return cost
    }

    private func taken(_ circuit: Int, _ index: Int, _ energies: [Double]) -> Double {
        intervals[index].loads.reduce(0) { frame.circuit[$1] == circuit ? $0 + energies[$1] : $0 }
    }
}

/// A region that is known to hold the best point, and shrinks with every cut.
private struct Ellipsoid {
    private(set) var center: [Double]
    private var shape: [[Double]]

    init(center: [Double], radius: Double) {
        self.center = center
        shape = center.indices.map { row in center.indices.map { $0 == row ? radius * radius : 0 } }
    }

    /// Keeps the part in which more than the best value can be.
    /// - Parameters:
    ///   - slope: in which direction the value rises at the center.
    ///   - missing: how much the center's value is below the best one.
    /// - Returns: whether there may be more to gain than the tolerance.
    mutating func cut(towards slope: [Double], missing: Double, tolerance: Double) -> Bool {
        let dimensions = Double(center.count)
        var step = shape.map { row in zip(row, slope).reduce(0) { $0 + $1.0 * $1.1 } }
        let square = zip(step, slope).reduce(0) { $0 + $1.0 * $1.1 }
        guard square > 0 else { return false }
        let reach = square.squareRoot()
        guard reach - missing > tolerance else { return false }
        let depth = missing / reach
        step = step.map { $0 / reach }
        let move = (1 + dimensions * depth) / (dimensions + 1)
        for index in center.indices { center[index] += move * step[index] }
        guard center.count > 1 else {
            shape[0][0] *= (1 - depth) * (1 - depth) / 4
            return true
        }
        let scale = dimensions * dimensions * (1 - depth * depth) / (dimensions * dimensions - 1)
        let shrink = 2 * (1 + dimensions * depth) / ((dimensions + 1) * (1 + depth))
        for row in shape.indices {
            for column in shape.indices {
                shape[row][column] = scale * (shape[row][column] - shrink * step[row] * step[column])
            }
        }
        return true
    }
}
