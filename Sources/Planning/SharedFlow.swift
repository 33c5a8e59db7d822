/// How loads share intervals whose power costs step by step: a transportation problem, solved exactly.
///
/// What a joule costs depends on the interval alone, not on who draws it. The energies that the intervals can give to
/// the loads together then form a polymatroid: filling the steps of price from the cheapest on, each as far as any
/// exchange among the loads allows, is the cheapest way to meet the needs. Where not all can be met, as much as
/// possible is, loads that lose least on the way to the battery first.
///
/// ## Complexity
/// O(steps × loads²) exchanges at most; each looks at a few intervals, since the place of the last one is remembered.
struct SharedFlow {
    /// A span of one interval's energy at one price.
    struct Step {
        var span: Int
        /// Where it begins in the interval's energy, in joules.
        var start: Int64
        var width: Int64
        /// Micro-units per kilowatt-hour.
        var price: Int64
    }

    /// What does not change between two fillings.
    struct Frame {
        /// How many loads and intervals there are.
        var loads: Int
        var spans: Int
        /// Steps of all intervals, cheapest first; those of one interval ascend.
        var steps: [Step]
        /// Most energy of each interval, in joules.
        var room: [Int64]
        /// The circuit of each load, if it hangs on one.
        var circuit: [Int?]
        /// Most energy of each circuit in each interval.
        var circuitRoom: [[Int64]]
        /// Least and most energy of each load, in joules at the meter.
        var least: [Int64]
        var most: [Int64]
        /// Loads by efficiency, the best first.
        var groups: [[Int]]
    }

    let frame: Frame
    /// When a filling gives up, with nothing.
    var limit: ContinuousClock.Instant?
    /// Least and most energy of each load in each interval, one load's after another's.
    var low: [Int64]
    var high: [Int64]
    private(set) var energy: [Int64]
    /// What the intervals give in all.
    private(set) var total: [Int64]
    private var circuitTotal: [[Int64]]
    private var left: [Int64]
    private var places: [Int]
    private var isLate = false

    init(_ frame: Frame, high: [Int64]) {
        self.frame = frame
        self.high = high
        low = Array(repeating: 0, count: high.count)
        energy = low
        total = Array(repeating: 0, count: frame.spans)
        circuitTotal = frame.circuitRoom.map { $0.map { _ in 0 } }
        left = frame.least
        places = Array(repeating: 0, count: frame.loads * frame.loads)
    }

    /// Energy that loads lack of their least, in joules at the meter.
    var unmet: [Int64] { left }

    /// What the energies cost, in micro-units times joules.
    var cost: Int64 {
        frame.steps.reduce(0) { $0 + $1.price * min(max(total[$1.span] - $1.start, 0), $1.width) }
    }

    /// For each load the dearest price at which it draws anything, in micro-units per kilowatt-hour.
    var marginalPrices: [Double] {
        var last: [Int64?] = Array(repeating: nil, count: frame.spans)
        for step in frame.steps where total[step.span] > step.start { last[step.span] = step.price }
        return (0..<frame.loads).map { load in
            let paid = (0..<frame.spans).compactMap { energy[load * frame.spans + $0] > 0 ? last[$0] : nil }
            return Double(paid.max() ?? 0)
        }
    }

    /// Finds the cheapest energies within the bounds.
    /// - Returns: whether the bounds leave any, and the time was enough.
    mutating func fill() -> Bool {
        isLate = false
        guard begin() else { return false }
        for group in frame.groups {
            for step in frame.steps {
                if !group.contains(where: { left[$0] > 0 }) { break }
                push(step, from: group)
            }
        }
        let met = left
        // What is paid for is taken beyond the need.
        for load in 0..<frame.loads {
            let taken = (0..<frame.spans).reduce(Int64(0)) { $0 + energy[load * frame.spans + $1] }
            left[load] = max(0, frame.most[load] - taken)
        }
        let everyone = Array(0..<frame.loads)
        for step in frame.steps where step.price < 0 { push(step, from: everyone) }
        left = met
        return !isLate
    }

    private mutating func begin() -> Bool {
        energy = low
        for span in 0..<frame.spans { total[span] = 0 }
        for index in circuitTotal.indices { circuitTotal[index] = circuitTotal[index].map { _ in 0 } }
        for load in 0..<frame.loads {
            var sum: Int64 = 0
            for span in 0..<frame.spans {
                let taken = low[load * frame.spans + span]
                sum += taken
                total[span] += taken
                if let circuit = frame.circuit[load] { circuitTotal[circuit][span] += taken }
            }
            guard sum <= frame.most[load] else { return false }
            left[load] = max(0, frame.least[load] - sum)
        }
        for span in 0..<frame.spans where total[span] > frame.room[span] { return false }
        for (totals, room) in zip(circuitTotal, frame.circuitRoom) {
            for span in 0..<frame.spans where totals[span] > room[span] { return false }
        }
        return true
    }

