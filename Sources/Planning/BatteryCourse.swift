/// What a home battery does best beside loads that are given, and whether it can keep the limits at all.
///
/// Going back from the end, the least cost of everything that follows is a function of the stored energy: a chain of
/// straight lines, ascending in slope, over the energies from which all limits can still be kept. One interval earlier it
/// is the chain of what the battery can do in that interval joined with it, sorted by slope, and cut to what the battery
/// holds (the infimal convolution of two convex functions). Going forward, the slopes say how far to charge or discharge.
/// The result is exact where an interval's cost is convex in the battery's power: where feeding in earns no more than
/// drawing costs and no price is below zero. Elsewhere it keeps every limit, and its cost is near the least.
///
/// ## Complexity
/// O(n²) for n intervals, with a small constant.
struct BatteryCourse {
    /// A straight part of a cost, in currency for each stored kilowatt-hour, and how many of these it lasts.
    private struct Line {
        var slope: Double
        var width: Double
    }

    /// What the battery can do in one interval.
    private struct Move {
        var hours: Double
        /// The least change of the stored energy, in kilowatt-hours.
        var least: Double
        /// What more than that costs, ascending.
        var lines: [Line]

        var most: Double { lines.reduce(least) { $0 + $1.width } }
    }

    /// The least cost that follows, by stored energy.
    private struct Curve {
        var low: Double
        var lines: [Line]

        var high: Double { lines.reduce(low) { $0 + $1.width } }
    }

    private let battery: PlanningProblem.Battery
    private let feedsIn: Bool
    private let drawsFromGrid: Bool
    private var moves: [Move] = []
    /// Power in each interval in kilowatts, above 0 into the battery.
    private(set) var powersKW: [Double] = []
    /// What another stored kilowatt-hour is worth after each interval, in currency.
    private(set) var values: [Double] = []
    /// Whether no other course costs less.
    private(set) var isExact = true

    private static let tolerance = 1e-9

    /// Finds the course.
    /// - Parameters:
    ///   - problem: One slot for each interval; its vehicles do not count.
    ///   - battery: The battery.
    ///   - besideKW: What other loads draw in each interval beside the base load.
    ///   - endValue: What a stored kilowatt-hour is worth at the end, in currency.
    ///   - feedsIn: Whether it may give more than the loads draw.
    ///   - drawsFromGrid: Whether it may charge more than the sun leaves.
    /// - Returns: `nil` where no course keeps every limit.
    init?(
        _ problem: PlanningProblem, _ battery: PlanningProblem.Battery, besideKW: [Double], endValue: Double = 0,
        feedsIn: Bool = true, drawsFromGrid: Bool = true
    ) {
        self.battery = battery
        self.feedsIn = feedsIn
        self.drawsFromGrid = drawsFromGrid
        for (slot, beside) in zip(problem.slots, besideKW) {
            guard let move = move(problem, slot, netKW: slot.baseLoadKW - slot.pvKW + beside) else { return nil }
            moves.append(move)
        }
        guard let curves = curves(endValue) else { return nil }
        follow(curves)
    }

    // MARK: - What one interval allows

    private mutating func move(_ problem: PlanningProblem, _ slot: PlanningProblem.Slot, netKW net: Double) -> Move? {
        let hours = Double(slot.end - slot.start) / 3600
        let feedLimit = problem.feedLimitKW(of: slot) ?? .infinity
        let curtails = problem.site.curtailAllowed && slot.pvKW > 0
        var high = min(battery.maxChargeKW, (problem.importLimitKW(of: slot) ?? .infinity) - net)
        if !drawsFromGrid { high = min(high, max(0, -net)) }
        let most = feedsIn ? battery.maxDischargeKW : min(battery.maxDischargeKW, max(0, net))
        let low = max(-most, -feedLimit - net - (curtails ? slot.pvKW : 0))
        guard low <= high + 1e-7 else { return nil }
        high = max(high, low)
        let price = problem.price(of: slot), feedPrice = problem.feedPrice(of: slot)
        let forgone = curtails ? max(0, feedPrice) : feedPrice
        let bends = [-feedLimit - net, -net, 0].filter { low < $0 && $0 < high }.sorted()
        let edges = [low] + bends + [high]
        var lines: [Line] = []
        for (from, to) in zip(edges, edges.dropFirst()) where to > from {
            let middle = (from + to) / 2, flow = net + middle
            let marginal = flow > 0 ? price : flow < -feedLimit ? 0 : forgone
            var line =
                middle < 0
                ? Line(
                    slope: (marginal - battery.wearPerKWh) * battery.dischargeEfficiency,
                    width: (to - from) * hours / battery.dischargeEfficiency)
                : Line(
                    slope: marginal / battery.chargeEfficiency, width: (to - from) * hours * battery.chargeEfficiency)
            if let last = lines.last, line.slope < last.slope {
                if line.slope < last.slope - Self.tolerance { isExact = false }
                line.slope = last.slope
            }
            lines.append(line)
        }
        return Move(hours: hours, least: stored(low, hours), lines: lines)
    }

    /// The change of the stored energy that a power makes.
    private func stored(_ power: Double, _ hours: Double) -> Double {
        power < 0 ? power * hours / battery.dischargeEfficiency : power * hours * battery.chargeEfficiency
    }

    private func power(_ change: Double, _ hours: Double) -> Double {
        change < 0 ? change / hours * battery.dischargeEfficiency : change / hours / battery.chargeEfficiency
    }

    // MARK: - Back from the end

