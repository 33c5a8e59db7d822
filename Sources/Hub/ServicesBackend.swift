import EnergyKit
import Foundation
import Guidance
import HubKit
import Insights
import LoadEvents
import WebAPI

/// EnergyKit inside the hub: the services themselves, without a way over the network.
struct ServicesBackend: EnergyKitBackend {
    /// What code inside the hub is to limits and to the memory of who fetched a guidance.
    private static let client = "hub/energykit"

    private let services: HubServices
    private let insights: InsightService

    init(_ services: HubServices) {
        self.services = services
        insights = InsightService(store: services.store, venues: services.venues, log: services.log)
    }

    func venues() async throws -> [EnergyVenue] {
        services.venues.all.map { EnergyVenue($0) }
    }

    func venue(id: UUID) async throws -> EnergyVenue {
        guard let venue = services.venues[id] else {
            throw EnergyKitFailure(.venueUnavailable, detail: "there is no venue \(id)")
        }
        return EnergyVenue(venue)
    }

    func venue(homeID: UUID) async throws -> EnergyVenue {
        guard let venue = services.venues.venue(homeID: homeID) else {
            throw EnergyKitFailure(.venueUnavailable, detail: "no venue belongs to the home \(homeID)")
        }
        return EnergyVenue(venue)
    }

    func guidance(_ request: GuidanceRequest) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        services.guidance.programUpdates(
            request.suggestedAction, at: request.venueID, for: request.deviceID ?? Self.client)
    }

    func submit(_ events: [AnyLoadEvent], venueID: UUID) async throws -> LoadEventReceipt {
        let receipt = try await PatientCall.run {
            try await services.submitter.submit(events, at: venueID, from: Self.client)
        }
        return LoadEventReceipt(accepted: receipt.accepted, duplicates: receipt.duplicates)
    }

    func energyInsights(
        _ request: InsightRequest
    ) async throws -> [ElectricityInsightRecord<Measurement<UnitEnergy>>] {
        try await insights.energyInsights(request, client: Self.client)
    }

    func runtimeInsights(_ request: InsightRequest) async throws -> [ElectricityInsightRecord<Duration>] {
        try await insights.runtimeInsights(request, client: Self.client)
    }
}

extension EnergyVenue {
    /// The hub's venue as EnergyKit shows it.
    fileprivate init(_ venue: Venue) {
        self.init(
            id: venue.id, name: venue.name, timeZone: venue.timeZone, homeID: venue.homeID, currency: venue.currency)
    }
}
