import Foundation
import HubKit
import Planning

/// The best use of a home's devices by someone who knows everything beforehand.
struct Foresight {
    let home: Home
    let year: Year

    func add(_ stays: [Home.Stay], to loads: inout LoadSeries, _ totals: inout Totals) {
        for group in Home.overlapping(stays) {
            guard let answer = try? Planner.solve(problem(group), deadlineSeconds: 0.2, acceptableGap: 0.001) else {
                totals.missed += group.count
                continue
            }
            for interval in answer.schedule.intervals {
                loads.add(
                    interval.vehiclesKW.values.reduce(0, +) * 1000,
                    from: Date(timeIntervalSince1970: Double(interval.start)),
                    to: Date(timeIntervalSince1970: Double(interval.end)))
            }
            totals.missed += answer.unmetEnergyKWh.values.count { $0 > 0.05 }
        }
        heat(&loads, &totals)
        store(&loads, &totals)
    }

    /// Hours from one to another of the time in which the hub decides all day.
    private func quarters(_ loads: LoadSeries) -> [Range<Int>] {
        guard let span = home.alwaysOn(in: year) else { return [] }
        let first = loads.index(span.start), last = loads.index(span.end)
        return stride(from: first, to: last - 2, by: 3).map { $0..<$0 + 3 }
    }

    /// The heat pump's powers that cost least and leave the room, in every two weeks, as warm on the whole as the setpoint: a
    /// colder one is no saving of a plan, nor is a cold winter for a warm spring.
    private func heat(_ loads: inout LoadSeries, _ totals: inout Totals) {
        guard let house = home.heating else { return }
        let quarters = quarters(loads)
        let (weeks, more) = (14 * 96, 2 * 96)
        var room = house.comfort.setpointCelsius
        for start in stride(from: 0, to: quarters.count, by: weeks) {
            let part = Array(quarters[start..<min(start + weeks + more, quarters.count)])
            let best = heating(house, part, counted: min(weeks, part.count), loads, from: room)
            room = best.room
            totals.degreeHours += best.degreeHours
            for (quarter, power) in zip(part, best.watts) {
                for index in quarter { loads.add(power, at: index) }
            }
        }
    }

    /// What a heat pump does in a time, and what the room is like.
    private struct HeatingCourse {
        var watts: [Double] = []
        var meanCelsius = 0.0
        var degreeHours = 0.0
        var room: Double
    }

    private func heating(
        _ house: HeatedHouse, _ quarters: [Range<Int>], counted: Int, _ loads: LoadSeries, from room: Double
    ) -> HeatingCourse {
        let costs = quarters.map { quarter in
            (0..<Self.powers).map { cost(Self.share(of: $0) * house.fullWatts, quarter, loads) }
        }
        func course(_ worth: Double) -> HeatingCourse {
            heating(house, quarters, counted: counted, loads, costs, from: room, worthPerKelvinHour: worth)
        }
        // A kelvin costs a kilowatt-hour for as many hours as a kilowatt holds kelvins, here some three cents an hour.
        var tooLittle = 0.0, enough = 0.1
        var best = course(enough)
        for _ in 0..<6 {
            let worth = (tooLittle + enough) / 2
            let found = course(worth)
            if found.meanCelsius < house.comfort.setpointCelsius {
                tooLittle = worth
            } else {
                enough = worth
                best = found
            }
        }
        return best
    }

    /// Powers of a heat pump that are told apart.
    private static let powers = 13

    private static func share(of step: Int) -> Double { Double(step) / Double(powers - 1) }

    /// Dynamic programming over the room's temperature in steps of a fiftieth of the band, a quarter of an hour at a time.
    /// - Parameter warmth: what a kelvin more for an hour counts as money.
    private func heating(
        _ house: HeatedHouse, _ quarters: [Range<Int>], counted: Int, _ loads: LoadSeries, _ costs: [[Double]],
        from start: Double, worthPerKelvinHour warmth: Double
    ) -> HeatingCourse {
        let rooms = 101, powers = Self.powers
        let low = house.band.lowerBound, width = house.band.upperBound - low
        let kept = exp(-0.25 / house.timeConstantHours)
        let outdoors = quarters.map { HeatedHouse.outdoorCelsius(loads.moment($0.lowerBound + 1), home.chance) }
        var worth = Array(repeating: 0.0, count: rooms)
        // Where it is warm outside the room is as warm as it gets by itself.
        let isHeated = outdoors.map { $0 < house.comfort.setpointCelsius - 5 }
        var choices: [UInt8] = Array(repeating: 0, count: quarters.count * rooms)
        for place in quarters.indices.reversed() {
            let costs = costs[place]
            var next = worth
            let perPlace = isHeated[place] ? warmth / 4 * width / Double(rooms - 1) : 0
            for room in 0..<rooms {
                let from = low + width * Double(room) / Double(rooms - 1)
                var best = Double.infinity
                for step in 0..<powers {
                    let power = Self.share(of: step) * house.fullWatts
                    let target = outdoors[place] + house.gainKelvinPerKW * power / 1000
                    let at = (target + (from - target) * kept - low) / width * Double(rooms - 1)
                    let total = costs[step] + value(worth, at) - perPlace * min(at, Double(rooms - 1))
                    if total < best {
                        best = total
                        choices[place * rooms + room] = UInt8(step)
                    }
                }
                next[room] = best
            }
            worth = next
        }
        var course = HeatingCourse(room: start)
        var heated: [Double] = []
        for place in 0..<counted {
            let at = Int(((course.room - low) / width * Double(rooms - 1)).rounded())
            let power = Self.share(of: Int(choices[place * rooms + min(max(at, 0), rooms - 1)])) * house.fullWatts
            course.room = house.room(after: 900, from: course.room, watts: power, outdoor: outdoors[place])
            course.degreeHours += house.discomfort(course.room, watts: power, seconds: 900)
            course.watts.append(power)
            if isHeated[place] { heated.append(course.room) }
        }
        course.meanCelsius =
            heated.isEmpty ? house.comfort.setpointCelsius : heated.reduce(0, +) / Double(heated.count)
        return course
    }

