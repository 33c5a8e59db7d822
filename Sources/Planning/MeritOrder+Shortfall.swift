extension MeritOrder {
    /// How far an energy may miss its limit: what rounding each interval to a joule can add up to.
    private static let roundingJoules: Int64 = 20

    /// The cheapest way to take at least an energy; where that is out of reach, first as much of it as possible,
    /// then as cheaply as possible.
    static func cheapest(_ book: LoadBook, least: Int64, most: Int64) -> MeritAnswer {
        var order = MeritOrder(book, least: least, most: most)
        if let answer = order.solve() { return answer }
        var complete = order.isComplete
        var rounded = MeritOrder(book, least: max(0, least - roundingJoules), most: most + roundingJoules)
        if let answer = rounded.solve() { return answer }
        complete = complete && rounded.isComplete
        var fullest = MeritOrder(book.valuingEnergy(), least: 0, most: min(least, most))
        // Taking nothing is always allowed unless an interval must take something, which no book here asks.
        let full = fullest.solve() ?? MeritAnswer(energies: book.nothing, cost: 0, bound: 0, isExact: false)
        complete = complete && fullest.isComplete
        let reached = full.energy
        var cheapest = MeritOrder(book, least: reached, most: reached)
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
    fileprivate var nothing: [Int64] { Array(repeating: 0, count: count) }
}
