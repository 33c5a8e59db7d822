/// One straight part of the lower convex hull of an interval's cost, for one choice of the pieces it is held to.
struct HullSegment {
    var interval: Int
    /// First and last piece the interval is held to where this hull applies.
    var lowest: UInt8
    var highest: UInt8
    /// Energy at the segment's lower end and what it spans, in joules.
    var lowEnergy: Int64
    var width: Int64
    /// Cost from the lower to the upper end.
    var cost: Int64
    /// Cost per joule; exact where it is a whole number.
    var slope: Double
    /// Whether every energy on it is allowed at this cost.
    var isReal: Bool
    /// Where it is not real: the last piece below the gap.
    var cut: UInt8
    private var secondary: Int64
    private var rank: Int
    private var order: Int

    /// The hulls of every interval under every run of its pieces, cheapest first.
    static func sorted(_ book: LoadBook) -> [HullSegment] {
        var segments: [HullSegment] = []
        segments.reserveCapacity(book.count * 3)
        for interval in 0..<book.count {
            let pieces = book.pieces[book.first[interval]..<book.first[interval + 1]]
            for low in 0..<pieces.count {
                for high in low..<pieces.count {
                    appendHull(book, interval, pieces, low, high, &segments)
                }
            }
        }
        segments.sort(by: precedes)
        return segments
    }

    /// A lower bound of the cost of the segment's first joules.
    func costBound(of energy: Int64) -> Int64 {
        if cost % width == 0 { return cost / width * energy }
        let (high, low) = cost.multipliedFullWidth(by: energy)
        let (quotient, remainder) = width.dividingFullWidth((high, low))
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static func precedes(_ one: HullSegment, _ other: HullSegment) -> Bool {
        if one.slope != other.slope { return one.slope < other.slope }
        if one.secondary != other.secondary { return one.secondary < other.secondary }
        if one.rank != other.rank { return one.rank < other.rank }
        return one.order < other.order
    }

    private static func appendHull(
        _ book: LoadBook, _ interval: Int, _ pieces: ArraySlice<LoadPiece>, _ low: Int, _ high: Int,
        _ segments: inout [HullSegment]
    ) {
        let held = pieces[(pieces.startIndex + low)...(pieces.startIndex + high)]
        var corners: [(energy: Int64, cost: Int64)] = []
        for piece in held {
            for energy in [piece.low, piece.high] where energy != corners.last?.energy {
                let corner = (energy, piece.cost(at: energy))
                while corners.count > 1, isAbove(corners[corners.count - 2], corners[corners.count - 1], corner) {
                    corners.removeLast()
                }
                corners.append(corner)
            }
        }
        for (order, (from, to)) in zip(corners, corners.dropFirst()).enumerated() {
            let real = held.contains { $0.low == from.energy && $0.high == to.energy }
            let cut = held.lastIndex { $0.low <= from.energy } ?? held.startIndex
            segments.append(
                HullSegment(
                    interval: interval, lowest: UInt8(low), highest: UInt8(high), lowEnergy: from.energy,
                    width: to.energy - from.energy, cost: to.cost - from.cost,
                    slope: slope(to.cost - from.cost, to.energy - from.energy), isReal: real,
                    cut: UInt8(cut - pieces.startIndex), secondary: book.secondary[interval],
                    rank: book.rank[interval], order: order))
        }
    }

    /// Whether the middle corner lies strictly above the line between its neighbours; one on it stays a corner.
    private static func isAbove(
        _ first: (energy: Int64, cost: Int64), _ middle: (energy: Int64, cost: Int64),
        _ last: (energy: Int64, cost: Int64)
    ) -> Bool {
        Int128(middle.cost - first.cost) * Int128(last.energy - first.energy)
            > Int128(last.cost - first.cost) * Int128(middle.energy - first.energy)
    }

    private static func slope(_ cost: Int64, _ width: Int64) -> Double {
        cost % width == 0 ? Double(cost / width) : Double(cost) / Double(width)
    }
}

/// Intervals that differ in nothing but their price, which is one straight line from nothing; cheapest first.
struct LoadFamilies {
    private var members: [[Int]] = []
    private var family: [Int]
    private var position: [Int]

    init(_ book: LoadBook) {
        family = Array(repeating: -1, count: book.count)
        position = Array(repeating: 0, count: book.count)
        for interval in 0..<book.count {
            let match = members.firstIndex { LoadFamilies.alike(book, $0[0], interval) }
            if let match {
                members[match].append(interval)
                family[interval] = match
            } else {
                family[interval] = members.count
                members.append([interval])
            }
        }
        for index in members.indices {
            members[index].sort { LoadFamilies.isCheaper(book, $0, $1) }
            for (place, interval) in members[index].enumerated() { position[interval] = place }
        }
    }

    /// The interval and every cheaper one of its family.
    func cheaper(_ interval: Int) -> ArraySlice<Int> { members[family[interval]][...position[interval]] }

    /// The interval and every dearer one of its family.
    func dearer(_ interval: Int) -> ArraySlice<Int> { members[family[interval]][position[interval]...] }

    private static func isStraight(_ pieces: ArraySlice<LoadPiece>) -> Bool {
        guard let slope = pieces.last?.slope else { return false }
        return pieces.allSatisfy { $0.high == 0 || $0.slope == slope && $0.costAtLow == slope * $0.low }
    }

    private static func alike(_ book: LoadBook, _ one: Int, _ other: Int) -> Bool {
        let first = book.pieces[book.first[one]..<book.first[one + 1]]
        let second = book.pieces[book.first[other]..<book.first[other + 1]]
        guard first.count == second.count, isStraight(first), isStraight(second) else { return false }
        return zip(first, second).allSatisfy { $0.low == $1.low && $0.high == $1.high }
    }

    private static func isCheaper(_ book: LoadBook, _ one: Int, _ other: Int) -> Bool {
        let first = book.pieces[book.first[one + 1] - 1].slope, second = book.pieces[book.first[other + 1] - 1].slope
        if first != second { return first < second }
        if book.secondary[one] != book.secondary[other] { return book.secondary[one] < book.secondary[other] }
        return book.rank[one] < book.rank[other]
    }
}
