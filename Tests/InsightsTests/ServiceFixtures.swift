import EnergyKit
import Foundation
import HubKit
import Insights
import Storage
import TestSupport
import Testing

/// A hub's store with one home in Berlin, and the service over it.
struct ServiceUnderTest {
    let store: HubStore
    let venue: Venue
    private let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        store = try await HubStore(folder: folder.url, clock: ManualClock(), log: .silent)
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        venue = Venue(id: UUID(), name: "Home", timeZone: zone)
    }

    func service(pageSize: Int = 500, log: HubLog = .silent) -> InsightService {
        InsightService(store: store, venues: VenueRegistry([venue]), log: log, pageSize: pageSize)
    }

    func add(_ events: [AnyLoadEvent]) async throws {
        let rows = events.map { event in
            let state: String?
            switch event {
            case .electricVehicle(let event): state = event.session.state.rawValue
            case .hvac(let event): state = event.session.state.rawValue
            case .electricVehicleStatus: state = nil
            }
            return EventRow(event: event, session: event.sessionID, state: state)
        }
        let receipt = try await store.append(EventBatch(venueID: venue.id, events: rows), sinks: [])
        #expect(receipt.accepted == events.count)
    }

    /// Keeps a guidance of hours from a moment on, each with the rating of its carbon and its tariff class.
    func keepGuidance(from start: Date, _ hours: [(carbon: Double?, tariff: String?)]) async throws -> UUID {
        let values = hours.indices.map { index in
            ElectricityGuidance.Value(
                interval: DateInterval(start: start.addingTimeInterval(Double(index) * 3600), duration: 3600),
                rating: 0.5)
        }
        let guidance = ElectricityGuidance(
            guidanceToken: UUID(), energyVenueID: venue.id, suggestedAction: .shift, issuedAt: start,
            interval: DateInterval(start: start, duration: Double(hours.count) * 3600), options: [], values: values)
        try await store.keep(
            StoredGuidance(
                guidance: guidance, details: hours.map { .init(carbonRating: $0.carbon, tariffClass: $0.tariff) },
                cleanerBelow: 0.4, avoidAbove: 0.8))
        return guidance.guidanceToken
    }

    func request(
        _ start: Date, hours: Double, _ granularity: ElectricityInsightQuery.Granularity = .hourly,
        options: ElectricityInsightQuery.Options = [], flow: ElectricityFlowDirection = .imported,
        device: String = "car"
    ) -> InsightRequest {
        let query = ElectricityInsightQuery(
            options: options, range: DateInterval(start: start, duration: hours * 3600), granularity: granularity,
            flowDirection: flow)
        return InsightRequest(query: query, deviceID: device, venueID: venue.id)
    }

    /// Whole milliwatt-hours of each record.
    func energy(_ request: InsightRequest, pageSize: Int = 500) async throws -> [Int64?] {
        try await service(pageSize: pageSize).energyInsights(request, client: "test").map { $0.totalEnergy?.whole }
    }
}

/// 2026-03-02 12:00 UTC, 13:00 in Berlin.
let noon = Date(timeIntervalSince1970: 1_772_452_800)

func minutes(_ minutes: Double) -> Date { noon.addingTimeInterval(minutes * 60) }

/// A car's event.
func car(
    _ session: UUID, _ state: ElectricVehicleLoadEvent.Session.State, at minute: Double, wattHours: Double,
    watts: Double = 0, token: UUID = UUID(), flow: ElectricityFlowDirection = .imported, device: String = "car"
) -> AnyLoadEvent {
    .electricVehicle(
        ElectricVehicleLoadEvent(
            id: UUID(), timestamp: minutes(minute),
            measurement: .init(
                stateOfCharge: 50, direction: flow, power: .init(value: watts, unit: .watts),
                energy: .init(value: wattHours / 1000, unit: .kilowattHours)),
            session: .init(
                id: session, state: state, guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token)),
            deviceID: device))
}

/// A heat pump's event.
func pump(
    _ session: UUID, _ state: ElectricHVACLoadEvent.Session.State, at minute: Double, stage: Int, token: UUID = UUID()
) -> AnyLoadEvent {
    .hvac(
        ElectricHVACLoadEvent(
            id: UUID(), timestamp: minutes(minute), measurement: .init(stage: stage),
            session: .init(
                id: session, state: state, guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token)),
            deviceID: "pump"))
}

/// A car's session of whole quarter hours at constant power.
func chargingSession(
    _ session: UUID = UUID(), from minute: Double, quarters: Int, watts: Double, token: UUID = UUID()
) -> [AnyLoadEvent] {
    (0...quarters).map { quarter in
        car(
            session, quarter == 0 ? .begin : quarter == quarters ? .end : .active, at: minute + Double(quarter) * 15,
            wattHours: watts * Double(quarter) / 4, watts: quarter == quarters ? 0 : watts, token: token)
    }
}

extension Measurement where UnitType == UnitEnergy {
    /// Whole milliwatt-hours.
    var whole: Int64 { Int64(converted(to: .EnergyKit.milliwattHours).value.rounded()) }
}
