import Foundation

/// What a set of reductions must keep: the budget, the breaks and the comfort.
struct ReductionRules {
    let task: ReductionTask
    let boostSeconds: Int

    private let budget: ReductionBudget
    private let recent: [SecondSpan]
    private let forecast: ComfortForecast?

    /// Back at the setpoint within this, in kelvin.
    private static let recovered = 0.2

    init(_ task: ReductionTask, boostSeconds: Int) {
        self.task = task
        let now = Int(task.now.timeIntervalSince1970.rounded(.up))
        recent = task.recentReductions.map {
            SecondSpan(start: Int($0.start.timeIntervalSince1970), end: min(now, Int($0.end.timeIntervalSince1970)))
        }.filter { $0.seconds > 0 }.sorted { $0.start < $1.start }
        forecast = ComfortForecast(task)
        self.boostSeconds = forecast == nil ? 0 : boostSeconds
        var budget = task.budget
        if forecast == nil {
            budget.inARowSeconds = min(budget.inARowSeconds, 3600)
            budget.minimumPauseSeconds = max(budget.minimumPauseSeconds, 3 * 3600)
        }
        self.budget = budget
    }

    /// Why a set of reductions may not be; `nil` if it may.
    func objection(to reductions: [SecondSpan]) -> ReductionPlan.Limit? {
        let all = joined(recent + reductions)
        let isTight =
            all.contains { $0.seconds > budget.inARowSeconds }
            || zip(all, all.dropFirst()).contains { $1.start - $0.end < budget.minimumPauseSeconds }
        if isTight || mostInADay(all) > budget.perDaySeconds {
            return forecast == nil ? .unknownTemperature : .budget
        }
        guard let forecast else { return nil }
        let boosts = reductions.compactMap { boost(before: $0, among: reductions) }
        return forecast.objection(
            to: reductions, boosts: boosts, recovery: budget.recoverySeconds, within: ReductionRules.recovered)
    }

    /// Whether a reduction lasts long enough to be worth a command, what already runs included.
    func isLongEnough(_ span: SecondSpan) -> Bool {
        let running = recent.last { $0.end == span.start }?.seconds ?? 0
        return span.seconds + running >= budget.minimumRunSeconds
    }

    /// The boost before a reduction; `nil` where there is no room for it or the time before is bad as well.
    func boost(before span: SecondSpan, among reductions: [SecondSpan]) -> SecondSpan? {
        guard boostSeconds > 0 else { return nil }
        let boost = SecondSpan(start: span.start - boostSeconds, end: span.start)
        let now = Int(task.now.timeIntervalSince1970.rounded(.up))
        let blocked = boost.start - budget.minimumPauseSeconds
        let isFree = (reductions + recent).allSatisfy { $0 == span || $0.end <= blocked || $0.start >= span.start }
        guard boost.start >= now, isFree else { return nil }
        let rated = task.slots.filter {
            Int($0.end.timeIntervalSince1970) > boost.start && Int($0.start.timeIntervalSince1970) < boost.end
        }
        return !rated.contains { task.isBad($0.rating) } ? boost : nil
    }

    /// Every span to boost in: what lets the reductions be as long as they are, and what saves more than it leaks.
    func boosts(among reductions: [SecondSpan]) -> [SecondSpan] {
        let settled = reductions.compactMap { boost(before: $0, among: reductions) }
        guard let forecast, task.preheatSeconds > 0 else { return settled }
        return HeatStore(
            task, spans: forecast.spans, start: forecast.start, reductions: reductions, boosts: settled
        ).boosts()
    }

    /// The worst predicted room temperature while reduced; `nil` if it cannot be predicted.
    func extremeCelsius(_ reductions: [SecondSpan], _ boosts: [SecondSpan]) -> Double? {
        forecast?.extremeCelsius(reductions, boosts: boosts)
    }

    private func joined(_ spans: [SecondSpan]) -> [SecondSpan] {
        var result: [SecondSpan] = []
        for span in spans.sorted(by: { $0.start < $1.start }) {
            if let last = result.last, last.end >= span.start {
                result[result.count - 1].end = max(last.end, span.end)
            } else {
                result.append(span)
            }
        }
        return result
    }

