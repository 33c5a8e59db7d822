import EnergyKit
import Foundation
import ThreadKit

/// A backend in memory, whose answers and waits the tests set.
final class MemoryBackend: EnergyKitBackend {
    struct State: Sendable {
        var venues: [EnergyVenue] = []
        var failure: (any Error & Sendable)?
        var submitted: [[AnyLoadEvent]] = []
        var requests: [GuidanceRequest] = []
        var deliveries: [AsyncThrowingStream<ElectricityGuidance, any Error>.Continuation] = []
        var ended = 0
    }

    private let state = Locked(State())
    /// Yields once for each delivery that ends.
    let endings = AsyncStream<Void>.makeStream()
    /// Insight requests wait here; each element lets one go on.
    let gate = AsyncStream<Void>.makeStream()
    let arrivals = AsyncStream<Void>.makeStream()
    let isGated: Bool

    init(venues: [EnergyVenue] = [], failure: (any Error & Sendable)? = nil, isGated: Bool = false) {
        self.isGated = isGated
        state.withLock {
            $0.venues = venues
            $0.failure = failure
        }
    }

    /// The batches that arrived.
    var submitted: [[AnyLoadEvent]] { state.current.submitted }
    /// The guidance requests that arrived.
    var requests: [GuidanceRequest] { state.current.requests }
    /// How many deliveries have ended.
    var ended: Int { state.current.ended }

    /// Delivers another guidance to the first request.
    func deliverAgain() {
        let state = state.current
        if let request = state.requests.first { _ = state.deliveries.first?.yield(Self.guidance(request)) }
    }

    private func check() throws {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    func venues() async throws -> [EnergyVenue] {
        try check()
        return state.withLock { $0.venues }
    }

    func venue(id: UUID) async throws -> EnergyVenue {
        try check()
        guard let venue = state.withLock({ $0.venues.first { $0.id == id } }) else {
            throw EnergyKitFailure(.venueUnavailable, detail: "no venue \(id)")
        }
        return venue
    }

    func venue(homeID: UUID) async throws -> EnergyVenue {
        guard let venue = state.withLock({ $0.venues.first { $0.homeID == homeID } }) else {
            throw EnergyKitFailure(.venueUnavailable)
        }
        return venue
    }

    func guidance(_ request: GuidanceRequest) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            continuation.onTermination = { _ in
                self.state.withLock { $0.ended += 1 }
                self.endings.continuation.yield()
            }
            let failure = state.withLock {
                $0.requests.append(request)
                $0.deliveries.append(continuation)
                return $0.failure
            }
            if let failure { return continuation.finish(throwing: failure) }
            continuation.yield(Self.guidance(request))
        }
    }

    func submit(_ events: [AnyLoadEvent], venueID: UUID) async throws -> LoadEventReceipt {
        try check()
        return state.withLock {
            $0.submitted.append(events)
            return LoadEventReceipt(accepted: events.count, duplicates: 0)
        }
    }

    func energyInsights(_ request: InsightRequest) async throws -> [ElectricityInsightRecord<Measurement<UnitEnergy>>] {
        try check()
        if isGated {
            arrivals.continuation.yield()
            for await _ in gate.stream { break }
        }
        return (1...3).map {
            ElectricityInsightRecord(range: request.query.range, totalEnergy: .wattHours(Double($0)))
        }
    }

    func runtimeInsights(_ request: InsightRequest) async throws -> [ElectricityInsightRecord<Duration>] {
        try check()
        return [ElectricityInsightRecord(range: request.query.range, totalRuntime: .seconds(90))]
    }

    static func guidance(_ request: GuidanceRequest) -> ElectricityGuidance {
        ElectricityGuidance(
            guidanceToken: UUID(), energyVenueID: request.venueID, suggestedAction: request.suggestedAction,
            issuedAt: SurfaceTests.start, interval: SurfaceTests.hour, options: [],
            values: [.init(interval: SurfaceTests.hour, rating: 0.5)])
    }
}
