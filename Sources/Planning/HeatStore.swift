import Foundation

/// When a house takes up heat (or cold) ahead: in well-rated time, as far as that saves running in worse time later.
///
/// A room that is warmer than its setpoint cools down by itself until the thermostat runs again, which is a reduction
/// that costs no comfort. How long to boost is decided by dynamic programming over the room's comfort, beside reductions
/// that are given, with a price that rises with the rating. What leaks through the walls meanwhile counts.
///
/// ## Complexity
/// O(n) for n steps of a quarter of an hour, some hundred sums each.
struct HeatStore {
    /// A worst-rated hour is taken to cost that much more than a best-rated one, as tariffs with an hourly price nearly do.
    private static let spread = 0.75
    /// How far up the band a boost goes; the thermostat's play is above it.
    private static let reach = 0.8
    /// A boost is worth a command from this on, in seconds.
    private static let shortest = 1800
    /// What a beginning boost costs, in best-rated kilowatt-hours: what saves less is left.
    private static let startCost = 0.1
    private static let rooms = 41

    private let house: HouseModel
    private let band: Double
    private let start: Double
    private let steps: [Step]

    private struct Step {
        var span: SecondSpan
        var outside: Double
        /// What a kilowatt-hour costs, in best-rated ones; `nil` where nothing is known and nothing boosted.
        var price: Double?
        var isReduced: Bool
        /// Whether a boost is settled already.
        var isBoosted: Bool
    }

    /// - Parameters:
    ///   - spans: The coming time with the outdoor temperature's comfort.
    ///   - start: The room's comfort now.
    init(
        _ task: ReductionTask, spans: [(span: SecondSpan, outside: Double)], start: Double, reductions: [SecondSpan],
        boosts: [SecondSpan]
    ) {
        house = task.house
        band = task.comfortBandKelvin
        self.start = start
        let rated = task.slots.map {
            (
                start: Int($0.start.timeIntervalSince1970.rounded(.up)),
                end: Int($0.end.timeIntervalSince1970.rounded(.down)), rating: $0.rating
            )
        }
        var steps: [Step] = []
        let edges = (reductions + boosts).flatMap { [$0.start, $0.end] } + rated.flatMap { [$0.start, $0.end] }
        for (span, outside) in spans {
            var at = span.start
            while at < span.end {
                let to = min(
                    span.end, at + ReductionSearch.stepSeconds, edges.filter { $0 > at }.min() ?? .max)
                let rating = rated.first { $0.start <= at && at < $0.end }?.rating
                steps.append(
                    Step(
                        span: SecondSpan(start: at, end: to), outside: outside,
                        price: rating.map { 1 + Self.spread * min(max($0, 0), 1) },
                        isReduced: reductions.contains { $0.start <= at && at < $0.end },
                        isBoosted: boosts.contains { $0.start <= at && at < $0.end }))
                at = to
            }
        }
        self.steps = steps
    }

    /// Spans to boost in, settled ones among them.
    func boosts() -> [SecondSpan] {
        guard band > 0 else { return [] }
        var choices: [[Bool]] = []
        // What is stored at the end is worth what it saves of a best-rated hour.
        let worth = house.timeConstantHours / house.gainKelvinPerKW
        var after = (0..<2).flatMap { _ in (0..<Self.rooms).map { -worth * comfort($0) } }
        for step in steps.reversed() {
            let (before, choice) = before(after, step)
            after = before
            choices.append(choice)
        }
        return follow(choices.reversed())
    }

    private func comfort(_ room: Int) -> Double { band * (2 * Double(room) / Double(Self.rooms - 1) - 1) }

    /// The least cost from a step on, for each comfort without a boost before it and then with one, and whether to boost.
    private func before(_ after: [Double], _ step: Step) -> (costs: [Double], boosts: [Bool]) {
        var costs = after, boosts = after.map { _ in false }
        for room in 0..<Self.rooms {
            let usual = total(step, from: comfort(room), boosted: false, after)
            let canBoost = !step.isReduced && (step.price != nil || step.isBoosted)
            let boosted = canBoost ? total(step, from: comfort(room), boosted: true, after) : .infinity
            for wasBoosted in 0..<2 {
                let place = wasBoosted * Self.rooms + room
                let beginning = boosted + (wasBoosted == 1 || step.isBoosted ? 0 : Self.startCost)
                boosts[place] = step.isBoosted || beginning < usual
                costs[place] = boosts[place] ? beginning : usual
            }
        }
        return (costs, boosts)
    }

    private func total(_ step: Step, from comfort: Double, boosted: Bool, _ after: [Double]) -> Double {
        let (end, energy) = moved(step, from: comfort, boosted: boosted)
        return energy * (step.price ?? 1) + value(after, end, boosted: boosted)
    }

    /// Where the room is after a step, and what it took in kilowatt-hours.
    private func moved(_ step: Step, from comfort: Double, boosted: Bool) -> (comfort: Double, energyKWh: Double) {
        let hours = Double(step.span.seconds) / 3600
        var track = ComfortTrack(house: house, comfort: comfort)
        track.advance(
            step.isReduced ? .reduced : boosted ? .boosted(upTo: Self.reach * band) : .normal, hours: hours,
            outside: step.outside)
        // What changes the room's warmth and what leaks was put in.
        let leaked = ((comfort + track.comfort) / 2 - step.outside) * hours
        let energy = (house.timeConstantHours * (track.comfort - comfort) + leaked) / house.gainKelvinPerKW
        return (track.comfort, max(0, energy))
    }

    private func value(_ after: [Double], _ comfort: Double, boosted: Bool) -> Double {
        let at = min(max((comfort / band + 1) / 2 * Double(Self.rooms - 1), 0), Double(Self.rooms - 1))
        let low = min(Int(at), Self.rooms - 2), share = at - Double(low)
        let first = (boosted ? Self.rooms : 0) + low
        return after[first] * (1 - share) + after[first + 1] * share
    }

    private func follow(_ choices: [[Bool]]) -> [SecondSpan] {
        var comfort = start
        var wasBoosted = false
        var spans: [SecondSpan] = []
        for (step, choice) in zip(steps, choices) {
            let room = Int(((comfort / band + 1) / 2 * Double(Self.rooms - 1)).rounded())
            let boosts = choice[(wasBoosted ? Self.rooms : 0) + min(max(room, 0), Self.rooms - 1)]
            if boosts {
                if let last = spans.last, last.end == step.span.start {
                    spans[spans.count - 1].end = step.span.end
                } else {
                    spans.append(step.span)
                }
            }
            comfort = moved(step, from: comfort, boosted: boosts).comfort
            wasBoosted = boosts
        }
        let settled = steps.filter(\.isBoosted).map(\.span.start)
        return spans.filter { span in
            span.seconds >= Self.shortest || settled.contains { span.start <= $0 && $0 < span.end }
        }
    }
}
