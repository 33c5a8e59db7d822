import Foundation
import Planning

/// What charging costs in other ways: at once, in the cheapest unbroken window, and by someone who knows everything.
struct OtherWays {
    let home: Home
    let year: Year

    private static let step = 300.0

    /// Full power from arrival on, shared where the fuse does not carry all.
    func atOnce(_ stays: [Home.Stay]) -> Totals {
        var totals = Totals()
        for group in Self.groups(stays) {
            var left = group.map(\.wattHours)
            var now = group[0].arrival
            let end = group.map(\.deadline).max() ?? now
            while now < end {
                let present = group.indices.filter {
                    group[$0].arrival <= now && now < group[$0].deadline && left[$0] > 0
                }
                let room = max(0, home.amps * 690 - home.loadWatts(now) + home.sunWatts(now))
                let wanted = present.reduce(0.0) { $0 + home.cars[group[$1].car].watts }
                let share = min(1, room / max(wanted, 1))
                var all = 0.0
                for index in present {
                    let watts = min(
                        home.cars[group[index].car].watts * share, left[index] / Self.step * 3600)
                    left[index] -= watts * Self.step / 3600
                    all += watts
                }
                totals.add(all, home, year, at: now, seconds: Self.step)
                now = now.addingTimeInterval(Self.step)
            }
            totals.missed += left.count { $0 > 50 }
        }
        return totals
    }

    /// Each car by itself in the cheapest unbroken time before its deadline, as a timer does; no fuse is looked at.
    func cheapestWindow(_ stays: [Home.Stay]) -> Totals {
        var totals = Totals()
        for stay in stays {
            let watts = home.cars[stay.car].watts
            let seconds = stay.wattHours / watts * 3600
            let last = stay.deadline.addingTimeInterval(-seconds)
            var best = (cost: Double.infinity, start: stay.arrival)
            var start = stay.arrival
            while start <= max(last, stay.arrival) {
                let cost = windowCost(start, seconds)
                if cost < best.cost { best = (cost, start) }
                start = start.addingTimeInterval(900)
            }
            var now = best.start
            let end = best.start.addingTimeInterval(seconds)
            while now < end {
                let step = min(Self.step, end.timeIntervalSince(now))
                totals.add(watts, home, year, at: now, seconds: step)
                now = now.addingTimeInterval(step)
            }
            if end > stay.deadline.addingTimeInterval(60) { totals.missed += 1 }
        }
        return totals
    }

    private func windowCost(_ start: Date, _ seconds: Double) -> Double {
        var cost = 0.0
        var now = start
        let end = start.addingTimeInterval(seconds)
        while now < end {
            let hourEnd = Date(
                timeIntervalSince1970: (now.timeIntervalSince1970 / 3600 + 1e-9).rounded(.down) * 3600 + 3600)
            let until = min(end, hourEnd)
            cost += (year.hour(at: now)?.price ?? 1) * until.timeIntervalSince(now)
            now = until
        }
        return cost
    }

    /// The best plan by someone who knows load, sun, prices and every coming and going beforehand.
    func perfectForesight(_ stays: [Home.Stay]) -> Totals {
        var totals = Totals()
        for group in Self.groups(stays) {
            guard let answer = try? Planner.solve(problem(group), deadlineSeconds: 0.2, acceptableGap: 0.001) else {
                totals.missed += group.count
                continue
            }
            for interval in answer.schedule.intervals {
                let all = interval.vehiclesKW.values.reduce(0, +) * 1000
                var now = Date(timeIntervalSince1970: Double(interval.start))
                let end = Date(timeIntervalSince1970: Double(interval.end))
                while now < end {
                    let step = min(Self.step, end.timeIntervalSince(now))
                    totals.add(all, home, year, at: now, seconds: step)
                    now = now.addingTimeInterval(step)
                }
            }
            totals.missed += answer.unmetEnergyKWh.values.count { $0 > 0.05 }
        }
        return totals
    }

    private func problem(_ group: [Home.Stay]) -> PlanningProblem {
        let start = (Int(group[0].arrival.timeIntervalSince1970) / 900) * 900
        let end = Int(group.map(\.deadline).max()?.timeIntervalSince1970 ?? 0)
        let slots = stride(from: start, to: end, by: 900).map { second -> PlanningProblem.Slot in
            let from = Date(timeIntervalSince1970: Double(second))
            let samples = stride(from: 30.0, to: 900, by: 150).map { from.addingTimeInterval($0) }
            let load = samples.reduce(0) { $0 + home.loadWatts($1) } / Double(samples.count)
            let sun = samples.reduce(0) { $0 + home.sunWatts($1) } / Double(samples.count)
            return PlanningProblem.Slot(
                start: second, end: second + 900, importPrice: year.hour(at: from)?.price ?? 1,
                exportPrice: home.feedIn, baseLoadKW: load / 1000, pvKW: sun / 1000)
        }
        let vehicles = group.enumerated().map { index, stay in
            PlanningProblem.Vehicle(
                id: "\(index)", arrival: Int(stay.arrival.timeIntervalSince1970),
                departure: Int(stay.deadline.timeIntervalSince1970), minEnergyKWh: stay.wattHours / 1000,
                maxEnergyKWh: stay.wattHours / 1000, ranges: [PowerRange(0, home.cars[stay.car].watts / 1000)])
        }
        let limits = home.circuits.map { name, amps in
            PlanningProblem.SharedLimit(
                id: name, limitKW: slots.map { _ in amps * 0.69 },
                shares: Dictionary(
                    uniqueKeysWithValues: group.indices.filter { home.cars[group[$0].car].circuit == name }
                        .map { ("\($0)", 1) }))
        }
        return PlanningProblem(
            slots: slots, vehicles: vehicles,
            site: PlanningProblem.Site(importLimitKW: home.amps * 0.69, exportAllowed: true), limits: limits)
    }

    /// Stays that overlap, together.
    private static func groups(_ stays: [Home.Stay]) -> [[Home.Stay]] {
        var groups: [[Home.Stay]] = []
        var end = Date.distantPast
        for stay in stays {
            if stay.arrival < end, !groups.isEmpty {
                groups[groups.count - 1].append(stay)
            } else {
                groups.append([stay])
            }
            end = max(end, stay.deadline)
        }
        return groups
    }
}
