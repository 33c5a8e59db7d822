import EnergyKit
import Foundation
import HubKit
import TestSupport

@testable import LoadEvents
@testable import Storage

/// A store on a real disk with one home and a guidance, and a clock that the test steps.
final class EventHouse: Sendable {
    let folder: TemporaryFolder
    let clock: SteppedClock
    let store: HubStore
    let venue: Venue
    let venues: VenueRegistry
    let guidance: StoredGuidance

    /// The guidance's token.
    var token: UUID { guidance.guidance.guidanceToken }

    init(
        prices: [Double?] = Array(repeating: 0.30, count: 24), carbon: [Double?] = Array(repeating: 200, count: 24),
        clock: SteppedClock = SteppedClock(noon.addingTimeInterval(86_400))
    ) async throws {
        folder = try TemporaryFolder()
        self.clock = clock
        store = try await HubStore(folder: folder.url, clock: clock, log: .silent)
        venue = Venue(id: UUID(), name: "Home", timeZone: .gmt, currency: "EUR")
        venues = VenueRegistry([venue])
        guidance = LoadEventsTests.guidance(at: venue.id, pricesPerKWh: prices, gramsCO2PerKWh: carbon)
        try await store.keep(guidance)
    }

    /// A submitter that knows the home.
    func submitter(
        _ sinks: [any EventSink] = [], perMinute: Int = 6_000, strict: Bool = false
    ) async throws -> EventSubmitter {
        let submitter = EventSubmitter(
            store: store, venues: venues, sinks: sinks, clock: clock, log: .silent, submissionsPerMinute: perMinute,
            ownDevices: ["wallbox"], strictVenues: strict ? [venue.id] : [])
        try await submitter.start()
        return submitter
    }

    /// A session of `hours` at 7.2 kW with the given energy at each quarter of it.
    func session(_ id: UUID = UUID(), from seconds: Double = 0, device: String = "car") -> [AnyLoadEvent] {
        [
            carEvent(.begin, seconds, session: id, token: token, device: device),
            carEvent(.active, seconds + 900, session: id, token: token, watts: 7200, wattHours: 1800, device: device),
            carEvent(.end, seconds + 1800, session: id, token: token, wattHours: 3600, device: device),
        ]
    }

    /// Everything that was accepted, in order.
    func stored() async throws -> [AnyLoadEvent] {
        try await store.events(limit: 10_000).events.map(\.event)
    }
}

/// Runs a service beside the body, and ends it with the body.
func running(
    _ service: @escaping @Sendable () async -> Void, _ body: () async throws -> Void
) async throws {
    let task = Task { await service() }
    do {
        try await body()
    } catch {
        task.cancel()
        await task.value
        throw error
    }
    task.cancel()
    await task.value
}
