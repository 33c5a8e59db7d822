/// Searches powers that vehicles can really draw, from a relaxation in which any power down to nothing is allowed.
struct SharedSearch {
    /// Least energy of each vehicle in each interval where it draws.
    let least: [Int64]
    /// Differences of cost below this are rounding.
    let tolerance: Int64
    /// No allowed powers cost less, and none leave less energy unmet.
    private(set) var bound: Int64
    let unmet: Int64
    /// A gap that is not worth more search.
    let isEnough: Int64
    let end: ContinuousClock.Instant?
    /// When it ends whatever was found.
    let limit: ContinuousClock.Instant?
    private var casesLeft: Int
    /// Where the time is over, the search for as little unmet energy as the relaxation has ends with this many left.
    private let lastCase: Int
    /// The cheapest allowed powers found.
    private(set) var best: SharedFlow?
    private var bestCost = Int64.max
    private var bestUnmet = Int64.max
    /// Whether every case was looked at.
    private(set) var isComplete = false

    init(
        least: [Int64], tolerance: Int64, bound: Int64, unmet: Int64, isEnough: Int64, end: ContinuousClock.Instant?,
        limit: ContinuousClock.Instant?, casesLeft: Int
    ) {
        self.least = least
        self.tolerance = tolerance
        self.bound = bound
        self.unmet = unmet
        self.isEnough = isEnough
        self.end = end
        self.limit = limit
        self.casesLeft = casesLeft
        lastCase = casesLeft - 200
    }

    /// Rounds in a few ways, then searches decision by decision.
    mutating func run(from relaxed: SharedFlow) {
        for share in [0.5, 0.02, 0.98] where !isDone && !isOver { round(relaxed, raisingFrom: share) }
        if isDone { return }
        isComplete = true
        branch(relaxed)
        // A filling that came too late tells nothing.
        if isGivenUp { isComplete = false }
    }

    /// Rounds, then lets a tighter bound say who may draw when, and searches among what it leaves in doubt.
    mutating func runGuided(from relaxed: SharedFlow) {
        round(relaxed, raisingFrom: 0.5)
        guard !isDone, !isGivenUp, let relaxation = SharedBound(relaxed, least: least) else { return }
        let spread = Double((relaxed.frame.steps.last?.price ?? 0) - (relaxed.frame.steps.first?.price ?? 0))
        let found = relaxation.highest(
            from: relaxed.marginalPrices, radius: spread / 3, tolerance: Double(max(tolerance, isEnough / 4)),
            until: end)
        bound = max(bound, Int64(found.bound.rounded(.down)) - tolerance / 10)
        guard !isDone else { return }
        var choices = relaxation.choices(at: found.prices, below: .infinity)
        choices.sort { $0.regret != $1.regret ? $0.regret < $1.regret : $0.span < $1.span }
        improve(among: choices, from: relaxed)
        for doubtful in [6, 16, 40, 80] where !isDone && !isOver { follow(choices, from: relaxed, doubtful: doubtful) }
    }

    /// Fixes who draws in all intervals but the most doubtful ones and searches those.
    private mutating func follow(_ choices: [SharedBound.Choice], from relaxed: SharedFlow, doubtful: Int) {
        var flow = relaxed
        var isDecided: [Bool] = Array(repeating: false, count: relaxed.frame.spans)
        var left = doubtful
        var free: Set<Int> = []
        for choice in choices where left > 0 {
            if isDecided[choice.span], free.insert(choice.span).inserted { left -= 1 }
            isDecided[choice.span] = true
        }
        isDecided = isDecided.map { _ in false }
        for choice in choices where !isDecided[choice.span] {
            isDecided[choice.span] = true
            if !free.contains(choice.span) { fix(choice, in: &flow, within: relaxed) }
        }
        guard flow.fill(), flow.unmet.reduce(0, +) <= unmet else { return }
        let before = casesLeft
        casesLeft = min(casesLeft, 60)
        for share in [0.5, 0.02, 0.98] where !isDone { round(flow, raisingFrom: share) }
        if !isDone { branch(flow) }
        casesLeft = before - (min(before, 60) - casesLeft)
    }

