import Foundation
import HubKit

/// A home of the simulation: its connection, its cars with their comings and goings, its load and its roof.
struct Home: Sendable {
    struct Car: Sendable {
        var id: DeviceID
        var phases = 3
        var maximumAmps = 16.0
        /// Least and most energy of one stay, in watt-hours.
        var needs: ClosedRange<Double>
        /// Local hours between which it comes and leaves.
        var arrives: ClosedRange<Double>
        var leaves: ClosedRange<Double>
        /// The share of days on which it comes.
        var presence = 1.0
        var circuit: String?

        var watts: Double { maximumAmps * 230 * Double(phases) }
    }

    /// One stay of one car.
    struct Stay: Sendable {
        var car: Int
        var arrival: Date
        var deadline: Date
        var wattHours: Double
    }

    var name: String
    var cars: [Car]
    var amps = 25.0
    var circuits: [String: Double] = [:]
    /// Peak power of the roof, in watts.
    var roofWatts = 0.0
    var feedIn = 0.08
    /// Whether someone outside limits the chargers now and then.
    var isLimited = false
    var battery: BatteryConfiguration?
    var heating: HeatedHouse?
    var chance: Chance

    /// Whether something besides cars is controlled, so that the hub decides without them too.
    var isAlwaysOn: Bool { battery != nil || heating != nil }

    /// The homes of a run.
    static func all(seed: UInt64) -> [Home] {
        let night = (arrives: 16.5...19.5, leaves: 30.2...32.5)
        func car(_ id: DeviceID, _ needs: ClosedRange<Double>, presence: Double = 1, amps: Double = 16) -> Car {
            Car(
                id: id, maximumAmps: amps, needs: needs, arrives: night.arrives, leaves: night.leaves,
                presence: presence)
        }
        var single = car("car", 3000...7500, presence: 0.7)
        single.phases = 1
        var garage = [
            car("a", 5000...16_000), car("b", 5000...12_000, presence: 0.8), car("c", 4000...9000, presence: 0.8),
        ]
        for index in 0..<2 { garage[index].circuit = "garage" }
        let day = Car(
            id: "car", needs: 4000...14_000, arrives: 7.5...9.5, leaves: 17...19.5, presence: 0.6)
        let battery = BatteryConfiguration(capacityWattHours: 10_000, chargeWatts: 4600, dischargeWatts: 4600)
        return [
            Home(name: "one car", cars: [car("car", 6000...22_000, presence: 0.75)], chance: Chance(seed: seed)),
            Home(name: "one car on one phase", cars: [single], chance: Chance(seed: seed + 1)),
            Home(
                name: "two cars, 3 × 20 A", cars: [car("a", 6000...20_000), car("b", 5000...15_000, presence: 0.8)],
                amps: 20, chance: Chance(seed: seed + 2)),
            Home(
                name: "three cars, circuit of 20 A", cars: garage, amps: 32, circuits: ["garage": 20],
                chance: Chance(seed: seed + 3)),
            Home(name: "a car by day, 9 kWp", cars: [day], roofWatts: 9000, chance: Chance(seed: seed + 4)),
            Home(
                name: "one car, limits from outside", cars: [car("car", 6000...16_000)], isLimited: true,
                chance: Chance(seed: seed + 5)),
            Home(name: "a heat pump", cars: [], heating: HeatedHouse(), chance: Chance(seed: seed + 6)),
            Home(name: "a battery, 9 kWp", cars: [], roofWatts: 9000, battery: battery, chance: Chance(seed: seed + 7)),
            Home(
                name: "a car, a battery, a heat pump, 7 kWp", cars: [car("car", 5000...18_000, presence: 0.75)],
                roofWatts: 7000, battery: battery, heating: HeatedHouse(), chance: Chance(seed: seed + 8)),
        ]
    }

    static let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

    /// All stays of a year, by arrival.
    func stays(in year: Year) -> [Stay] {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = Self.zone
        var stays: [Stay] = []
        var day = calendar.startOfDay(for: year.start.addingTimeInterval(86_400))
        var number: UInt64 = 0
        while day < year.end.addingTimeInterval(-3 * 86_400) {
            for (index, car) in cars.enumerated() {
                let salt = UInt64(index * 10 + 100)
                guard chance.value(number, salt) < car.presence else { continue }
                let arrival = pick(car.arrives, number, salt + 1), departure = pick(car.leaves, number, salt + 2)
                stays.append(
                    Stay(
                        car: index, arrival: day.addingTimeInterval((arrival * 3600).rounded()),
                        deadline: day.addingTimeInterval((departure * 3600).rounded()),
                        wattHours: pick(car.needs, number, salt + 3).rounded()))
            }
            number += 1
            day = calendar.date(byAdding: .day, value: 1, to: day) ?? day.addingTimeInterval(86_400)
        }
        return stays.sorted { $0.arrival < $1.arrival }
    }

