/// The cheapest way to take an energy from a book of intervals.
struct MeritAnswer {
    /// Joules taken in each interval.
    var energies: [Int64]
    /// Cost of these energies.
    var cost: Int64
    /// No way to take the energy costs less.
    var bound: Int64
    /// Whether the search came to its end, so that the cost is the least.
    var isExact: Bool

    var energy: Int64 { energies.reduce(0, +) }
}

/// Fills intervals in the order of their price and branches only where that order stops at a forbidden power.
///
/// Each interval's cost is replaced by its lower convex hull; sorted by slope, the hulls' segments are a merit order
/// and filling it to the least energy is the best of this relaxation. At most one segment is filled in part. Where it
/// lies on a real piece the answer is exact; where it bridges powers that are not allowed, the interval is held below
/// or above the gap and each case is solved anew. Among intervals of equal length and limits the cheaper one never
/// takes less in some best answer, so that holding one below a gap holds every dearer one too: the search counts
/// intervals rather than tries subsets of them.
///
/// ## Complexity
/// O(n log n) for the order and O(n) for each case; one case for a continuous load, a few for a least power.
struct MeritOrder {
    let book: LoadBook
    private(set) var least: Int64
    private(set) var most: Int64

    private let segments: [HullSegment]
    private var lowest: [UInt8]
    private var highest: [UInt8]
    private var families: LoadFamilies?
    private var trail: [(interval: Int, lowest: UInt8, highest: UInt8)] = []
    private var best: MeritAnswer?
    private var casesLeft: Int
    private var rootBound: Int64?

    /// Prepares the order.
    /// - Parameters:
    ///   - book: What each interval can take.
    ///   - least: The least energy to take, in joules.
    ///   - most: The most energy to take, in joules.
    ///   - caseLimit: How many cases may be looked at before the best found so far is given.
    init(_ book: LoadBook, least: Int64, most: Int64, caseLimit: Int = 20_000) {
        self.book = book
        self.least = least
        self.most = most
        casesLeft = caseLimit
        segments = HullSegment.sorted(book)
        lowest = Array(repeating: 0, count: book.count)
        highest = (0..<book.count).map { UInt8(book.first[$0 + 1] - book.first[$0] - 1) }
    }

    /// The same order for other limits of the energy.
    func retargeted(least: Int64, most: Int64, caseLimit: Int = 20_000) -> MeritOrder {
        var order = self
        order.least = least
        order.most = most
        order.best = nil
        order.rootBound = nil
        order.casesLeft = caseLimit
        return order
    }

    /// The cheapest energies; `nil` if no choice gives an energy within the limits, or none was found in the cases
    /// allowed.
    mutating func solve() -> MeritAnswer? {
        guard least <= most else { return nil }
        search()
        guard var answer = best else { return nil }
        answer.isExact = casesLeft >= 0
        answer.bound = answer.isExact ? answer.cost : min(rootBound ?? answer.cost, answer.cost)
        return answer
    }

    /// Whether the last `solve()` looked at every case.
    var isComplete: Bool { casesLeft >= 0 }

    private mutating func search() {
        casesLeft -= 1
        guard casesLeft >= 0, let relaxed = relax() else { return }
        if rootBound == nil { rootBound = relaxed.bound }
        if let best, relaxed.bound >= best.cost { return }
        guard let partial = relaxed.partial else { return record(relaxed) }
        let segment = segments[partial]
        if segment.isReal { return record(relaxed) }
        // The relaxed powers may all be allowed although the hull undercuts their cost.
        if book.cost(segment.interval, energy: segment.lowEnergy + relaxed.partialEnergy) != nil { record(relaxed) }
        if families == nil { families = LoadFamilies(book) }
        let mark = trail.count
        if hold(segment.interval, atLeast: segment.cut + 1) { search() }
        release(to: mark)
        if hold(segment.interval, atMost: segment.cut) { search() }
        release(to: mark)
    }

    private struct Relaxation {
        var bound: Int64
        var segmentsUsed: Int
        var partial: Int?
        var partialEnergy: Int64 = 0
    }

    /// Fills the merit order within what the intervals are held to; `nil` if the least energy is out of reach.
    private func relax() -> Relaxation? {
        var energy: Int64 = 0
        var cost: Int64 = 0
        for interval in 0..<book.count {
            let piece = book.pieces[book.first[interval] + Int(lowest[interval])]
            energy += piece.low
            cost += piece.costAtLow
        }
        guard energy <= most else { return nil }
        for (index, segment) in segments.enumerated() {
            guard segment.lowest == lowest[segment.interval], segment.highest == highest[segment.interval] else {
                continue
            }
            let room = (segment.slope < 0 ? most : least) - energy
            if room <= 0 { return Relaxation(bound: cost, segmentsUsed: index) }
            if segment.width > room {
                return Relaxation(
                    bound: cost + segment.costBound(of: room), segmentsUsed: index, partial: index, partialEnergy: room)
            }
            energy += segment.width
            cost += segment.cost
        }
        return energy < least ? nil : Relaxation(bound: cost, segmentsUsed: segments.count)
    }

    private mutating func record(_ relaxed: Relaxation) {
        var energies = (0..<book.count).map { book.pieces[book.first[$0] + Int(lowest[$0])].low }
        for segment in segments[..<relaxed.segmentsUsed]
        where segment.lowest == lowest[segment.interval] && segment.highest == highest[segment.interval] {
            energies[segment.interval] += segment.width
        }
        if let partial = relaxed.partial { energies[segments[partial].interval] += relaxed.partialEnergy }
        var cost: Int64 = 0
        for (interval, energy) in energies.enumerated() {
            guard let part = book.cost(interval, energy: energy) else { return }
            cost += part
        }
        if cost < best?.cost ?? .max {
            best = MeritAnswer(energies: energies, cost: cost, bound: cost, isExact: true)
        }
    }

    /// Holds an interval, and every cheaper one of its family, at or above a piece; false if one cannot.
    private mutating func hold(_ interval: Int, atLeast piece: UInt8) -> Bool {
        for member in families?.cheaper(interval) ?? [] where lowest[member] < piece {
            if highest[member] < piece { return false }
            trail.append((member, lowest[member], highest[member]))
            lowest[member] = piece
        }
        return true
    }

    /// Holds an interval, and every dearer one of its family, at or below a piece; false if one cannot.
    private mutating func hold(_ interval: Int, atMost piece: UInt8) -> Bool {
        for member in families?.dearer(interval) ?? [] where highest[member] > piece {
            if lowest[member] > piece { return false }
            trail.append((member, lowest[member], highest[member]))
            highest[member] = piece
        }
        return true
    }

    private mutating func release(to mark: Int) {
        while trail.count > mark {
            let last = trail.removeLast()
            lowest[last.interval] = last.lowest
            highest[last.interval] = last.highest
        }
    }
}