    private func fix(_ choice: SharedBound.Choice, in flow: inout SharedFlow, within relaxed: SharedFlow) {
        for load in 0..<flow.frame.loads {
            let place = load * flow.frame.spans + choice.span
            let draws = choice.loads & (1 << UInt32(load)) != 0
            flow.low[place] = draws ? least[place] : 0
            flow.high[place] = draws ? relaxed.high[place] : 0
        }
    }

    /// Tries other sets of loads, interval by interval and then in pairs, from the bound's own ones and from the best so
    /// far.
    private mutating func improve(among choices: [SharedBound.Choice], from relaxed: SharedFlow) {
        var flow = relaxed
        for choice in choices.reversed() { fix(choice, in: &flow, within: relaxed) }
        if flow.fill() { climb(&flow, choices, relaxed) }
        guard !isDone, let start = best else { return }
        flow = start
        for span in 0..<flow.frame.spans { fix(pattern(of: start, span), in: &flow, within: relaxed) }
        if flow.fill() { climb(&flow, choices, relaxed) }
        if !isDone { climbInPairs(&flow, choices, relaxed) }
    }

    private mutating func climb(
        _ flow: inout SharedFlow, _ choices: [SharedBound.Choice], _ relaxed: SharedFlow
    ) {
        note(flow)
        var isBetter = true
        while isBetter {
            isBetter = false
            for choice in choices.prefix(8 * flow.frame.spans)
            where choice.loads != pattern(of: flow, choice.span).loads {
                if isDone || isOver || flow.unmet.allSatisfy({ $0 == 0 }) && hopeless(choice.regret) { break }
                if attempt([choice], &flow, relaxed) { isBetter = true }
            }
        }
    }

    private mutating func climbInPairs(
        _ flow: inout SharedFlow, _ choices: [SharedBound.Choice], _ relaxed: SharedFlow
    ) {
        var place = 0
        while place < choices.count, !isDone, !isOver, !hopeless(choices[place].regret) {
            let choice = choices[place]
            var isBetter = false
            for other in choices[..<place] where other.span != choice.span && !isBetter {
                if isDone || isOver || hopeless(choice.regret + other.regret) { break }
                isBetter = attempt([other, choice], &flow, relaxed)
            }
            place = isBetter ? 0 : place + 1
        }
    }

    /// Whether no answer with a choice of that regret can be better than the best.
    private func hopeless(_ regret: Double) -> Bool { Double(bestCost - bound) <= regret }

    /// Takes other sets of loads where that makes the powers better.
    private mutating func attempt(
        _ choices: [SharedBound.Choice], _ flow: inout SharedFlow, _ relaxed: SharedFlow
    ) -> Bool {
        var changed = flow
        for choice in choices { fix(choice, in: &changed, within: relaxed) }
        casesLeft -= 1
        guard changed.fill() else { return false }
        let missing = changed.unmet.reduce(0, +) - flow.unmet.reduce(0, +)
        guard missing < 0 || missing == 0 && changed.cost < flow.cost - tolerance else { return false }
        flow = changed
        note(flow)
        return true
    }

    private func pattern(of flow: SharedFlow, _ span: Int) -> SharedBound.Choice {
        let loads = (0..<flow.frame.loads).reduce(UInt32(0)) {
            flow.energy[$1 * flow.frame.spans + span] > 0 ? $0 | 1 << UInt32($1) : $0
        }
        return SharedBound.Choice(span: span, loads: loads, regret: 0)
    }

    private mutating func attempt(
        _ choices: [SharedBound.Choice], _ flow: SharedFlow, _ relaxed: SharedFlow
    ) -> Bool {
        var changed = flow
        for choice in choices { fix(choice, in: &changed, within: relaxed) }
        casesLeft -= 1
        guard changed.fill() else { return false }
        let before = bestCost
        note(changed)
        return bestCost < before - tolerance
    }

    var isDone: Bool {
        guard best != nil else { return false }
        return bestUnmet <= unmet && bestCost <= bound + max(tolerance, isEnough)
    }