    /// Stays that overlap, together.
    static func overlapping(_ stays: [Home.Stay]) -> [[Home.Stay]] {
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

    /// When the hub decides without cars too; absent where only cars are controlled.
    func alwaysOn(in year: Year) -> DateInterval? {
        guard isAlwaysOn else { return nil }
        let start = year.start.addingTimeInterval(86_400), end = year.end.addingTimeInterval(-2 * 86_400)
        return DateInterval(start: start, end: max(start, end))
    }

    private func pick(_ range: ClosedRange<Double>, _ number: UInt64, _ salt: UInt64) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * chance.value(number, salt)
    }

    // MARK: - What is there besides

    /// The house's own load on a phase, in watts: a base, the hours of the day, and a kettle now and then.
    func loadWatts(_ now: Date, phase: Int) -> Double {
        let hour = Self.localHour(now)
        let evening = hour >= 17 && hour < 22 ? 220.0 : 0
        let base = 110 + evening + 180 * chance.value(now, every: 900, UInt64(phase) + 1)
        return base + (chance.value(now, every: 240, UInt64(phase) + 5) > 0.96 ? 2000 : 0)
    }

    func loadWatts(_ now: Date) -> Double { (0..<3).reduce(0) { $0 + loadWatts(now, phase: $1) } }

    /// What the sun gives, in watts.
    func sunWatts(_ now: Date) -> Double {
        guard roofWatts > 0 else { return 0 }
        let day = chance.value(now, every: 86_400, 11)
        return clearWatts(now) * (0.15 + 0.85 * day) * (0.7 + 0.3 * chance.value(now, every: 300, 12))
    }

    /// What is foretold of it: the day's kind, but not its clouds, and not quite.
    func foretoldWatts(_ now: Date) -> Double {
        guard roofWatts > 0 else { return 0 }
        let day = chance.value(now, every: 86_400, 11), error = chance.value(now, every: 86_400, 13)
        return clearWatts(now) * (0.15 + 0.85 * day) * (0.6 + 0.5 * error)
    }

    private func clearWatts(_ now: Date) -> Double {
        let year = now.timeIntervalSince1970 / 86_400 / 365.25
        let season = 0.55 - 0.4 * cos(2 * .pi * year)
        let length = 8 + 8 * season
        let hour = (now.timeIntervalSince1970 / 3600).truncatingRemainder(dividingBy: 24)
        let share = (hour - 11.3 + length / 2) / length
        return share > 0 && share < 1 ? roofWatts * 0.8 * season * sin(share * .pi) / 0.95 : 0
    }

    /// What all chargers may draw together, in watts, where someone outside limits them: two hours on some evenings.
    func externalWatts(_ now: Date) -> Double? {
        guard isLimited, chance.value(now, every: 86_400, 21) < 0.3 else { return nil }
        let begin = 17 + (3 * chance.value(now, every: 86_400, 22)).rounded(.down)
        let hour = (now.timeIntervalSince1970 / 3600).truncatingRemainder(dividingBy: 24)
        return hour >= begin && hour < begin + 2 ? 4200 : nil
    }

    /// The zone's distance from UTC in seconds and since when, the latest first: asked for so often that the calendar is
    /// too slow.
    private static let offsets: [(since: Double, seconds: Double)] = {
        var found = [
            (since: -Double.infinity, seconds: Double(zone.secondsFromGMT(for: .init(timeIntervalSince1970: 0))))
        ]
        var moment = Date(timeIntervalSince1970: 0)
        while let next = zone.nextDaylightSavingTimeTransition(after: moment), next.timeIntervalSince1970 < 4e9 {
            found.append((next.timeIntervalSince1970, Double(zone.secondsFromGMT(for: next))))
            moment = next
        }
        return found.reversed()
    }()

    static func localHour(_ now: Date) -> Double {
        let second = now.timeIntervalSince1970
        var (low, high) = (0, offsets.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if offsets[middle].since <= second { high = middle } else { low = middle + 1 }
        }
        return ((second + offsets[low].seconds) / 3600).truncatingRemainder(dividingBy: 24)
    }
}
