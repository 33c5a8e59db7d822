import Foundation

/// Stands where a client could not be made, such as for an `OFFPEAK_URL` that is none: every call says why.
struct UnusableBackend: EnergyKitBackend {
    let failure: EnergyKitFailure

    func venues() async throws -> [EnergyVenue] { throw failure }
    func venue(id: UUID) async throws -> EnergyVenue { throw failure }
    func venue(homeID: UUID) async throws -> EnergyVenue { throw failure }

    func guidance(_ request: GuidanceRequest) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        AsyncThrowingStream { $0.finish(throwing: failure) }
    }

    func submit(_ events: [AnyLoadEvent], venueID: UUID) async throws -> LoadEventReceipt { throw failure }

    func energyInsights(_ request: InsightRequest) async throws -> [ElectricityInsightRecord<Measurement<UnitEnergy>>] {
        throw failure
    }

    func runtimeInsights(_ request: InsightRequest) async throws -> [ElectricityInsightRecord<Duration>] {
        throw failure
    }
}