    /// Whether the search has to stop; a first answer, and one with the least unmet energy, are looked for a little longer.
    private var isOver: Bool {
        if casesLeft <= 0 || isGivenUp { return true }
        guard let end, best == nil ? casesLeft < 100 : bestUnmet <= unmet || casesLeft < lastCase else { return false }
        return ContinuousClock.now >= end
    }

    private var isGivenUp: Bool { limit.map { ContinuousClock.now >= $0 } ?? false }

    private mutating func note(_ flow: SharedFlow) {
        let missing = flow.unmet.reduce(0, +), cost = flow.cost
        guard missing < bestUnmet || missing == bestUnmet && cost < bestCost else { return }
        (best, bestCost, bestUnmet) = (flow, cost, missing)
    }

    /// Places where a vehicle draws less than it can.
    private func violations(_ flow: SharedFlow) -> [Int] {
        flow.energy.indices.filter { flow.energy[$0] > 0 && flow.energy[$0] < least[$0] }
    }

    /// Raises or drops all powers that are too low, interval by interval, and fills anew, until none is left.
    private mutating func round(_ start: SharedFlow, raisingFrom share: Double) {
        var flow = start
        for _ in 0..<60 {
            let low = violations(flow)
            if low.isEmpty { return note(flow) }
            if isOver { return }
            let before = flow
            decide(low, &flow, share)
            casesLeft -= 1
            if flow.fill(), flow.unmet.reduce(0, +) <= unmet { continue }
            // Dropping went too far: raise them instead, where the interval has room for that.
            flow = before
            decide(low, &flow, 0)
            guard flow.fill() else { return }
        }
    }

    private func decide(_ low: [Int], _ flow: inout SharedFlow, _ share: Double) {
        let spans = flow.frame.spans
        for (span, places) in Dictionary(grouping: low, by: { $0 % spans }).sorted(by: { $0.key < $1.key }) {
            // Those that draw enough keep their least.
            var taken = (0..<flow.frame.loads).reduce(Int64(0)) { sum, load in
                let place = load * spans + span
                return flow.energy[place] >= least[place] ? sum + min(least[place], flow.energy[place]) : sum
            }
            let isAlone = taken == 0
            let order = places.sorted { one, other in
                let first = Double(flow.energy[one]) / Double(least[one])
                let second = Double(flow.energy[other]) / Double(least[other])
                return first != second ? first > second : one < other
            }
            for place in order {
                let wanted = max(taken + least[place], 0)
                let fits = wanted <= flow.total[span]
                let isWorthRaising =
                    isAlone && taken == 0 && Double(flow.energy[place]) >= share * Double(least[place])
                    && least[place] <= flow.frame.room[span]
                if fits || isWorthRaising || share == 0 && wanted <= flow.frame.room[span] {
                    flow.low[place] = least[place]
                    taken = wanted
                } else {
                    flow.high[place] = flow.low[place] == 0 ? 0 : flow.high[place]
                }
            }
        }
    }

    /// Looks at both decisions for one power that is too low, the likelier first.
    private mutating func branch(_ flow: SharedFlow) {
        guard let place = mostDoubtful(flow) else { return note(flow) }
        let isLikely = 2 * flow.energy[place] >= least[place]
        for raises in [isLikely, !isLikely] {
            if isDone || isOver {
                isComplete = false
                return
            }
            casesLeft -= 1
            var next = flow
            if raises { next.low[place] = least[place] } else { next.high[place] = 0 }
            guard next.fill() else { continue }
            let missing = next.unmet.reduce(0, +)
            guard missing < bestUnmet || missing == bestUnmet && next.cost < bestCost - tolerance else { continue }
            branch(next)
        }
    }

    private func mostDoubtful(_ flow: SharedFlow) -> Int? {
        violations(flow).min { one, other in
            let first = abs(0.5 - Double(flow.energy[one]) / Double(least[one]))
            let second = abs(0.5 - Double(flow.energy[other]) / Double(least[other]))
            return first < second
        }
    }
}
