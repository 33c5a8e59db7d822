import Control
import EnergyKit
import Foundation
import Guidance
import HubKit

/// A home through a year with the hub's own decisions: guidance once a day, plans, and a tick a minute.
struct HubRun {
    private let home: Home
    private let year: Year
    private let venue: Venue
    private var control: HomeControl
    private var amps: [Double]
    private var counters: [Double]
    private var stays: [Home.Stay?]
    private var delivered: [Double]
    private var guidance: ElectricityGuidance?
    private var surplus: ExpectedSurplus?
    private var overSince: [String: Date] = [:]
    private(set) var totals = Totals()

    private var stored: StoredEnergy?
    private var order = BatteryOrder.automatic
    private var thermostat: Thermostat?
    private var heatOrder = ReduceState.normal
    private var heatWatts = 0.0

    private static let tick = 60.0
    /// Between two ticks while neither a car nor a battery draws on purpose.
    private static let idleTick = 300.0
    private static let battery: DeviceID = "battery"
    private static let heatPump: DeviceID = "heatpump"

    /// - Parameter planningSeconds: real time that a common plan may take.
    init(_ home: Home, _ year: Year, planningSeconds: Double = 0.05) {
        self.home = home
        self.year = year
        venue = Venue(
            id: UUID(), name: home.name, timeZone: Home.zone, currency: "EUR",
            connection: GridConnection(phases: 3, amps: home.amps))
        let venueID = venue.id
        control = HomeControl(
            venue,
            chargers: home.cars.map { car in
                var configuration = DeviceConfiguration(
                    id: car.id, name: car.id.rawValue, venueID: venueID, driver: "simulated", connection: .none)
                configuration.circuit = car.circuit
                return HomeControl.Charger(
                    configuration,
                    DeviceCapabilities(
                        meter: MeterCapabilities(power: true, importEnergy: true),
                        charger: ChargerCapabilities(
                            plugState: true, chargingState: true,
                            currentLimit: CurrentRange(maximumAmps: car.maximumAmps), phases: [car.phases])))
            }, circuitAmps: home.circuits, planningSeconds: planningSeconds, at: year.start)
        amps = home.cars.map { _ in 0 }
        counters = amps
        delivered = amps
        stays = home.cars.map { _ in nil }
        if let battery = home.battery {
            var configuration = DeviceConfiguration(
                id: Self.battery, name: "Battery", venueID: venueID, driver: "simulated", connection: .none)
            configuration.role = .battery
            configuration.battery = battery
            control.add(battery: configuration, at: year.start)
            stored = StoredEnergy(battery)
        }
        if let heating = home.heating {
            control.add(
                heatPump: DeviceConfiguration(
                    id: Self.heatPump, name: "Heat pump", venueID: venueID, driver: "simulated", connection: .none),
                comfort: heating.comfort, at: year.start)
            thermostat = Thermostat(heating)
        }
    }

    /// Runs the year.
    mutating func run(_ all: [Home.Stay]) {
        var next = 0
        let span = home.alwaysOn(in: year)
        var now = span?.start ?? all.first?.arrival ?? year.end
        var guidanceEnds = now
        while next < all.count || stays.contains(where: { $0 != nil }) || span.map({ now < $0.end }) ?? false {
            if stays.allSatisfy({ $0 == nil }), span == nil { now = max(now, all[next].arrival) }
            while next < all.count, all[next].arrival <= now {
                // A car that still waits for its energy has missed it; the next stay begins.
                if stays[all[next].car] != nil { leave(all[next].car, now) }
                arrive(all[next], now)
                next += 1
            }
            if now >= guidanceEnds { guidanceEnds = inform(now) }
            decide(now)
            let edge = control.nextEdge(after: now) ?? .distantFuture
            var end = min(
                now.addingTimeInterval(isIdle ? Self.idleTick : Self.tick), max(edge, now.addingTimeInterval(1)),
                guidanceEnds)
            for stay in stays.compactMap(\.self) where stay.deadline > now { end = min(end, stay.deadline) }
            if next < all.count { end = min(end, max(all[next].arrival, now.addingTimeInterval(1))) }
            flow(now, end.timeIntervalSince(now))
            now = end
            for (car, stay) in stays.enumerated() {
                if let stay, stay.deadline <= now { leave(car, now) }
            }
        }
        if let stored { totals.credit(stored.gainWattHours, stored.battery, year) }
    }