    /// The most reduced seconds in any 24 hours; the fullest such day ends where some reduction ends.
    private func mostInADay(_ spans: [SecondSpan]) -> Int {
        var most = 0
        for last in spans {
            let dayStart = last.end - 86_400
            var reduced = 0
            for span in spans { reduced += max(0, min(span.end, last.end) - max(span.start, dayStart)) }
            most = max(most, reduced)
        }
        return most
    }
}

/// The room's predicted comfort under a set of reductions.
struct ComfortForecast {
    private let task: ReductionTask
    private let sign: Double
    /// The room's comfort now.
    let start: Double
    /// The coming time with the outdoor temperature's comfort.
    let spans: [(span: SecondSpan, outside: Double)]

    /// `nil` where the room's temperature or every outdoor temperature is unknown, or the model has no usable figures.
    init?(_ task: ReductionTask) {
        guard let room = task.roomCelsius, room.isFinite, task.house.isUsable, task.comfortBandKelvin >= 0 else {
            return nil
        }
        self.task = task
        sign = task.house.purpose == .heating ? 1 : -1
        start = sign * (room - task.setpointCelsius)
        let now = Int(task.now.timeIntervalSince1970.rounded(.up))
        var known: [(span: SecondSpan, outside: Double)] = []
        for slot in task.slots {
            let end = Int(slot.end.timeIntervalSince1970)
            // Normal operation is assumed across a gap, at the outdoor temperature that follows it.
            let begin = known.last?.span.end ?? now
            guard end > begin else { continue }
            guard let outdoor = slot.outdoorCelsius, outdoor.isFinite else { return nil }
            known.append((SecondSpan(start: begin, end: end), sign * (outdoor - task.setpointCelsius)))
        }
        guard !known.isEmpty else { return nil }
        spans = known
    }

    func objection(
        to reductions: [SecondSpan], boosts: [SecondSpan], recovery: Int, within tolerance: Double
    ) -> ReductionPlan.Limit? {
        let track = run(reductions, boosts)
        let normal = run([], [])
        for (point, plain) in zip(track, normal) where point.isReduced {
            if point.comfort < -task.comfortBandKelvin { return .comfort }
            if plain.holdingKW <= task.house.reducedPowerKW + 0.01 * task.house.fullPowerKW {
                return .nothingToReduce
            }
        }
        for (index, span) in reductions.enumerated() {
            let next = index + 1 < reductions.count ? reductions[index + 1].start : Int.max
            let due = min(span.end + recovery, next)
            // Beyond the horizon nothing is known: the room need not be back there.
            guard let last = track.firstIndex(where: { $0.at >= due }), due == span.end + recovery else { continue }
            if track[last].comfort < min(0, normal[last].comfort) - tolerance { return .comfort }
        }
        return nil
    }

    func extremeCelsius(_ reductions: [SecondSpan], boosts: [SecondSpan]) -> Double? {
        let worst = run(reductions, boosts).filter(\.isReduced).map(\.comfort).min()
        return worst.map { task.setpointCelsius + sign * $0 }
    }

    private struct Point {
        var at: Int
        var comfort: Double
        var isReduced: Bool
        var holdingKW: Double
    }

    /// The comfort at the end of each step of at most a quarter of an hour.
    private func run(_ reductions: [SecondSpan], _ boosts: [SecondSpan]) -> [Point] {
        var track = ComfortTrack(house: task.house, comfort: start)
        var points: [Point] = []
        for (span, outside) in spans {
            var at = span.start
            while at < span.end {
                let reduced = reductions.first { $0.start <= at && at < $0.end }
                let boosted = boosts.first { $0.start <= at && at < $0.end }
                let edges = (reductions + boosts).flatMap { [$0.start, $0.end] }.filter { $0 > at }
                let to = min(span.end, at + ReductionSearch.stepSeconds, edges.min() ?? .max)
                let operation: ComfortTrack.Operation =
                    reduced != nil ? .reduced : boosted != nil ? .boosted(upTo: task.comfortBandKelvin) : .normal
                track.advance(operation, hours: Double(to - at) / 3600, outside: outside)
                points.append(
                    Point(
                        at: to, comfort: track.comfort, isReduced: reduced != nil,
                        holdingKW: track.holdingPowerKW(outside: outside)))
                at = to
            }
        }
        return points
    }
}
