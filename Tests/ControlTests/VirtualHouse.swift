import EnergyKit
import Foundation
import HubKit

@testable import Control

/// A house in virtual time: cars on chargers that share a fuse and circuits, a load and a sun that nobody foresaw quite
/// so, and the hub's own decisions, tick by tick.
struct VirtualHouse {
    struct Car {
        var id: DeviceID
        var needWattHours: Double
        var arrival: Date
        var deadline: Date
        var circuit: String?
        var priority = 0
        var phases = 3
        var maximumAmps = 16.0
        /// What it draws of what it is offered.
        var strength = 1.0
    }

    struct Setup {
        var cars: [Car]
        var fuse: GridConnection
        var circuits: [String: Double] = [:]
        var prices: [Double]
        /// The limit from outside as it changes: from when on, and watts.
        var external: [(from: Date, watts: Double?)] = []
        /// The house's own load on each phase, in watts, and the sun's whole power, at a moment.
        var loadWatts: (Date, Int) -> Double
        var sunWatts: (Date) -> Double
        /// What was foretold of both.
        var forecast: ExpectedSurplus?
        var start: Date
        var seconds: Double
    }

    /// What became of it.
    struct Outcome {
        var reachedAt: [DeviceID: Date] = [:]
        var cost = 0.0
        /// The longest time without a pause in which some limit was exceeded, in seconds, and which.
        var overloadSeconds = 0.0
        var overloaded = ""
        var commonPlans = 0
    }

    static let tickSeconds = 10.0

    let setup: Setup
    private var controls: [DeviceID: ChargerControl] = [:]
    private var labs: [DeviceID: ChargerLab] = [:]
    private var planning = SharedPlanning()
    private var amps: [DeviceID: Double] = [:]
    private var counters: [DeviceID: Double] = [:]
    private var overSince: [String: Date] = [:]
    private(set) var outcome = Outcome()

    init(_ setup: Setup) {
        self.setup = setup
        for car in setup.cars {
            let lab = ChargerLab(
                fuse: setup.fuse, range: CurrentRange(maximumAmps: car.maximumAmps), at: setup.start, id: car.id,
                circuit: car.circuit, priority: car.priority)
            labs[car.id] = lab
            controls[car.id] = ChargerControl(use: .goal(car.needWattHours, by: car.deadline, setAt: setup.start))
            amps[car.id] = 0
            counters[car.id] = 1000
        }
    }

    private func wattsOf(_ car: Car, at now: Date) -> Double {
        guard now >= car.arrival else { return 0 }
        return (amps[car.id] ?? 0) * 230 * Double(car.phases) * car.strength
    }

    private func phaseAmps(_ now: Date) -> [Double] {
        (0..<3).map { phase in
            let cars = setup.cars.filter { $0.phases > phase }.reduce(0) {
                $0 + wattsOf($1, at: now) / Double($1.phases)
            }
            return (setup.loadWatts(now, phase) - setup.sunWatts(now) / 3 + cars) / 230
        }
    }

    private func allowed(_ now: Date) -> Double? { setup.external.last { $0.from <= now }?.watts }

    /// Runs it; common plans are made at once.
    mutating func run() {
        var now = setup.start
        let end = setup.start.addingTimeInterval(setup.seconds)
        while now < end {
            tick(now)
            let next = now.addingTimeInterval(Self.tickSeconds)
            while now < next {
                flow(now, seconds: 2)
                now = now.addingTimeInterval(2)
            }
        }
    }

    private mutating func tick(_ now: Date) {
        let meter = grid(now, amps: phaseAmps(now).map(\.magnitude))
        var reading = meter
        let phases = phaseAmps(now)
        for (quantity, value) in zip([Quantity.powerL1Watts, .powerL2Watts, .powerL3Watts], phases) {
            reading[quantity] = value * 230
        }
        reading[.powerWatts] = phases.reduce(0, +) * 230
        let inputs = setup.cars.compactMap { known(of: $0, reading, now) }
        let tick = ChargerTick(&controls, inputs, planning)
        for outcome in tick.outcomes {
            if let amps = outcome.decision.amps { self.amps[outcome.id] = amps }
            if controls[outcome.id]?.use.charging?.isReached == true, self.outcome.reachedAt[outcome.id] == nil {
                self.outcome.reachedAt[outcome.id] = now
            }
        }
        let all = tick.outcomes.compactMap { outcome in controls[outcome.id].map { (outcome.id, $0) } }
        if let work = planning.work(for: all, limits: inputs.first?.limits ?? HomeLimits()) {
            outcome.commonPlans += 1
            planning.finish(work, work.plans(deadlineSeconds: 0.4))
        }
    }

    private func known(of car: Car, _ meter: DeviceReading, _ now: Date) -> TickInputs? {
        guard let lab = labs[car.id] else { return nil }
        let watts = wattsOf(car, at: now)
        let own = (0..<3).map { $0 < car.phases ? watts / Double(car.phases) / 230 : 0 }
        var reading = charger(
            now, plug: now >= car.arrival ? .plugged : .unplugged, watts: watts, counter: counters[car.id]?.rounded(),
            amps: own, limit: amps[car.id])
        reading[.phaseCount] = Double(car.phases)
        lab.board.post(reading, for: car.id)
        guard let device = lab.board[car.id] else { return nil }
        let hour = Int(now.timeIntervalSince(setup.start) / 3600)
        return TickInputs(
            now: now, device: device, venue: lab.venue, grid: meter,
            guidance: guidance(
                from: setup.start.addingTimeInterval(Double(hour) * 3600), prices: setup.prices[hour...].map { $0 },
                token: Self.token),
            carbonPricePerKg: 0, surplus: setup.forecast,
            limits: HomeLimits(circuitAmps: setup.circuits, externalWatts: allowed(now)))
    }

    private static let token = UUID()

    private mutating func flow(_ now: Date, seconds: Double) {
        let hour = min(setup.prices.count - 1, Int(now.timeIntervalSince(setup.start) / 3600))
        for car in setup.cars {
            let wattHours = wattsOf(car, at: now) * seconds / 3600
            counters[car.id, default: 0] += wattHours
            outcome.cost += wattHours / 1000 * setup.prices[hour]
        }
        for (phase, amps) in phaseAmps(now).enumerated() {
            note("L\(phase + 1)", amps > setup.fuse.amps + 0.01, now, seconds)
        }
        for (name, most) in setup.circuits {
            let drawn = setup.cars.filter { $0.circuit == name }.reduce(0) {
                $0 + (wattsOf($1, at: now) > 0 ? amps[$1.id] ?? 0 : 0)
            }
            note(name, drawn > most + 0.01, now, seconds)
        }
        if let watts = allowed(now) {
            let drawn = setup.cars.reduce(0) { $0 + wattsOf($1, at: now) }
            note("outside", drawn > watts + 1, now, seconds)
        }
    }

    private mutating func note(_ name: String, _ isOver: Bool, _ now: Date, _ seconds: Double) {
        guard isOver else {
            overSince[name] = nil
            return
        }
        let since = overSince[name] ?? now
        overSince[name] = since
        let lasted = now.timeIntervalSince(since) + seconds
        if lasted > outcome.overloadSeconds {
            outcome.overloadSeconds = lasted
            outcome.overloaded = "\(name) at \(now)"
        }
    }
}
