import EnergyKit
import Foundation
import HubKit
import Testing

@testable import Control

@Suite struct ExpectedSurplusTests {
    private func start() throws -> Date { try utc("2026-06-01T06:00:00Z") }

    /// A charging plan of six hours, the last of them cheap, with a sun that shines in the third and fourth.
    private func plan(_ watts: [Double], feedIn: Double, baseLoad: Double = 500, need: Double = 8000) throws
        -> DevicePlan
    {
        let start = try start()
        let lab = ChargerLab(at: start)
        let inputs = try lab.inputs(start, charger(start))
        let forecast = watts.enumerated().map { index, watts in
            let begin = start.addingTimeInterval(Double(index) * 3600)
            return (start: begin, end: begin.addingTimeInterval(3600), watts: watts)
        }
        return ChargingRequest(
            guidance: guidance(
                from: start, prices: [0.4, 0.4, 0.4, 0.4, 0.4, 0.3], grams: Array(repeating: 400, count: 6)),
            venue: lab.venue, deviceID: ChargerLab.id, now: start, readyBy: start.addingTimeInterval(6 * 3600),
            missingWattHours: need, power: ChargerPower(inputs, observedMaximum: nil), running: [], carbonPricePerKg: 0,
            surplus: ExpectedSurplus(forecast: forecast, baseLoadWatts: baseLoad, feedInPerKWh: feedIn)
        ).plan()
    }

    @Test func theSunGoesBeforeACheapHour() throws {
        let sunny = try plan([0, 0, 9500, 9500, 0, 0], feedIn: 0.08)
        let noon = try start().addingTimeInterval(2 * 3600)
        #expect(!sunny.intervals.isEmpty)
        for interval in sunny.intervals {
            #expect(interval.start >= noon && interval.end <= noon.addingTimeInterval(2 * 3600))
        }
        // Eight kWh that would have earned eight cents each, and no carbon.
        #expect(abs(try #require(sunny.cost) - 0.64) < 0.01)
        #expect(try #require(sunny.gramsCO2) < 1)
    }

    @Test func withoutEnoughSunTheCheapHourIsBetter() throws {
        // What is left beyond the house's own use is nothing.
        let dull = try plan([0, 0, 500, 400, 0, 0], feedIn: 0.08)
        let cheap = try start().addingTimeInterval(5 * 3600)
        #expect(dull.intervals.allSatisfy { $0.start >= cheap })
        #expect(abs(try #require(dull.cost) - 2.4) < 0.01)
    }

    @Test func aFeedInThatEarnsMoreThanTheCheapHourCostsLeavesTheSunToTheGrid() throws {
        let paid = try plan([0, 0, 9500, 9500, 0, 0], feedIn: 0.35)
        let cheap = try start().addingTimeInterval(5 * 3600)
        #expect(paid.intervals.allSatisfy { $0.start >= cheap })
    }

    @Test func whatIsBoughtBesideTheSunIsPaidFor() throws {
        // 2 kW of sun under a charger that takes at least 4.1: the rest of what is drawn then is bought.
        let mixed = try plan([0, 0, 2500, 2500, 0, 0], feedIn: 0, need: 12_000)
        let energy = try #require(mixed.energyWattHours) / 1000
        let cost = try #require(mixed.cost)
        #expect(abs(energy - 12) < 0.3)
        #expect(cost > 0.3 * (energy - 4) - 0.01 && cost < 0.4 * energy)
    }

    @Test func piecesAreCutWhereTheExpectationChanges() throws {
        let start = try start()
        let surplus = ExpectedSurplus(
            forecast: [(start.addingTimeInterval(900), start.addingTimeInterval(2700), 1000)], baseLoadWatts: 400,
            feedInPerKWh: 0)
        let pieces = surplus.pieces(of: DateInterval(start: start, duration: 3600))
        #expect(pieces.map(\.duration) == [900, 1800, 900])
        #expect(surplus.slot(at: start.addingTimeInterval(1000))?.watts == 600)
        #expect(surplus.slot(at: start) == nil)
    }
}
