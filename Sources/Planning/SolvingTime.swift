/// How long a solution may take, and what it may leave.
struct SolvingTime {
    /// When the answer is wanted; `nil` is no limit.
    var end: ContinuousClock.Instant?
    /// When it is given whatever is missing in it: least unmet energy is looked for beyond the end.
    let limit: ContinuousClock.Instant?
    /// A gap between cost and bound that is not worth more search.
    let enough: Double

    /// - Parameter seconds: Time from now; `nil` is no limit.
    init(seconds: Double?, enough: Double) {
        let now = ContinuousClock.now
        end = seconds.map { now + .seconds($0) }
        limit = seconds.map { now + .seconds(2 * $0 + 0.5) }
        self.enough = enough
    }

    /// When a search for a higher bound ends that begins now.
    var boundEnd: ContinuousClock.Instant { end.map { $0 + .milliseconds(20) } ?? (.now + .seconds(1)) }
}
