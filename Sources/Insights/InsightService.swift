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
    ///   same device and venue runs; `HubError` for a store that can't be read, and for a range of which more units than an
    ///   answer may have were recorded; `CancellationError`.
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
        noteShortRange(request)
        let device = DeviceInVenue(deviceID: request.deviceID, venueID: request.venueID)
        let span = try await InsightReading.span(of: device, store)
        let edges = try edges(of: request.query, in: venue.timeZone, span)
        let tally = InsightTally(edges: edges, measure: measure, flow: request.query.flowDirection)
        guard let first = edges.first, let last = edges.last, let span else { return (tally, nil) }
        var reading = InsightReading(
            store: store, device: device, range: DateInterval(start: first.date, end: last.date),
            needsClasses: !request.query.options.isEmpty && request.query.flowDirection == .imported,
            pageSize: pageSize, tally: tally)
        try await reading.read()
        return (reading.tally, span)
    }

    /// The edges of the records.
    ///
    /// Every range is answered: one of more units than an answer may have is narrowed to the units in which the device was
    /// recorded, since outside of them nothing is known.
    private func edges(
        of query: ElectricityInsightQuery, in zone: TimeZone, _ span: RecordedSpan?
    ) throws -> [Instant] {
        let calendar = BucketCalendar(zone)
        if let edges = calendar.edges(of: query.range, query.granularity) { return edges }
        guard let span else { return [] }
        let known = calendar.units(around: span.first, span.last, query.granularity)
        let start = max(Instant(query.range.start), Instant(known.start))
        let end = max(start, min(Instant(query.range.end), Instant(known.end)))
        let narrowed = DateInterval(start: start.date, end: end.date)
        if let edges = calendar.edges(of: narrowed, query.granularity) { return edges }
        throw HubError(
            .refused,
            "the range has more than \(BucketCalendar.maximumCount) records; ask for a shorter one or a coarser granularity"
        )
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
