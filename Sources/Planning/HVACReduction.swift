import Foundation

/// Chooses when to reduce a heating or cooling device.
///
/// The worst-rated times come first, in steps of at most a quarter of an hour, each only if the whole plan still keeps
/// the budget and the predicted temperature stays within the band and recovers. Without a room temperature, or without
/// an outdoor one for a slot, nothing can be predicted: then a reduction lasts at most an hour, another follows after
/// three hours at the earliest, and nothing is boosted.
package enum HVACReduction {
    /// The plan for a task; values that cannot be computed with count as unknown.
    package static func plan(_ task: ReductionTask) -> ReductionPlan {
        let plain = ReductionSearch.run(task, boostSeconds: 0)
        guard task.preheatSeconds >= ReductionSearch.stepSeconds else { return plain.plan }
        var best = plain
        // The shortest boost that lets most be reduced.
        for steps in 1...(task.preheatSeconds / ReductionSearch.stepSeconds) {
            let boosted = ReductionSearch.run(task, boostSeconds: steps * ReductionSearch.stepSeconds)
            if boosted.weight > best.weight + 1e-9 { best = boosted }
        }
        return best.plan
    }
}

/// Spans of whole seconds, half-open.
struct SecondSpan: Hashable {
    var start: Int
    var end: Int
    var seconds: Int { end - start }
}

/// One greedy pass over the rated slots.
struct ReductionSearch {
    static let stepSeconds = 900

    let task: ReductionTask
    let boostSeconds: Int
    let rules: ReductionRules
    private let steps: [[Step]]
    private var chosen: [SecondSpan] = []
    private var chosenSteps: [Step] = []
    private var limit = ReductionPlan.Limit.ratings

    struct Step {
        var span: SecondSpan
        var rating: Double
    }

    init(_ task: ReductionTask, boostSeconds: Int) {
        self.task = task
        self.boostSeconds = boostSeconds
        rules = ReductionRules(task, boostSeconds: boostSeconds)
        let now = Int(task.now.timeIntervalSince1970.rounded(.up))
        steps = task.slots.filter { task.isBad($0.rating) }.compactMap { slot in
            let start = Int(slot.start.timeIntervalSince1970.rounded(.up))
            let end = Int(slot.end.timeIntervalSince1970.rounded(.down))
            let cuts = stride(from: start, to: max(start, end), by: ReductionSearch.stepSeconds)
            let parts = cuts.compactMap { cut -> Step? in
                let span = SecondSpan(start: max(now, cut), end: min(end, cut + ReductionSearch.stepSeconds))
                return span.seconds > 0 ? Step(span: span, rating: slot.rating) : nil
            }
            return parts.isEmpty ? nil : parts
        }.sorted { one, other in
            guard let first = one.first, let second = other.first else { return false }
            return first.rating != second.rating
                ? first.rating > second.rating : first.span.start < second.span.start
        }
    }

    /// The plan and the rated time it reduces.
    static func run(_ task: ReductionTask, boostSeconds: Int) -> (plan: ReductionPlan, weight: Double) {
        var search = ReductionSearch(task, boostSeconds: boostSeconds)
        for slot in search.steps { search.add(slot) }
        let weight = search.chosenSteps.reduce(0.0) { $0 + $1.rating * Double($1.span.seconds) }
        return (search.plan(), weight)
    }

    /// Adds as much of a slot as is allowed in one piece, from the side where a reduction already touches it.
    private mutating func add(_ slot: [Step]) {
        let touchesLater = chosen.contains { $0.start == slot.last?.span.end }
        for step in touchesLater ? slot.reversed() : slot {
            let candidate = merged(chosen + [step.span])
            if let reason = rules.objection(to: candidate) {
                if limit == .ratings { limit = reason }
                return
            }
            chosen = candidate
            chosenSteps.append(step)
        }
    }

    private func merged(_ spans: [SecondSpan]) -> [SecondSpan] {
        var result: [SecondSpan] = []
        for span in spans.sorted(by: { $0.start < $1.start }) {
            if let last = result.last, last.end == span.start {
                result[result.count - 1].end = span.end
            } else {
                result.append(span)
            }
        }
        return result
    }

    private func plan() -> ReductionPlan {
        let kept = chosen.filter { rules.isLongEnough($0) }
        let boosts = rules.boosts(among: kept)
        let intervals = (kept.map { interval($0, .reduce) } + boosts.map { interval($0, .boost) })
            .sorted { $0.start < $1.start }
        let ratings = chosenSteps.filter { step in
            kept.contains { $0.start <= step.span.start && step.span.end <= $0.end }
        }
        return ReductionPlan(
            intervals: intervals,
            facts: ReductionPlan.Facts(
                ratingThreshold: task.ratingThreshold, lowestReducedRating: ratings.map(\.rating).min(),
                predictedExtremeCelsius: kept.isEmpty ? nil : rules.extremeCelsius(kept, boosts), limit: limit,
                reducedSeconds: kept.reduce(0) { $0 + $1.seconds }, purpose: task.house.purpose))
    }

    private func interval(_ span: SecondSpan, _ kind: ReductionPlan.Kind) -> ReductionPlan.Interval {
        ReductionPlan.Interval(
            start: Date(timeIntervalSince1970: Double(span.start)), end: Date(timeIntervalSince1970: Double(span.end)),
            kind: kind)
    }
}
