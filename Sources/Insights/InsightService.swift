package import EnergyKit
package import Foundation
package import HubKit
package import Storage

/// Answers what a device used and when it ran, from its load events and the guidance they quote.
///
/// Insights are a view over the events: nothing is kept, so late events and repeats come out right by themselves.
///
/// ## Memory
/// Events are read page by page and guidance is kept for one request, 64 at most; an answer has at most
/// `BucketCalendar.maximumCount` records.
package actor InsightService {
    private struct Subject: Hashable {
        let client: String
        let deviceID: String
        let venueID: UUID
    }

    private let store: HubStore
    private let venues: VenueRegistry
    private let log: HubLog
    private let pageSize: Int
    private var busy: Set<Subject> = []

    /// Makes the service.
    /// - Parameters:
    ///   - store: where events and guidance are.
    ///   - venues: the homes, for their zones.
    ///   - log: where it says what it answers unusually.
    ///   - pageSize: how many events it reads at a time.
    package init(store: HubStore, venues: VenueRegistry, log: HubLog, pageSize: Int = 500) {
        self.store = store
        self.venues = venues
        self.log = log.labelled("insights")
        self.pageSize = pageSize
    }

    /// The energy that a device used or gave, one record for each calendar unit of the range, oldest first.
    /// - Parameters:
    ///   - request: what is asked.
    ///   - client: who asks.
    /// - Throws: `EnergyKitFailure` of `venueUnavailable`, or of `inProgress` while another request of this client for the
    ///   same device and venue runs; `HubError` for a range with too many units and for a store that can't be read;
    ///   `CancellationError`.
    package func energyInsights(
        _ request: InsightRequest, client: String
    ) async throws -> [ElectricityInsightRecord<Measurement<UnitEnergy>>] {
        let (tally, span) = try await tally(request, client, .energy)
        return tally.energyRecords(request.query.options, span: span)
    }

    /// The time that a device ran, one record for each calendar unit of the range, oldest first.
    /// - Parameters:
    ///   - request: what is asked.
    ///   - client: who asks.
    /// - Throws: as `energyInsights(_:client:)`.
    package func runtimeInsights(
        _ request: InsightRequest, client: String
    ) async throws -> [ElectricityInsightRecord<Duration>] {
        let (tally, span) = try await tally(request, client, .runtime)
        return tally.runtimeRecords(request.query.options, span: span)
    }

    private func tally(
        _ request: InsightRequest, _ client: String, _ measure: InsightTally.Measure
    ) async throws -> (InsightTally, RecordedSpan?) {
        guard let venue = venues[request.venueID] else {
            throw EnergyKitFailure(.venueUnavailable, detail: "there is no venue \(request.venueID)")
        }
        let subject = Subject(client: client, deviceID: request.deviceID, venueID: request.venueID)
        guard busy.insert(subject).inserted else {
            throw EnergyKitFailure(
                .inProgress, detail: "another insight request for '\(request.deviceID)' is not answered yet",
                retryAfter: .seconds(1))
        }
        defer { busy.remove(subject) }
        let query = request.query
        guard let edges = BucketCalendar(venue.timeZone).edges(of: query.range, query.granularity) else {
            throw HubError(
                .refused,
                "the range has more than \(BucketCalendar.maximumCount) records; ask for a shorter one or a coarser granularity"
            )
        }
        noteShortRange(request)
        var reading = InsightReading(
            store: store, request: request, pageSize: pageSize,
            tally: InsightTally(edges: edges, measure: measure, flow: query.flowDirection))
        guard !edges.isEmpty, let span = try await reading.span() else { return (reading.tally, nil) }
        try await reading.read()
        return (reading.tally, span)
    }

    /// Apple's documentation names a least range for each granularity, and its own examples use shorter ones.
    private func noteShortRange(_ request: InsightRequest) {
        let days: Double
        switch request.query.granularity {
        case .hourly: days = 7
        case .daily: days = 28
        case .weekly: days = 181
        case .monthly, .yearly: days = 365
        }
        // An hour less for the week in which clocks go forward.
        guard request.query.range.duration < days * 86_400 - 3600 else { return }
        log.debug("\(request.query.granularity) insights of '\(request.deviceID)' for less than \(Int(days)) days")
    }
}
