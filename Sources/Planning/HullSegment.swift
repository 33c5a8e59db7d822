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

    /// The hulls of every interval under every run of its pieces, cheapest first; equal slopes by the second and third
    /// criterion, then along the hull.
    static func sorted(_ book: LoadBook) -> [HullSegment] {
        let intervals = (0..<book.count).sorted {
            book.secondary[$0] != book.secondary[$1]
                ? book.secondary[$0] < book.secondary[$1] : book.rank[$0] < book.rank[$1]
        }
        var segments: [HullSegment] = []
        segments.reserveCapacity(book.count * 3)
        var corners: [Corner] = []
        for interval in intervals {
            let pieces = book.pieces[book.first[interval]..<book.first[interval + 1]]
            for low in pieces.indices {
                for high in low..<pieces.endIndex {
                    appendHull(interval, pieces, low, high, &corners, &segments)
                }
            }
        }
        // Sorting small keys and gathering once is several times faster than moving whole segments about.
        var keys = segments.enumerated().map { (slope: $1.slope, place: $0) }
        keys.sort { $0.slope != $1.slope ? $0.slope < $1.slope : $0.place < $1.place }
        return keys.map { segments[$0.place] }
    }

    /// A lower bound of the cost of the segment's first joules.
    func costBound(of energy: Int64) -> Int64 {
        if cost % width == 0 { return cost / width * energy }
        let (high, low) = cost.multipliedFullWidth(by: energy)
        let (quotient, remainder) = width.dividingFullWidth((high, low))
        return remainder < 0 ? quotient - 1 : quotient
    }

    private typealias Corner = (energy: Int64, cost: Int64)

    private static func appendHull(
        _ interval: Int, _ pieces: ArraySlice<LoadPiece>, _ low: Int, _ high: Int, _ corners: inout [Corner],
        _ segments: inout [HullSegment]
    ) {
        corners.removeAll(keepingCapacity: true)
        for piece in pieces[low...high] {
            add((piece.low, piece.costAtLow), &corners)
            add((piece.high, piece.cost(at: piece.high)), &corners)
        }
        var piece = low
        for place in corners.indices.dropLast() {
            let from = corners[place], to = corners[place + 1]
            while piece < high, pieces[piece + 1].low <= from.energy { piece += 1 }
            segments.append(
                HullSegment(
                    interval: interval, lowest: UInt8(low - pieces.startIndex),
                    highest: UInt8(high - pieces.startIndex),
                    lowEnergy: from.energy, width: to.energy - from.energy, cost: to.cost - from.cost,
                    slope: slope(to.cost - from.cost, to.energy - from.energy),
                    isReal: pieces[piece].low == from.energy && pieces[piece].high == to.energy,
                    cut: UInt8(piece - pieces.startIndex)))
        }
    }

    /// Adds a corner and drops those that lie strictly above the line to it; one on the line stays.
    private static func add(_ corner: Corner, _ corners: inout [Corner]) {
        guard corner.energy != corners.last?.energy else { return }
        while corners.count > 1 {
            let first = corners[corners.count - 2], middle = corners[corners.count - 1]
            let rise = Int128(middle.cost - first.cost) * Int128(corner.energy - first.energy)
            guard rise > Int128(corner.cost - first.cost) * Int128(middle.energy - first.energy) else { break }
            corners.removeLast()
        }
        corners.append(corner)
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
