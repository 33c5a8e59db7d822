/// A span of energies one interval can take and what they cost: one straight line.
///
/// Energies are joules at the meter side. Costs are micro-units per kilowatt-hour times joules.
struct LoadPiece: Equatable {
    var low: Int64
    var high: Int64
    var lowKW: Double
    var highKW: Double
    var costAtLow: Int64
    /// Micro-units per kilowatt-hour along the line.
    var slope: Int64

    /// Taking nothing, at no cost.
    static let off = LoadPiece(low: 0, high: 0, lowKW: 0, highKW: 0, costAtLow: 0, slope: 0)

    func cost(at energy: Int64) -> Int64 { costAtLow + slope * (energy - low) }
}

/// A price that holds up to a power within one interval; the next step holds above it.
struct PriceStep {
    /// Upper end of the step; the last step has `.infinity`.
    var upToKW: Double
    /// Micro-units per kilowatt-hour.
    var price: Int64
}

/// What each interval of one load can take, interval by interval, in time order.
struct LoadBook {
    /// Pieces of all intervals, one interval's after another's, ascending in energy.
    private(set) var pieces: [LoadPiece] = []
    /// Where each interval's pieces begin; one entry more than there are intervals.
    private(set) var first: [Int] = [0]
    private(set) var seconds: [Int] = []
    /// Second criterion among equal prices, such as carbon; less is better.
    private(set) var secondary: [Int64] = []
    /// Third criterion; less is better, all different.
    private(set) var rank: [Int] = []

    var count: Int { seconds.count }

    /// Makes room at once.
    mutating func reserve(_ intervals: Int) {
        pieces.reserveCapacity(intervals * 3)
        first.reserveCapacity(intervals + 1)
    }

    /// Adds the next interval.
    /// - Parameters:
    ///   - seconds: Its length.
    ///   - ranges: The powers allowed besides nothing, ascending.
    ///   - capKW: Most power allowed in this interval.
    ///   - prices: What power costs, step by step.
    ///   - secondary: Second criterion among equal prices.
    ///   - rank: Third criterion.
    mutating func append(
        seconds: Int, ranges: [PowerRange], capKW: Double, prices: [PriceStep], secondary: Int64, rank: Int
    ) {
        if !(ranges.first.map { $0.lowKW <= 0 && capKW > 0 } ?? false) { pieces.append(.off) }
        for range in ranges where range.lowKW <= capKW {
            let high = min(range.highKW, capKW)
            if high > 0 { append(seconds, range.lowKW, high, prices) }
        }
        first.append(pieces.count)
        self.seconds.append(seconds)
        self.secondary.append(secondary)
        self.rank.append(rank)
    }

    private mutating func append(_ seconds: Int, _ lowKW: Double, _ highKW: Double, _ prices: [PriceStep]) {
        let high = LoadBook.joules(highKW, seconds, .down)
        let low = min(LoadBook.joules(lowKW, seconds, .up), high)
        var at = low
        var stepStart: Int64 = 0
        var costAtStart: Int64 = 0
        for step in prices {
            let stepEnd = step.upToKW.isFinite ? LoadBook.joules(step.upToKW, seconds, .down) : Int64.max
            let end = min(high, stepEnd)
            if end > at || low == high && end == high {
                pieces.append(
                    LoadPiece(
                        low: at, high: end, lowKW: at == low ? lowKW : Double(at) / Double(seconds) / 1000,
                        highKW: end == high ? highKW : Double(end) / Double(seconds) / 1000,
                        costAtLow: costAtStart + step.price * (at - stepStart), slope: step.price))
                if end == high { return }
                at = end
            }
            costAtStart += step.price * (stepEnd - stepStart)
            stepStart = stepEnd
        }
    }

    /// Joules of a power, rounded inwards unless the power gives whole joules but for binary noise.
    static func joules(_ kilowatts: Double, _ seconds: Int, _ rule: FloatingPointRoundingRule) -> Int64 {
        let exact = kilowatts * 1000 * Double(seconds)
        let nearest = exact.rounded()
        return Int64(abs(exact - nearest) < 1e-3 ? nearest : exact.rounded(rule))
    }

    /// The power of an interval that takes an energy, exactly as the range names it at a range's end.
    func powerKW(_ interval: Int, energy: Int64) -> Double {
        for piece in pieces[first[interval]..<first[interval + 1]] {
            if energy == piece.low { return piece.lowKW }
            if energy == piece.high { return piece.highKW }
        }
        return Double(energy) / Double(seconds[interval]) / 1000
    }

    /// The cost of an interval that takes an energy; `nil` if it cannot take it.
    func cost(_ interval: Int, energy: Int64) -> Int64? {
        var least: Int64?
        for piece in pieces[first[interval]..<first[interval + 1]] where piece.low <= energy && energy <= piece.high {
            least = min(least ?? .max, piece.cost(at: energy))
        }
        return least
    }

    /// The same book with every joule worth minus one: its cheapest answer takes the most energy.
    func valuingEnergy() -> LoadBook {
        var book = self
        for index in pieces.indices {
            book.pieces[index].costAtLow = -pieces[index].low
            book.pieces[index].slope = -1
        }
        return book
    }
}
