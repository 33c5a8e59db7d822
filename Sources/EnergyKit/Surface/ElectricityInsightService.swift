public import Foundation

/// Where apps learn what devices used and when they ran.
///
/// One program may ask for one device of one venue once at a time.
public final actor ElectricityInsightService {
    /// The service.
    public static let shared = ElectricityInsightService()

    private struct Subject: Hashable {
        let deviceID: String
        let venueID: UUID
    }

    private var busy: Set<Subject> = []

    init() {}

    /// The energy that a device used or gave, one record for each period of the query, oldest first.
    /// - Throws: `EnergyKitError.venueUnavailable` for a wrong venue, `EnergyKitError.inProgress` while another request
    /// for the same device and venue runs.
    public final func energyInsights(
        forDeviceID deviceID: String, using query: ElectricityInsightQuery, atVenue energyVenueID: UUID
    ) async throws -> AsyncStream<ElectricityInsightRecord<Measurement<UnitEnergy>>> {
        let request = InsightRequest(query: query, deviceID: deviceID, venueID: energyVenueID)
        return Self.stream(try await alone(request) { try await $0.energyInsights(request) })
    }

    /// The time that a device ran, one record for each period of the query, oldest first.
    /// - Throws: `EnergyKitError.venueUnavailable` for a wrong venue, `EnergyKitError.inProgress` while another request
    /// for the same device and venue runs.
    public final func runtimeInsights(
        forDeviceID deviceID: String, using query: ElectricityInsightQuery, atVenue energyVenueID: UUID
    ) async throws -> AsyncStream<ElectricityInsightRecord<Duration>> {
        let request = InsightRequest(query: query, deviceID: deviceID, venueID: energyVenueID)
        return Self.stream(try await alone(request) { try await $0.runtimeInsights(request) })
    }

    /// Calls the backend unless a call about the same device and venue runs.
    private func alone<Record: Sendable>(
        _ request: InsightRequest, _ body: (any EnergyKitBackend) async throws -> [Record]
    ) async throws -> [Record] {
        let subject = Subject(deviceID: request.deviceID, venueID: request.venueID)
        guard busy.insert(subject).inserted else { throw EnergyKitError.inProgress }
        defer { busy.remove(subject) }
        return try await EnergyKitSystem.call(body)
    }

    /// A stream that delivers what is there and ends.
    private static func stream<Record: Sendable>(_ records: [Record]) -> AsyncStream<Record> {
        AsyncStream { continuation in
            for record in records { continuation.yield(record) }
            continuation.finish()
        }
    }
}