    private var isIdle: Bool {
        if case .charge = order { return false }
        return stays.allSatisfy { $0 == nil }
    }

    private mutating func arrive(_ stay: Home.Stay, _ now: Date) {
        // The hub reads the charger all the time; here that is left out while no car is there.
        decide(now)
        stays[stay.car] = stay
        delivered[stay.car] = 0
        control.setGoal(
            ChargingGoal(amount: .energy(wattHours: stay.wattHours), readyBy: stay.deadline, setAt: now),
            for: home.cars[stay.car].id)
    }

    private mutating func leave(_ car: Int, _ now: Date) {
        // Ten watt-hours are within a counter's steps.
        if let stay = stays[car], delivered[car] < stay.wattHours - 10 { totals.missed += 1 }
        stays[car] = nil
        amps[car] = 0
        control.setGoal(nil, for: home.cars[car].id)
    }

    /// Guidance from what is known: until the end of tomorrow after 13:00, until the end of today before that.
    /// - Returns: when there is more.
    private mutating func inform(_ now: Date) -> Date {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = Home.zone
        let today = calendar.startOfDay(for: now)
        let publication = today.addingTimeInterval(13 * 3600)
        let days = now >= publication ? 2 : 1
        let end = calendar.date(byAdding: .day, value: days, to: today) ?? now
        let hours = year.hours(from: now.addingTimeInterval(-3600), to: end)
        let prices = hours.map { EnergySeries.Slot(start: $0.start, end: $0.start + 3600, value: $0.price) }
        let carbon = hours.map { EnergySeries.Slot(start: $0.start, end: $0.start + 3600, value: $0.grams) }
        let draft = composeGuidance(
            GuidanceInputs(
                price: (try? EnergySeries(kind: .price(currency: "EUR"), slots: prices)).map { .init($0) },
                carbon: (try? EnergySeries(kind: .carbon(.average), slots: carbon)).map { .init($0) },
                timeZone: Home.zone, now: now))
        guidance = hubGuidance(draft, now)
        if home.roofWatts > 0 {
            let quarters = stride(from: 0, to: end.timeIntervalSince(now), by: 900).map { offset in
                let from = now.addingTimeInterval(offset)
                return (start: from, end: from.addingTimeInterval(900), watts: home.foretoldWatts(from))
            }
            surplus = ExpectedSurplus(forecast: quarters, baseLoadWatts: 900, feedInPerKWh: home.feedIn)
        }
        // Tomorrow's prices come at one o'clock.
        return now < publication ? publication : publication.addingTimeInterval(86_400)
    }

    private func hubGuidance(_ draft: GuidanceDraft, _ now: Date) -> ElectricityGuidance? {
        guard let first = draft.values.first, let last = draft.values.last else { return nil }
        return ElectricityGuidance(
            guidanceToken: UUID(), energyVenueID: venue.id, suggestedAction: .shift, issuedAt: now,
            interval: DateInterval(start: first.start, end: last.end), options: [],
            values: draft.values.map {
                ElectricityGuidance.Value(
                    interval: DateInterval(start: $0.start, end: $0.end), rating: $0.rating,
                    pricePerKWh: $0.pricePerKWh, gramsCO2PerKWh: $0.gramsCO2PerKWh)
            })
    }

    private func watts(_ car: Int) -> Double {
        guard stays[car] != nil else { return 0 }
        return amps[car] * 230 * Double(home.cars[car].phases) * 0.985
    }

    private func phaseWatts(_ now: Date) -> [Double] {
        let even = (batteryWatts(now, 30) + heatWatts - home.sunWatts(now)) / 3
        return (0..<3).map { phase in
            home.cars.indices.reduce(home.loadWatts(now, phase: phase) + even) { sum, car in
                home.cars[car].phases > phase ? sum + watts(car) / Double(home.cars[car].phases) : sum
            }
        }
    }

