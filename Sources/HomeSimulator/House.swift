package import Foundation

/// A made-up home whose physics add up: what the grid meter shows is the sum of everything in the house.
///
/// Pure: it changes only in `advance`, and the same seed gives the same house. Powers are in watts, energies in
/// watt-hours, temperatures in °C. Grid power is positive for import.
package struct House: Sendable, Codable, Equatable {
    /// The moment this state is for.
    package var now: Date
    /// The car, at home or not.
    package var car = Car()
    /// The charger it hangs on.
    package var charger = VirtualCharger()
    /// The heat pump and the rooms it heats.
    package var heating = Heating()
    /// Lifetime counters of the grid meter.
    package var importedWattHours = 8_214_300.0
    package var exportedWattHours = 5_021_700.0
    /// The solar inverter's lifetime counter.
    package var producedWattHours = 21_604_000.0
    /// What the sun gives now.
    package var solarWatts = 0.0
    /// What everything else in the house draws.
    package var baseWatts = 300.0
    /// What makes this house different from others.
    package var seed: UInt64

    /// A house at a moment.
    package init(now: Date, seed: UInt64) {
        self.now = now
        self.seed = seed
    }

    /// Power at the grid connection: positive is import.
    package var gridWatts: Double { baseWatts + charger.watts + heating.watts - solarWatts }

    /// Advances to a later moment, in steps short enough for the physics.
    package mutating func advance(to moment: Date) {
        while now < moment {
            let seconds = min(5, moment.timeIntervalSince(now))
            step(seconds)
            now = now.addingTimeInterval(seconds)
            if seconds < 1e-6 { now = moment }
        }
    }

    private mutating func step(_ seconds: Double) {
        let weather = Weather(at: now, seed: seed)
        car.follow(LocalClock(now), charger: &charger)
        charger.step(seconds, car: &car)
        heating.step(seconds, weather: weather)
        solarWatts = weather.solarWatts
        baseWatts = weather.baseWatts
        let hours = seconds / 3600
        producedWattHours += solarWatts * hours
        importedWattHours += max(0, gridWatts) * hours
        exportedWattHours += max(0, -gridWatts) * hours
    }
}

/// The car's day: it leaves in the evening and comes back at night.
package struct Car: Sendable, Codable, Equatable {
    /// Usable capacity in watt-hours.
    package var capacityWattHours = 58_000.0
    /// What is in it.
    package var storedWattHours = 20_000.0
    /// Whether it hangs on the charger.
    package var isPlugged = true
    /// What reaches the battery of what the meter counts.
    package var efficiency = 0.9
    /// The most its charger on board takes, in amps for each phase.
    package var maximumAmps = 16.0
    /// Energy of a day's drive.
    package var tripWattHours = 27_000.0
    /// Minutes after local midnight at which it leaves, and at which it comes back.
    package var leavesAtMinute = 18 * 60 + 30
    package var returnsAtMinute = 21 * 60 + 45

    /// Charge in percent.
    package var stateOfCharge: Double { storedWattHours / capacityWattHours * 100 }

    mutating func follow(_ clock: LocalClock, charger: inout VirtualCharger) {
        let isAway = clock.minute >= leavesAtMinute && clock.minute < returnsAtMinute
        if isPlugged, isAway {
            isPlugged = false
            charger.unplug()
        } else if !isPlugged, !isAway {
            isPlugged = true
            storedWattHours = max(2_000, storedWattHours - tripWattHours)
            charger.plugIn()
        }
    }
}

/// A charger as the car and the grid see it; what speaks Modbus for it is apart.
package struct VirtualCharger: Sendable, Codable, Equatable {
    /// The current it offers, in amps for each phase.
    package var limitAmps = 16.0
    /// Whether charging is allowed.
    package var isEnabled = false
    /// The current that flows in each of the three phases.
    package var amps = 0.0
    /// Lifetime counter in watt-hours.
    package var countedWattHours = 1_482_316.4
    /// Counter since the car was plugged in.
    package var sessionWattHours = 0.0
    private var rampAmps = 0.0

    /// Watts it draws.
    package var watts: Double { amps * 3 * House.volts }

    mutating func plugIn() { sessionWattHours = 0 }

    mutating func unplug() {
        amps = 0
        rampAmps = 0
    }

    mutating func step(_ seconds: Double, car: inout Car) {
        let mayCharge = car.isPlugged && isEnabled && limitAmps >= 6 && car.storedWattHours < car.capacityWattHours
        let target = mayCharge ? min(limitAmps, car.maximumAmps) : 0
        // The car follows an offer within a few seconds; it stops at once.
        rampAmps = target < rampAmps ? target : min(target, rampAmps + 4 * seconds)
        amps = rampAmps >= 6 || target == 0 ? rampAmps : min(target, 6)
        let energy = watts * seconds / 3600
        countedWattHours += energy
        sessionWattHours += energy
        car.storedWattHours = min(car.capacityWattHours, car.storedWattHours + energy * car.efficiency)
    }
}

extension House {
    /// The voltage between phase and neutral.
    package static let volts = 230.0
}

/// The local wall clock of the virtual house: Central European time, whose rule is kept here so that the physics stays
/// pure arithmetic.
struct LocalClock {
    /// Minutes after local midnight.
    let minute: Int
    /// The day of the year, from 0.
    let dayOfYear: Int

    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
        return calendar
    }()

    init(_ date: Date) {
        // The offset changes only at whole hours, so the zone is asked, not the calendar: this runs many times a second.
        let local = date.timeIntervalSince1970 + Double(Self.calendar.timeZone.secondsFromGMT(for: date))
        let day = (local / 86_400).rounded(.down)
        minute = Int((local - day * 86_400) / 60)
        // Days since 1970 modulo the mean year is close enough for the sun.
        dayOfYear = Int(day.truncatingRemainder(dividingBy: 365.2425))
    }
}
