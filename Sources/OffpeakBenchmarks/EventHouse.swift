import EnergyKit
import Foundation
import HubKit
import LoadEvents
import Storage
import Synchronization

/// A store on the disk with one home, its guidance and a clock that stands still.
final class EventHouse: Sendable {
    let place: URL
    let clock = StandingClock()
    let store: HubStore
    let venue = Venue(id: UUID(), name: "Home", timeZone: .gmt, currency: "EUR")
    private let token = UUID()

    init() async throws {
        place = Self.folder()
        store = try await HubStore(folder: place, clock: clock, log: .silent)
        let interval = DateInterval(start: clock.now.addingTimeInterval(-86_400), duration: 172_800)
        let guidance = ElectricityGuidance(
            guidanceToken: token, energyVenueID: venue.id, suggestedAction: .shift, issuedAt: interval.start,
            interval: interval, options: [],
            values: [.init(interval: interval, rating: 0.5, pricePerKWh: 0.3, gramsCO2PerKWh: 300)])
        try await store.keep(StoredGuidance(guidance: guidance, details: [.init()]))
    }

    static func folder() -> URL {
        FileManager.default.temporaryDirectory.appendingPathComponent("offpeak-bench-\(UUID().uuidString)")
    }

    /// A submitter whose sinks are known and not delivered to.
    func submitter(_ sinks: [any EventSink]? = nil) async throws -> EventSubmitter {
        let submitter = EventSubmitter(
            store: store, venues: VenueRegistry([venue]), sinks: sinks ?? [LocalSink(store: store)], clock: clock,
            log: .silent)
        try await submitter.start()
        return submitter
    }

    func end() async {
        await store.close()
        try? FileManager.default.removeItem(at: place)
    }

    /// Events of whole sessions of `length` each.
    func events(_ count: Int, device: String = "car", from offset: Double = 0, length: Int = 20) -> [AnyLoadEvent] {
        var session = UUID()
        return (0..<count).map { number in
            let place = number % length
            if place == 0 { session = UUID() }
            return .electricVehicle(
                ElectricVehicleLoadEvent(
                    timestamp: clock.now.addingTimeInterval(Double(number % 1_000) - 80_000 + offset),
                    measurement: .init(
                        stateOfCharge: 50, direction: .imported,
                        power: .watts(place == 0 || place == length - 1 ? 0 : 7200),
                        energy: .wattHours(Double(place) * 120)),
                    session: .init(
                        id: session, state: place == 0 ? .begin : place == length - 1 ? .end : .active,
                        guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token)),
                    deviceID: device))
        }
    }
}

/// A clock that stands still.
struct StandingClock: HubClock {
    let now = Date(timeIntervalSince1970: 1_772_452_800)
    let speed = 1.0

    func sleep(until deadline: Date) async throws { try await Task.sleep(for: .seconds(3600)) }
}

/// A sink that takes nothing until it comes back.
final class AwaySink: EventSink {
    private struct Away: RetryableError { let retryClass = RetryClass.transient }

    let name = "away"
    private let isBack = Atomic<Bool>(false)
    private let taken = Atomic<Int>(0)

    /// How many events it has taken.
    var count: Int { taken.load(ordering: .relaxed) }

    func comeBack() { isBack.store(true, ordering: .relaxed) }

    func deliver(_ events: [StoredEvent]) async throws {
        guard isBack.load(ordering: .relaxed) else { throw Away() }
        taken.add(events.count, ordering: .relaxed)
    }
}
