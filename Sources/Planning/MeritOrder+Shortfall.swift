extension MeritOrder {
    /// How far an energy may miss its limit: what rounding each interval to a joule can add up to.
    private static let roundingJoules: Int64 = 20

    /// The cheapest way to take at least an energy; where that is out of reach, first as much of it as possible,
    /// then as cheaply as possible.
    /// - Parameter caseLimit: How many cases each search may look at before it gives the best found so far.
    static func cheapest(_ book: LoadBook, least: Int64, most: Int64, caseLimit: Int = 20_000) -> MeritAnswer {
        if let everything = book.everything(upTo: least) { return everything }
        var order = MeritOrder(book, least: least, most: most, caseLimit: caseLimit)
        if let answer = order.solve() { return answer }
        var rounded = order.retargeted(
            least: max(0, least - roundingJoules), most: most + roundingJoules, caseLimit: caseLimit)
        if let answer = rounded.solve() { return answer }
        var fullest = MeritOrder(book.valuingEnergy(), least: 0, most: min(least, most), caseLimit: caseLimit)
        // Taking nothing is always allowed unless an interval must take something, which no book here asks.
        let full = fullest.solve() ?? MeritAnswer(energies: book.nothing, cost: 0, bound: 0, isExact: false)
        let complete = order.isComplete && rounded.isComplete && fullest.isComplete
        var cheapest = order.retargeted(least: full.energy, most: full.energy, caseLimit: caseLimit)
        var answer = cheapest.solve() ?? priced(full, book)
        answer.isExact = complete && cheapest.isComplete
        return answer
    }

    private static func priced(_ answer: MeritAnswer, _ book: LoadBook) -> MeritAnswer {
        var priced = answer
        priced.cost = answer.energies.enumerated().reduce(0) { $0 + (book.cost($1.offset, energy: $1.element) ?? 0) }
        priced.bound = Int64.min
        return priced
    }
}

extension LoadBook {
    /// The most that every interval can take, where that is no more than an energy: then there is no choice.
    fileprivate func everything(upTo energy: Int64) -> MeritAnswer? {
        let last = (0..<count).map { pieces[first[$0 + 1] - 1] }
        guard last.reduce(0, { $0 + $1.high }) <= energy else { return nil }
        let cost = last.reduce(0) { $0 + $1.cost(at: $1.high) }
        return MeritAnswer(energies: last.map(\.high), cost: cost, bound: cost, isExact: true)
    }

    fileprivate var nothing: [Int64] { Array(repeating: 0, count: count) }
}
