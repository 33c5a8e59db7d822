import EnergyKit
import Foundation
import HubKit
import Insights
import Storage
import TestSupport
import Testing

/// The worked examples by the whole way: events and guidance on disk, a query, records.
@Suite(.timeLimit(.minutes(5))) struct WorkedExampleServiceTests {
    @Test(arguments: OwnExample.allCases) func ownExample(_ example: OwnExample) async throws {
        try await check(try WorkedExample.read(Data(example.json.utf8)))
    }

    @Test(arguments: WorkedExample.shared) func sharedExample(_ file: URL) async throws {
        try await check(try WorkedExample.read(try Data(contentsOf: file)))
    }

    private func check(_ example: WorkedExample) async throws {
        let zone = try #require(TimeZone(identifier: example.timeZone))
        let folder = try TemporaryFolder()
        let store = try await HubStore(folder: folder.url, clock: ManualClock(), log: .silent)
        let venue = Venue(id: UUID(), name: "Home", timeZone: zone)
        for guidance in example.guidance { try await store.keep(try example.stored(guidance, at: venue.id)) }
        // Late events come last; the calendar puts them right.
        let rows = example.events.shuffledButLastWins.map { event in
            let event = event.loadEvent
            return EventRow(
                event: .electricVehicle(event), session: event.session.id, state: event.session.state.rawValue)
        }
        _ = try await store.append(EventBatch(venueID: venue.id, events: rows), sinks: [])
        let service = InsightService(store: store, venues: VenueRegistry([venue]), log: .silent, pageSize: 3)
        for flow in [ElectricityFlowDirection.imported, .exported] {
            for granularity in [ElectricityInsightQuery.Granularity.hourly, .daily] {
                let request = try example.request(at: venue.id, zone, granularity, flow)
                let records = try await service.energyInsights(request, client: "test")
                let total = records.compactMap { $0.totalEnergy?.whole }.reduce(0, +)
                #expect(total == whole(example.expected.total["\(flow)"]))
                guard flow == .imported else { continue }
                expectClasses(of: records, example)
                if granularity == .daily { try expectDays(of: records, example, zone) }
            }
        }
    }

    private func expectClasses(
        of records: [ElectricityInsightRecord<Measurement<UnitEnergy>>], _ example: WorkedExample
    ) {
        let splits = records.compactMap(\.dataByGridCleanliness)
        for (name, part) in [
            ("cleaner", splits.map(\.cleaner)), ("lessClean", splits.map(\.lessClean)), ("avoid", splits.map(\.avoid)),
            ("unknown", splits.map(\.unknown)),
        ] {
            // Each record is rounded by itself: a thousandth of a watt-hour for each.
            let sum = part.compactMap { $0?.whole }.reduce(0, +)
            #expect(abs(sum - whole(example.expected.cleanliness[name])) <= records.count, "\(name)")
        }
        for record in records {
            guard let split = record.dataByGridCleanliness, let total = record.totalEnergy?.whole else { continue }
            let parts = [split.cleaner, split.lessClean, split.avoid, split.unknown].compactMap { $0?.whole }
            #expect(parts.reduce(0, +) == total, "classes add up to the total exactly")
        }
    }

    private func expectDays(
        of records: [ElectricityInsightRecord<Measurement<UnitEnergy>>], _ example: WorkedExample, _ zone: TimeZone
    ) throws {
        for record in records {
            let local = record.range.start.addingTimeInterval(Double(zone.secondsFromGMT(for: record.range.start)))
            let day = String(try #require(EnergyKitJSON.string(from: local)).prefix(10))
            #expect(record.totalEnergy?.whole ?? 0 == whole(example.expected.days[day]), "\(day)")
        }
    }

    private func whole(_ wattHours: Double?) -> Int64 { Int64(((wattHours ?? 0) * 1000).rounded()) }
}

extension [WorkedExample.Event] {
    /// Another order in which they may arrive; of two for one session, time and state the later stays the later.
    fileprivate var shuffledButLastWins: [WorkedExample.Event] {
        let odd = enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        let even = enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        let mixed = even + odd
        let isRepeated = Set(map { "\($0.session) \($0.t.timeIntervalSince1970) \($0.state)" }).count < count
        return isRepeated ? self : mixed
    }
}

extension WorkedExample.Event {
    fileprivate var loadEvent: ElectricVehicleLoadEvent {
        ElectricVehicleLoadEvent(
            id: UUID(), timestamp: t,
            measurement: .init(
                stateOfCharge: 50, direction: direction == "exported" ? .exported : .imported,
                power: Measurement(value: 0, unit: .watts), energy: Measurement(value: wh, unit: .EnergyKit.wattHours)),
            session: .init(
                id: .named(session), state: state == "begin" ? .begin : state == "end" ? .end : .active,
                guidanceState: .init(wasFollowingGuidance: true, guidanceToken: token.map { .named($0) } ?? UUID())),
            deviceID: "car")
    }
}

extension WorkedExample {
    /// One of its guidances as the hub keeps it: the slots with their rating as that of the carbon alone.
    fileprivate func stored(_ guidance: Guidance, at venue: UUID) throws -> StoredGuidance {
        let first = try #require(guidance.slots.map(\.start).min())
        let last = try #require(guidance.slots.map(\.end).max())
        return StoredGuidance(
            guidance: ElectricityGuidance(
                guidanceToken: .named(guidance.token), energyVenueID: venue, suggestedAction: .shift, issuedAt: first,
                interval: DateInterval(start: first, end: last), options: [],
                values: guidance.slots.map {
                    .init(interval: DateInterval(start: $0.start, end: $0.end), rating: $0.rating)
                }),
            details: guidance.slots.map { .init(carbonRating: $0.rating, tariffClass: nil) },
            cleanerBelow: cleanerBelowRating, avoidAbove: 1)
    }

    /// A query for all days that its events touch.
    fileprivate func request(
        at venue: UUID, _ zone: TimeZone, _ granularity: ElectricityInsightQuery.Granularity,
        _ flow: ElectricityFlowDirection
    ) throws -> InsightRequest {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        let start = calendar.startOfDay(for: try #require(events.map(\.t).min()))
        let end = try #require(events.map(\.t).max()).addingTimeInterval(1)
        let query = ElectricityInsightQuery(
            options: [.cleanliness, .tariff], range: DateInterval(start: start, end: end), granularity: granularity,
            flowDirection: flow)
        return InsightRequest(query: query, deviceID: "car", venueID: venue)
    }
}
