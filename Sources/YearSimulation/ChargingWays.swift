import Foundation

/// Cars that charge with full power from their arrival on, shared where the fuse does not carry all.
struct ChargingAtOnce {
    let home: Home

    func add(_ stays: [Home.Stay], to loads: inout LoadSeries, _ totals: inout Totals) {
        for group in Home.overlapping(stays) {
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
                        home.cars[group[index].car].watts * share, left[index] / LoadSeries.step * 3600)
                    left[index] -= watts * LoadSeries.step / 3600
                    all += watts
                }
                let next = now.addingTimeInterval(LoadSeries.step)
                loads.add(all, from: now, to: next)
                now = next
            }
            totals.missed += left.count { $0 > 50 }
        }
    }
}

/// Each car by itself in the cheapest unbroken time before its deadline, as a timer does.
struct ChargingWindow {
    let home: Home
    let year: Year

    func add(_ stays: [Home.Stay], to loads: inout LoadSeries, _ totals: inout Totals) {
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
            let end = best.start.addingTimeInterval(seconds)
            loads.add(watts, from: best.start, to: end)
            if end > stay.deadline.addingTimeInterval(60) { totals.missed += 1 }
        }
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
}
