import EnergyKit
import Foundation
import HubKit
import Testing

@testable import Control

/// Plans, limits and a house that does not do what was foretold, in one loop.
@Suite struct ClosedLoopTests {
    /// Noise that is the same whenever a moment is asked for.
    private static func noise(_ seed: UInt64, _ moment: Date, every seconds: Double, salt: UInt64) -> Double {
        let step = UInt64(max(0, moment.timeIntervalSince1970 / seconds))
        var source = Noise(seed &* 1_000_003 &+ step &* 97 &+ salt &* 7919)
        for _ in 0..<3 { _ = source.next() }
        return Double.random(in: 0...1, using: &source)
    }

    private func setup(_ seed: UInt64) throws -> VirtualHouse.Setup {
        let start = try utc("2026-06-01T05:00:00Z")
        var source = Noise(seed)
        let hours = 16
        let prices = (0..<hours + 2).map { _ in Double.random(in: 0.05...0.45, using: &source) }
        let names: [DeviceID] = ["a", "b", "c"]
        let cars = names.prefix(2 + Int(seed % 2)).enumerated().map { index, id in
            let arrival = start.addingTimeInterval(Double.random(in: 0...2, using: &source) * 3600)
            let deadline = start.addingTimeInterval(Double.random(in: 9...15, using: &source) * 3600)
            return VirtualHouse.Car(
                id: id, needWattHours: Double.random(in: 6000...18_000, using: &source), arrival: arrival,
                deadline: deadline, circuit: index < 2 ? "garage" : nil, priority: index == 1 ? 1 : 0,
                phases: index == 2 ? 1 : 3, strength: Double.random(in: 0.97...1, using: &source))
        }
        let sun: @Sendable (Date) -> Double = { moment in
            let hour = moment.timeIntervalSince(start) / 3600
            let clear = max(0, sin((hour - 1) / 13 * .pi)) * 7000
            return clear * (0.3 + 0.7 * Self.noise(seed, moment, every: 300, salt: 1))
        }
        let load: @Sendable (Date, Int) -> Double = { moment, phase in
            let base = 150 + 250 * Self.noise(seed, moment, every: 900, salt: UInt64(phase) + 2)
            // A kettle now and then, on one phase.
            let kettle = Self.noise(seed, moment, every: 240, salt: UInt64(phase) + 9) > 0.93 ? 2600.0 : 0
            return base + kettle
        }
        let forecast = (0..<hours * 4).map { index in
            let from = start.addingTimeInterval(Double(index) * 900)
            return (
                start: from, end: from.addingTimeInterval(900),
                watts: max(0, sin((Double(index) / 4 - 1) / 13 * .pi)) * 4500
            )
        }
        return VirtualHouse.Setup(
            cars: Array(cars), fuse: GridConnection(phases: 3, amps: 25), circuits: ["garage": 20], prices: prices,
            external: [
                (start, nil), (start.addingTimeInterval(3.3 * 3600), 4200), (start.addingTimeInterval(5 * 3600), nil),
            ], loadWatts: load, sunWatts: sun,
            forecast: ExpectedSurplus(forecast: forecast, baseLoadWatts: 900, feedInPerKWh: 0.08), start: start,
            seconds: Double(hours) * 3600)
    }

    @Test("no deadline is missed and no limit exceeded longer than a tick", arguments: [1, 2, 3, 4, 5, 6])
    func deadlinesAndLimitsHold(seed: UInt64) throws {
        let setup = try setup(seed)
        var house = VirtualHouse(setup)
        house.run()
        for car in setup.cars {
            // What a car has is seen at the tick after.
            let reached = house.outcome.reachedAt[car.id]
            let end = car.deadline.addingTimeInterval(VirtualHouse.tickSeconds)
            #expect(reached.map { $0 <= end } ?? false, "\(car) reached \(String(describing: reached))")
        }
        #expect(house.outcome.overloadSeconds <= VirtualHouse.tickSeconds, "\(house.outcome.overloaded)")
        #expect(house.outcome.commonPlans > 0)
    }
}