    private func batteryWatts(_ now: Date, _ seconds: Double) -> Double {
        guard let stored else { return 0 }
        let beside = home.cars.indices.reduce(home.loadWatts(now) - home.sunWatts(now) + heatWatts) { $0 + watts($1) }
        return stored.watts(order, besideWatts: beside, seconds: seconds)
    }

    private mutating func decide(_ now: Date) {
        var moment = HomeControl.Moment(now: now)
        let phases = phaseWatts(now)
        var meter = DeviceReading(at: now)
        for (quantity, watts) in zip([Quantity.powerL1Watts, .powerL2Watts, .powerL3Watts], phases) {
            meter[quantity] = watts
        }
        meter[.powerWatts] = phases.reduce(0, +)
        moment.grid = meter
        moment.guidance = guidance
        moment.surplus = surplus
        moment.externalWatts = home.externalWatts(now)
        for (index, car) in home.cars.enumerated() {
            var reading = DeviceReading(at: now)
            reading.plug = stays[index] == nil ? .unplugged : .plugged
            reading.charging = watts(index) > 0 ? .charging : .idle
            reading[.powerWatts] = watts(index)
            reading[.importWattHours] = counters[index].rounded()
            reading[.phaseCount] = Double(car.phases)
            moment.readings[car.id] = reading
        }
        if let stored {
            var reading = DeviceReading(at: now)
            reading[.stateOfChargePercent] = stored.percent.rounded()
            reading[.powerWatts] = -batteryWatts(now, 30)
            moment.readings[Self.battery] = reading
        }
        if let thermostat {
            var reading = DeviceReading(at: now)
            reading[.roomCelsius] = (thermostat.room * 10).rounded() / 10
            reading[.outdoorCelsius] = HeatedHouse.outdoorCelsius(now, home.chance).rounded()
            reading[.powerWatts] = heatWatts
            reading.hvacMode = heatWatts > 0 ? .heating : .idle
            reading.reduce = heatOrder
            moment.readings[Self.heatPump] = reading
        }
        let told = control.tick(moment)
        for (index, car) in home.cars.enumerated() { amps[index] = told.amps[car.id] ?? amps[index] }
        order = told.battery ?? order
        heatOrder = told.heating ?? heatOrder
    }

    private mutating func flow(_ start: Date, _ seconds: Double) {
        var now = start
        let end = start.addingTimeInterval(seconds)
        while now < end {
            let step = min(30, end.timeIntervalSince(now))
            if let house = home.heating {
                let outdoor = HeatedHouse.outdoorCelsius(now, home.chance)
                heatWatts = thermostat?.run(house, heatOrder, seconds: step, outdoor: outdoor) ?? 0
                totals.degreeHours += house.discomfort(
                    thermostat?.room ?? 0, watts: heatWatts, seconds: step)
            }
            let battery = batteryWatts(now, step)
            var all = 0.0
            for car in home.cars.indices {
                let power = watts(car)
                all += power
                counters[car] += power * step / 3600
                delivered[car] += power * step / 3600
            }
            totals.add(all + heatWatts + battery, home, year, at: now, seconds: step)
            for (phase, watts) in phaseWatts(now).enumerated() {
                note("L\(phase)", watts / 230 > home.amps + 0.01, now, step)
            }
            for (name, most) in home.circuits {
                let drawn = home.cars.indices.reduce(0.0) {
                    home.cars[$1].circuit == name && stays[$1] != nil ? $0 + amps[$1] : $0
                }
                note(name, drawn > most + 0.01, now, step)
            }
            note("outside", home.externalWatts(now).map { all > $0 + 1 } ?? false, now, step)
            stored?.flow(battery, seconds: step)
            now = now.addingTimeInterval(step)
        }
    }

    private mutating func note(_ name: String, _ isOver: Bool, _ now: Date, _ seconds: Double) {
        guard isOver else { return overSince[name] = nil }
        let since = overSince[name] ?? now
        overSince[name] = since
        totals.overloadSeconds = max(totals.overloadSeconds, now.timeIntervalSince(since) + seconds)
    }
}
