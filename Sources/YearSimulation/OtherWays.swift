import Foundation
import HubKit
import Planning

/// What a home's devices cost when they are used in other ways: at once, in the cheapest unbroken time, and by someone
/// who knows everything.
///
/// A heat pump runs by its thermostat, or is locked in the dearest two hours of each day by a timer; a battery follows the
/// house, or is filled in the three cheapest hours of each night by a timer.
struct OtherWays {
    let home: Home
    let year: Year

    /// Everything at once.
    func atOnce(_ stays: [Home.Stay]) -> Totals {
        var totals = Totals()
        var loads = LoadSeries(year)
        ChargingAtOnce(home: home).add(stays, to: &loads, &totals)
        heat(&loads, &totals) { _ in .normal }
        store(&loads, &totals) { _ in .automatic }
        return priced(loads, totals)
    }

    /// By timers that know the prices; no fuse is looked at.
    func cheapestWindow(_ stays: [Home.Stay]) -> Totals {
        var totals = Totals()
        var loads = LoadSeries(year)
        ChargingWindow(home: home, year: year).add(stays, to: &loads, &totals)
        let locked = timer(hours: 2, dearest: true, from: 0, to: 24)
        heat(&loads, &totals) { locked.contains($0) ? .reduced : .normal }
        let filled = timer(hours: 3, dearest: false, from: 0, to: 6)
        let watts = home.battery?.chargeWatts ?? 0
        store(&loads, &totals) { filled.contains($0) ? .charge(watts: watts) : .automatic }
        return priced(loads, totals)
    }

    /// By someone who knows load, sun, weather, prices and every coming and going beforehand: cars, then the heat pump,
    /// then the battery, each at its best beside those before it.
    func perfectForesight(_ stays: [Home.Stay]) -> Totals {
        var totals = Totals()
        var loads = LoadSeries(year)
        Foresight(home: home, year: year).add(stays, to: &loads, &totals)
        return priced(loads, totals)
    }

    private func priced(_ loads: LoadSeries, _ totals: Totals) -> Totals {
        var totals = totals
        for (index, watts) in loads.watts.enumerated() {
            totals.add(watts, home, year, at: loads.moment(index), seconds: LoadSeries.step)
        }
        return totals
    }

    private func heat(_ loads: inout LoadSeries, _ totals: inout Totals, _ order: (Date) -> ReduceState) {
        guard let house = home.heating, let span = home.alwaysOn(in: year) else { return }
        var thermostat = Thermostat(house)
        for index in loads.index(span.start)..<loads.index(span.end) {
            let start = loads.moment(index)
            for part in 0..<10 {
                let now = start.addingTimeInterval(Double(part) * 30)
                let watts = thermostat.run(
                    house, order(hour(now)), seconds: 30, outdoor: HeatedHouse.outdoorCelsius(now, home.chance))
                totals.degreeHours += house.discomfort(thermostat.room, watts: watts, seconds: 30)
                loads.add(watts / 10, at: index)
            }
        }
    }

    private func store(_ loads: inout LoadSeries, _ totals: inout Totals, _ order: (Date) -> BatteryOrder) {
        guard let battery = home.battery, let span = home.alwaysOn(in: year) else { return }
        var stored = StoredEnergy(battery)
        for index in loads.index(span.start)..<loads.index(span.end) {
            let now = loads.moment(index)
            let net = home.loadWatts(now) - home.sunWatts(now) + loads.watts[index]
            let watts = stored.watts(order(hour(now)), besideWatts: net, seconds: LoadSeries.step)
            stored.flow(watts, seconds: LoadSeries.step)
            loads.add(watts, at: index)
        }
        totals.credit(stored.gainWattHours, battery, year)
    }

    private func hour(_ moment: Date) -> Date {
        Date(timeIntervalSince1970: (moment.timeIntervalSince1970 / 3600).rounded(.down) * 3600)
    }

    /// The beginnings of some hours of each local day, the dearest or the cheapest between two times of day.
    private func timer(hours: Int, dearest: Bool, from: Double, to: Double) -> Set<Date> {
        var days: [Int: [Year.Hour]] = [:]
        for hour in year.hours where (from..<to).contains(Home.localHour(hour.start)) {
            let local = hour.start.timeIntervalSince1970 + Double(Home.zone.secondsFromGMT(for: hour.start))
            days[Int(local / 86_400), default: []].append(hour)
        }
        let chosen = days.values.flatMap { day in
            day.sorted { dearest ? $0.price > $1.price : $0.price < $1.price }.prefix(hours)
        }
        return Set(chosen.map(\.start))
    }
}
