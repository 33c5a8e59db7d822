import EnergyKit
import Foundation
import HubKit
import LoadEvents
import Storage
import TestSupport

/// A store on a real disk with one home, for sinks of any kind.
struct EventStore: Sendable {
    let folder: TemporaryFolder
    let clock = ManualClock()
    let store: HubStore
    let venue = Venue(id: UUID(), name: "Home", timeZone: .gmt, currency: "EUR")

    init() async throws {
        folder = try TemporaryFolder()
        store = try await HubStore(folder: folder.url, clock: clock, log: .silent)
    }

    /// A car's session of `count` events, a minute apart: its begin, what is between, its end.
    func session(of count: Int = 3, device: String = "car", estimated: Bool = false) -> [AnyLoadEvent] {
        let (session, token) = (UUID(), UUID())
        return (0..<count).map { index in
            let isEdge = index == 0 || index == count - 1
            return .electricVehicle(
                ElectricVehicleLoadEvent(
                    timestamp: clock.now.addingTimeInterval(Double(index) * 60),
                    measurement: .init(
                        stateOfCharge: 50, direction: .imported, power: .watts(isEdge ? 0 : 7200),
                        energy: .wattHours(Double(index) * 120.5), isEnergyEstimated: estimated),
                    session: .init(
                        id: session, state: index == 0 ? .begin : isEdge ? .end : .active,
                        guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token)),
                    deviceID: device))
        }
    }

    /// A heat pump's event, and a car's status event.
    var others: [AnyLoadEvent] {
        let pump = ElectricHVACLoadEvent(
            timestamp: clock.now, measurement: .init(stage: 40),
            session: .init(
                id: UUID(), state: .active,
                guidanceState: .init(wasFollowingGuidance: false, guidanceToken: UUID())),
            deviceID: "pump, =1")
        let status = ElectricVehicleStatusEvent(
            timestamp: clock.now,
            device: ElectricalLoadDevice(id: "car", name: "Car", type: .electricVehicle),
            venueID: venue.id, status: .chargingIdle(.userPaused), stateOfCharge: 61,
            energy: .wattHours(30_000))
        return [.hvac(pump), .electricVehicleStatus(status)]
    }

    /// The events as the store would hand them to a sink.
    func stored(_ events: [AnyLoadEvent]) -> [StoredEvent] {
        events.enumerated().map { StoredEvent(sequence: Int64($0 + 1), venueID: venue.id, event: $1) }
    }

    /// Runs a submitter with one sink while `body` runs.
    func delivering(
        to sink: any EventSink, _ body: (EventSubmitter) async throws -> Void
    ) async throws {
        let submitter = EventSubmitter(
            store: store, venues: VenueRegistry([venue]), sinks: [sink], clock: clock, log: .silent)
        try await submitter.start()
        let running = Task { await submitter.run() }
        defer { running.cancel() }
        try await body(submitter)
        running.cancel()
        await running.value
        await submitter.close()
    }

    /// Puts events on disk and into the sink's queue.
    func submit(_ events: [AnyLoadEvent], _ submitter: EventSubmitter) async throws {
        try await submitter.record(events, at: venue.id, device: "car", recorder: nil)
    }

    /// Waits until the sink's queue is empty.
    func untilEmpty(_ sink: String) async -> Bool {
        await eventually { try await store.depth(sink: sink).waiting == 0 }
    }
}

/// The error that a delivery ends with.
func failure(of sink: any EventSink, _ events: [StoredEvent]) async -> HubError? {
    do {
        try await sink.deliver(events)
        return nil
    } catch {
        return error as? HubError
    }
}