    private func curves(_ endValue: Double) -> [Curve]? {
        let end = max(battery.minKWh, battery.finalKWh)
        var curves = [Curve(low: end, lines: [Line(slope: -endValue, width: max(0, battery.capacityKWh - end))])]
        for move in moves.reversed() {
            guard let last = curves.last, let before = before(last, move) else { return nil }
            curves.append(before)
        }
        curves.reverse()
        let first = curves[0]
        guard first.low - 1e-7 <= battery.initialKWh, battery.initialKWh <= first.high + 1e-7 else { return nil }
        return curves
    }

    private func before(_ next: Curve, _ move: Move) -> Curve? {
        var merged: [Line] = []
        merged.reserveCapacity(next.lines.count + move.lines.count)
        var rest = next.lines[...]
        // What the interval adds is taken away from what was there before it.
        for line in move.lines.reversed() {
            while let other = rest.first, other.slope <= -line.slope { merged.append(rest.removeFirst()) }
            merged.append(Line(slope: -line.slope, width: line.width))
        }
        merged += rest
        return cut(Curve(low: next.low - move.most, lines: merged))
    }

    /// The part of a curve within what the battery holds.
    private func cut(_ curve: Curve) -> Curve? {
        var low = curve.low
        var below = battery.minKWh - low
        var above = curve.high - battery.capacityKWh
        var lines = curve.lines
        var dropped = 0
        while dropped < lines.count, below > 0 {
            let part = min(below, lines[dropped].width)
            lines[dropped].width -= part
            below -= part
            low += part
            if lines[dropped].width > 0 { break }
            dropped += 1
        }
        lines.removeFirst(dropped)
        while above > 0, let last = lines.last {
            let part = min(above, last.width)
            above -= part
            if part < last.width { lines[lines.count - 1].width -= part } else { lines.removeLast() }
        }
        guard below <= 1e-7, above <= 1e-7 else { return nil }
        return Curve(low: low, lines: lines)
    }

    // MARK: - Forward

    private mutating func follow(_ curves: [Curve]) {
        var held = battery.initialKWh
        var ranges: [ClosedRange<Double>] = []
        var isFree: [Bool] = []
        for (index, move) in moves.enumerated() {
            let next = curves[index + 1]
            let (change, range) = step(move, next, from: held)
            powersKW.append(power(change, move.hours))
            ranges.append(range)
            held = min(max(held + change, battery.minKWh), battery.capacityKWh)
            isFree.append(held > battery.minKWh + 1e-6 && held < battery.capacityKWh - 1e-6)
        }
        if let last = curves.last, let value = last.lines.first?.slope, held > last.low + 1e-6,
            let index = isFree.indices.last
        {
            ranges[index] = -value...(-value)
        }
        values = Self.values(ranges, isFree)
    }

    /// What stored energy is worth: the same for as long as the battery is neither full nor empty, and within what makes
    /// the power of each of these intervals the best.
    private static func values(_ ranges: [ClosedRange<Double>], _ isFree: [Bool]) -> [Double] {
        var values: [Double] = []
        var start = 0
        for end in ranges.indices where !isFree[end] || end == ranges.count - 1 {
            let low = ranges[start...end].map(\.lowerBound).max() ?? 0
            let high = ranges[start...end].map(\.upperBound).min() ?? 0
            let value = low.isFinite ? (high.isFinite ? (low + high) / 2 : low) : (high.isFinite ? high : 0)
            values += Array(repeating: value, count: end + 1 - start)
            start = end + 1
        }
        return values
    }

    /// How far to go: as long as what it costs now is less than what it saves later.
    /// - Returns: The change, and what stored energy may be worth so that it is the best one.
    private func step(
        _ move: Move, _ next: Curve, from held: Double
    ) -> (change: Double, worth: ClosedRange<Double>) {
        var change = move.least
        var at = next.low
        var mine = 0, theirs = 0
        var mineUsed = 0.0, theirsUsed = 0.0
        func go(_ width: Double, alongNext: Bool) {
            change += width
            mineUsed += width
            if mine < move.lines.count, mineUsed >= move.lines[mine].width - Self.tolerance {
                mine += 1
                mineUsed = 0
            }
            guard alongNext else { return }
            at += width
            theirsUsed += width
            if theirs < next.lines.count, theirsUsed >= next.lines[theirs].width - Self.tolerance {
                theirs += 1
                theirsUsed = 0
            }
        }
        // What has to be reached for the limits to come.
        while mine < move.lines.count, held + change < next.low - Self.tolerance {
            go(min(move.lines[mine].width - mineUsed, next.low - held - change), alongNext: false)
        }
        // Where the interval begins on the curve of what follows.
        while theirs < next.lines.count, at < held + change - Self.tolerance {
            let width = min(next.lines[theirs].width - theirsUsed, held + change - at)
            at += width
            theirsUsed += width
            if theirsUsed >= next.lines[theirs].width - Self.tolerance {
                theirs += 1
                theirsUsed = 0
            }
        }
        while mine < move.lines.count, theirs < next.lines.count,
            move.lines[mine].slope + next.lines[theirs].slope < -1e-12
        {
            go(min(move.lines[mine].width - mineUsed, next.lines[theirs].width - theirsUsed), alongNext: true)
        }
        let above = mine < move.lines.count ? move.lines[mine].slope : .infinity
        let below = mineUsed > 0 ? above : mine > 0 ? move.lines[mine - 1].slope : -.infinity
        return (change, below...max(below, above))
    }
}
