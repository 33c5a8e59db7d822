import EnergyKit
import Testing

@Suite(.timeLimit(.minutes(3))) struct InsightServiceTests {
    private static let query = ElectricityInsightQuery(
        options: [.cleanliness, .tariff], range: SurfaceTests.hour, granularity: .daily, flowDirection: .imported)
    private let service = ElectricityInsightService.shared

    @Test func energyStreamIsFiniteAndInOrder() async throws {
        try await EnergyKitSystem.withBackend(MemoryBackend()) {
            let stream = try await service.energyInsights(forDeviceID: "car", using: Self.query, atVenue: UUID())
            var wattHours: [Double?] = []
            for await record in stream { wattHours.append(record.totalEnergy?.wattHours) }
            #expect(wattHours == [1, 2, 3])
        }
    }

    @Test func runtimeStreamHasDurations() async throws {
        try await EnergyKitSystem.withBackend(MemoryBackend()) {
            let stream = try await service.runtimeInsights(forDeviceID: "pump", using: Self.query, atVenue: UUID())
            var runtimes: [Duration?] = []
            for await record in stream { runtimes.append(record.totalRuntime) }
            #expect(runtimes == [.seconds(90)])
        }
    }

    @Test func wrongVenueIsThrownByTheCall() async {
        await EnergyKitSystem.withBackend(MemoryBackend(failure: EnergyKitFailure(.venueUnavailable))) {
            await #expect(throws: EnergyKitError.venueUnavailable) {
                _ = try await service.energyInsights(forDeviceID: "car", using: Self.query, atVenue: UUID())
            }
        }
    }

    @Test func secondRequestForOneDeviceWaitsItsTurnAndOthersGoOn() async throws {
        let backend = MemoryBackend(isGated: true)
        let venue = UUID()
        try await EnergyKitSystem.withBackend(backend) {
            async let first = service.energyInsights(forDeviceID: "car", using: Self.query, atVenue: venue)
            for await _ in backend.arrivals.stream { break }
            await #expect(throws: EnergyKitError.inProgress) {
                _ = try await service.runtimeInsights(forDeviceID: "car", using: Self.query, atVenue: venue)
            }
            _ = try await service.runtimeInsights(forDeviceID: "pump", using: Self.query, atVenue: venue)
            _ = try await service.runtimeInsights(forDeviceID: "car", using: Self.query, atVenue: UUID())
            backend.gate.continuation.yield()
            _ = try await first
            _ = try await service.runtimeInsights(forDeviceID: "car", using: Self.query, atVenue: venue)
        }
    }

    @Test func failedRequestLeavesTheWayOpen() async throws {
        let venue = UUID()
        await EnergyKitSystem.withBackend(MemoryBackend(failure: EnergyKitFailure(.serviceUnavailable))) {
            for _ in 0..<2 {
                await #expect(throws: EnergyKitError.serviceUnavailable) {
                    _ = try await service.energyInsights(forDeviceID: "car", using: Self.query, atVenue: venue)
                }
            }
        }
    }
}