    /// Gives a step to loads that lack energy, as far as it goes, exchanging with the others.
    private mutating func push(_ step: Step, from group: [Int]) {
        let end = step.start + step.width
        // A cheaper step of the interval that nobody could fill closes the dearer ones too.
        guard total[step.span] >= step.start else { return }
        for load in group where left[load] > 0 && total[step.span] < end { draw(load, step.span, end) }
        while total[step.span] < end, group.contains(where: { left[$0] > 0 }) {
            isLate = isLate || limit.map { ContinuousClock.now >= $0 } ?? false
            guard !isLate, let path = path(to: step.span, from: group) else { return }
            move(along: path, upTo: end - total[step.span])
        }
    }

    /// Lets a load that lacks energy draw in the interval itself.
    private mutating func draw(_ load: Int, _ span: Int, _ end: Int64) {
        let place = load * frame.spans + span
        var amount = min(high[place] - energy[place], left[load], end - total[span])
        if let circuit = frame.circuit[load] {
            amount = min(amount, frame.circuitRoom[circuit][span] - circuitTotal[circuit][span])
            guard amount > 0 else { return }
            circuitTotal[circuit][span] += amount
        }
        guard amount > 0 else { return }
        energy[place] += amount
        total[span] += amount
        left[load] -= amount
    }

    /// Loads from one that lacks energy to one that draws in the interval; each takes over from the next elsewhere.
    private struct Path {
        var loads: [Int]
        /// Where each but the last takes over, then the interval itself.
        var spans: [Int]
    }

    private mutating func path(to span: Int, from group: [Int]) -> Path? {
        let loads = frame.loads
        var next: [Int] = Array(repeating: -1, count: loads)
        var place: [Int] = Array(repeating: span, count: loads)
        var isReached: [Bool] = Array(repeating: false, count: loads)
        var queue: [Int] = []
        for load in 0..<loads
        where energy[load * frame.spans + span] < high[load * frame.spans + span] && hasRoom(load, span) {
            isReached[load] = true
            queue.append(load)
        }
        var at = 0
        while at < queue.count {
            let giver = queue[at]
            at += 1
            if left[giver] > 0, group.contains(giver) { return trace(giver, next, place, span) }
            for taker in 0..<loads where !isReached[taker] {
                guard let found = exchange(taker, giver) else { continue }
                isReached[taker] = true
                next[taker] = giver
                place[taker] = found
                queue.append(taker)
            }
        }
        return nil
    }

    private func trace(_ first: Int, _ next: [Int], _ place: [Int], _ span: Int) -> Path {
        var path = Path(loads: [], spans: [])
        var load = first
        while load >= 0 {
            path.loads.append(load)
            path.spans.append(next[load] < 0 ? span : place[load])
            load = next[load]
        }
        return path
    }

    private func hasRoom(_ load: Int, _ span: Int) -> Bool {
        guard let circuit = frame.circuit[load] else { return true }
        return circuitTotal[circuit][span] < frame.circuitRoom[circuit][span]
    }

    /// An interval in which one load can take over energy of another; the last one found is looked at first.
    private mutating func exchange(_ taker: Int, _ giver: Int) -> Int? {
        let spans = frame.spans, slot = taker * frame.loads + giver
        let isOneCircuit = frame.circuit[taker] == nil || frame.circuit[taker] == frame.circuit[giver]
        let first = places[slot]
        for offset in 0..<spans {
            let sum = first + offset
            let span = sum < spans ? sum : sum - spans
            let mine = taker * spans + span, theirs = giver * spans + span
            guard energy[mine] < high[mine], energy[theirs] > low[theirs], isOneCircuit || hasRoom(taker, span)
            else { continue }
            places[slot] = span
            return span
        }
        return nil
    }

    private mutating func move(along path: Path, upTo most: Int64) {
        let spans = frame.spans
        var amount = min(most, left[path.loads[0]])
        for (index, load) in path.loads.enumerated() {
            let span = path.spans[index], isLast = index + 1 == path.loads.count
            amount = min(amount, high[load * spans + span] - energy[load * spans + span])
            let other = isLast ? nil : path.loads[index + 1]
            if let other { amount = min(amount, energy[other * spans + span] - low[other * spans + span]) }
            if let circuit = frame.circuit[load], other.map({ frame.circuit[$0] != circuit }) ?? true {
                amount = min(amount, frame.circuitRoom[circuit][span] - circuitTotal[circuit][span])
            }
        }
        for (index, load) in path.loads.enumerated() {
            let span = path.spans[index]
            energy[load * spans + span] += amount
            if let circuit = frame.circuit[load] { circuitTotal[circuit][span] += amount }
            guard index + 1 < path.loads.count else {
                total[span] += amount
                continue
            }
            let other = path.loads[index + 1]
            energy[other * spans + span] -= amount
            if let circuit = frame.circuit[other] { circuitTotal[circuit][span] -= amount }
        }
        left[path.loads[0]] -= amount
    }
}
