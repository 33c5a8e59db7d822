import Foundation
import Guidance
import HubKit
import Storage
import TestSupport
import Testing

@Suite struct MonthMeterTests {
    private struct Bench {
        let folder = try? TemporaryFolder()
        let clock: ManualClock
        let board = DeviceBoard()
        let venue: Venue
        let store: HubStore
        let meter: MonthMeter

        init(now: String) async throws {
            clock = ManualClock(try at(now))
            venue = Venue(id: UUID(), name: "Home", timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
            store = try await HubStore(folder: try #require(folder).url, clock: clock, log: .silent)
            var grid = DeviceConfiguration(
                id: "grid", name: "Grid", venueID: venue.id, driver: "meter", connection: .none)
            grid.role = .grid
            board.add(
                grid, kind: .meter, capabilities: DeviceCapabilities(), health: DeviceHealth(.ok, since: clock.now))
            meter = MonthMeter(
                board: board, venues: VenueRegistry([venue]), store: store, clock: clock, log: .silent)
        }

        func read(_ kilowattHours: Double, at moment: String) async throws {
            await clock.advance(to: try at(moment))
            board.post(Self.reading(kilowattHours, at: clock.now), for: "grid")
            await meter.look()
        }

        static func reading(_ kilowattHours: Double, at moment: Date) -> DeviceReading {
            var reading = DeviceReading(at: moment)
            reading[.importWattHours] = kilowattHours * 1000
            return reading
        }

        func known() async -> Double? { await meter.kilowattHours(at: venue.id) }
    }

    @Test func aMonthWhoseTurnWasSeenIsCounted() async throws {
        let bench = try await Bench(now: "2026-01-31T20:00:00Z")
        try await bench.read(1000, at: "2026-01-31T21:30:00Z")
        // The month is not whole: the hub began within it.
        #expect(await bench.known() == nil)
        try await bench.read(1010, at: "2026-01-31T23:10:00Z")
        #expect(await bench.known() == 0)
        try await bench.read(1250, at: "2026-02-14T12:00:00Z")
        #expect(await bench.known() == 240)
        await bench.store.close()
    }

    @Test func aTurnThatNobodySawLeavesTheMonthUnknown() async throws {
        let bench = try await Bench(now: "2026-01-30T20:00:00Z")
        try await bench.read(1000, at: "2026-01-30T21:30:00Z")
        try await bench.read(1100, at: "2026-02-02T10:00:00Z")
        #expect(await bench.known() == nil)
        await bench.store.close()
    }

    @Test func aCounterThatFellMakesTheMonthUnknown() async throws {
        let bench = try await Bench(now: "2026-01-31T20:00:00Z")
        try await bench.read(1000, at: "2026-01-31T21:30:00Z")
        try await bench.read(1010, at: "2026-01-31T23:10:00Z")
        try await bench.read(3, at: "2026-02-03T12:00:00Z")
        #expect(await bench.known() == nil)
        await bench.store.close()
    }

    @Test func theCountOutlivesARestart() async throws {
        let bench = try await Bench(now: "2026-01-31T20:00:00Z")
        try await bench.read(1000, at: "2026-01-31T21:30:00Z")
        try await bench.read(1010, at: "2026-01-31T23:10:00Z")
        let again = MonthMeter(
            board: bench.board, venues: VenueRegistry([bench.venue]), store: bench.store, clock: bench.clock,
            log: .silent)
        await bench.clock.advance(to: try at("2026-02-02T00:00:00Z"))
        bench.board.post(Bench.reading(1030, at: bench.clock.now), for: "grid")
        await again.look()
        #expect(await again.kilowattHours(at: bench.venue.id) == 20)
        await bench.store.close()
    }
}
