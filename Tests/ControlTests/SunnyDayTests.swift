import Foundation
import HubKit
import TestSupport
import Testing

@testable import Control

/// A day with clouds in front of a home with a heating rod, a meter that lags and a battery: what would be exported is
/// used, next to nothing is bought for it, and the rod is not written to death.
@Suite(.timeLimit(.minutes(2))) struct SunnyDayTests {
    private struct Result {
        var used = 0.0
        var exported = 0.0
        var bought = 0.0
        var surplus = 0.0
        var changes = 0
    }

    /// A rod of 3 kW, in steps or not, whose tank is full at some time.
    private func day(stages: [Double], isMeasured: Bool, tankWattHours: Double = .infinity) throws -> Result {
        var hvac = HVACCapabilities()
        hvac.surplusWatts = 0...3000
        hvac.drawsOnlySurplus = true
        hvac.fullPowerWatts = 3000
        hvac.stagesPercent = stages
        let start = try utc("2026-06-21T04:00:00Z")
        let venue = Venue(id: UUID(), name: "Home", timeZone: .gmt)
        let board = DeviceBoard()
        board.add(
            DeviceConfiguration(id: "rod", name: "Rod", venueID: venue.id, driver: "hvac", connection: .none),
            kind: .hvac, capabilities: DeviceCapabilities(hvac: hvac), health: DeviceHealth(.ok, since: start))
        var control = HeatPumpControl(use: .mode(.guided))
        var noise = Noise(7)
        var result = Result()
        var offered = 0.0, clouds = 0.0
        var past: [Double] = []
        for second in stride(from: 0.0, to: 16 * 3600, by: 5) {
            let now = start.addingTimeInterval(second)
            clouds = min(max(clouds + Double.random(in: -0.04...0.04, using: &noise), 0), 0.8)
            let sun = 6000 * sin(.pi * second / (16 * 3600)) * (1 - clouds)
            let surplus = sun - 500 - Double.random(in: 0...40, using: &noise)
            let stage = hvac.stagesPercent.isEmpty ? 0 : hvac.stage(within: offered)
            let asked = hvac.stagesPercent.isEmpty ? offered : hvac.stagesPercent[stage] / 100 * 3000
            let drawn = result.used < tankWattHours ? asked : 0
            past.append(drawn - surplus)
            result.used += drawn / 720
            result.surplus += min(3000, max(0, surplus)) / 720
            result.exported += max(0, surplus - drawn) / 720
            result.bought += max(0, drawn - max(0, surplus)) / 720
            // The meter is five seconds late.
            var reading = DeviceReading(at: now)
            if isMeasured { reading[.powerWatts] = drawn }
            board.post(reading, for: "rod")
            var inputs = TickInputs(
                now: now, device: try #require(board["rod"]), venue: venue, guidance: nil, carbonPricePerKg: 0)
            inputs.grid = grid(now, watts: past.dropLast().last ?? 0)
            guard let wanted = control.decide(inputs).surplusWatts else { continue }
            if wanted != offered { result.changes += 1 }
            offered = wanted
        }
        return result
    }

    @Test(arguments: [([Double](), true), ([], false), ([0, 33, 67, 100], true), ([0, 33, 67, 100], false)])
    func theSunIsUsedAndLittleIsBought(stages: [Double], isMeasured: Bool) throws {
        let day = try day(stages: stages, isMeasured: isMeasured)
        // Steps can't follow closer than a step.
        #expect(day.used > day.surplus * (stages.isEmpty ? 0.9 : 0.7), "\(day)")
        #expect(day.bought < day.used * 0.05, "\(day)")
        #expect(day.changes < 16 * 3600 / 10 / 2, "\(day)")
    }

    @Test(arguments: [true, false]) func aFullTankTakesNothingMore(isMeasured: Bool) throws {
        let day = try day(stages: [], isMeasured: isMeasured, tankWattHours: 5000)
        #expect(day.used > 4999 && day.used < 5010 && day.bought < 250, "\(day)")
    }
}