    /// Between two rooms; outside of the band every kelvin costs more than anything could save.
    private func value(_ worth: [Double], _ at: Double) -> Double {
        let last = Double(worth.count - 1)
        let inside = min(max(at, 0), last)
        let index = min(Int(inside), worth.count - 2)
        let share = inside - Double(index)
        return worth[index] * (1 - share) + worth[index + 1] * share + 100 * (max(0, -at) + (at > last ? at - last : 0))
    }

    private func cost(_ watts: Double, _ quarter: Range<Int>, _ loads: LoadSeries) -> Double {
        let middle = quarter.lowerBound + 1
        let now = loads.moment(middle)
        guard let hour = year.hour(at: now) else { return 0 }
        let without = home.loadWatts(now) - home.sunWatts(now) + loads.watts[middle]
        func money(_ net: Double) -> Double { net > 0 ? net * hour.price : net * home.feedIn }
        return (money(without + watts) - money(without)) / 4000
    }

    private func store(_ loads: inout LoadSeries, _ totals: inout Totals) {
        guard let battery = home.battery else { return }
        guard let span = home.alwaysOn(in: year) else { return }
        let last = loads.index(span.end)
        // A week and a day at a time, of which the week counts.
        let (week, more) = (2016, 288)
        var held = battery.capacityWattHours / 2000
        for start in stride(from: loads.index(span.start), to: last, by: week) {
            let part = start..<min(start + week + more, last)
            let powers = powers(battery, part, held, loads)
            for (index, power) in zip(part, powers).prefix(week) {
                let oneWay = battery.efficiency.squareRoot()
                held += (power > 0 ? power * oneWay : power / oneWay) * LoadSeries.step / 3600
                loads.add(power * 1000, at: index)
            }
        }
        totals.credit(held * 1000 - battery.capacityWattHours / 2, battery, year)
    }

    /// The battery's best powers in kilowatts, step by step.
    private func powers(
        _ battery: BatteryConfiguration, _ part: Range<Int>, _ held: Double, _ loads: LoadSeries
    ) -> [Double] {
        let slots = part.map { index -> BatteryTask.Slot in
            let now = loads.moment(index)
            let net = home.loadWatts(now) - home.sunWatts(now) + loads.watts[index]
            return BatteryTask.Slot(
                start: now, end: now.addingTimeInterval(LoadSeries.step), importPrice: year.hour(at: now)?.price ?? 0.3,
                feedPrice: home.feedIn, netKW: net / 1000)
        }
        let oneWay = battery.efficiency.squareRoot(), capacity = battery.capacityWattHours / 1000
        let least = capacity * battery.minimumStateOfCharge / 100
        let store = PlanningProblem.Battery(
            capacityKWh: capacity, minKWh: least, initialKWh: min(max(held, least), capacity), finalKWh: least,
            maxChargeKW: battery.chargeWatts / 1000, maxDischargeKW: battery.dischargeWatts / 1000,
            chargeEfficiency: oneWay, dischargeEfficiency: oneWay)
        return BatteryPlanner.bestPowersKW(BatteryTask(slots: slots, battery: store)) ?? part.map { _ in 0 }
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
        // With one car it is told the least current too, without which the sun would be worth more than it can be.
        func least(_ car: Home.Car) -> Double {
            group.count == 1 ? min(6 * 230 * Double(car.phases), car.watts) / 1000 : 0
        }
        let vehicles = group.enumerated().map { index, stay in
            PlanningProblem.Vehicle(
                id: "\(index)", arrival: Int(stay.arrival.timeIntervalSince1970),
                departure: Int(stay.deadline.timeIntervalSince1970), minEnergyKWh: stay.wattHours / 1000,
                maxEnergyKWh: stay.wattHours / 1000,
                ranges: [PowerRange(least(home.cars[stay.car]), home.cars[stay.car].watts / 1000)])
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
}
