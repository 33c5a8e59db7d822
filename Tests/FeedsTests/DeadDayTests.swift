import EnergyKit
import Feeds
import Foundation
import Guidance
import HubKit
import Storage
import TestSupport
import Testing
import WebServer

/// Guidance of a home whose sources die, lie or come late.
@Suite struct DeadDayTests {
    private static let day = Date(timeIntervalSince1970: 1_770_073_200)  // 2026-02-02T23:00:00Z, midnight in Berlin

    /// A home in Berlin with one price source, and what is needed to run it.
    private struct Home {
        let bench: SourceBench
        let store: HubStore
        let source: SeriesSource
        let service: GuidanceService
        let venue: Venue

        init(_ bench: SourceBench, at address: String, area: String = "DE", plan: RatePlan? = nil) async throws {
            self.bench = bench
            store = try await bench.store()
            source = try await bench.source(at: address, store) { $0.area = area }
            venue = Venue(
                id: UUID(), name: "Home", timeZone: try #require(TimeZone(identifier: "Europe/Berlin")), currency: "EUR"
            )
            service = GuidanceService(
                venues: [VenueGuidance(venue: venue, price: PreferredSeries([.init(source)]), ratePlan: plan)],
                sources: [source], store: store, clock: bench.clock, log: bench.log.log)
        }

        func guidance() async throws -> ElectricityGuidance {
            try await service.guidance(.shift, at: venue.id, for: "test")
        }

        func error() async -> EnergyKitFailure? {
            do {
                _ = try await guidance()
                return nil
            } catch {
                return error as? EnergyKitFailure
            }
        }
    }

    @Test func aDeadDayIsServedUntilItsSlotsEndAndThenSaysWhatIsMissing() async throws {
        let bench = try SourceBench()
        // Until midnight of the same day, as it is before the publication.
        let server = try await ProviderServer { _ in awattar(from: Self.day, hours: 24) }
        let home = try await Home(bench, at: server.address)
        let running = Task { await home.source.run() }
        await bench.clock.waitForSleepers(1)
        await bench.clock.advance(by: 1, keeping: 1)
        try await home.service.start()
        let first = try await home.guidance()
        #expect(first.interval.end == Self.day.addingTimeInterval(86_400))
        await server.stop()

        var served = 0
        for hour in 1...24 {
            await bench.clock.advance(by: 3600, keeping: 1)
            await home.service.refresh()
            let left = Self.day.addingTimeInterval(86_400).timeIntervalSince(bench.clock.now)
            guard left > 0 else {
                let error = try #require(await home.error(), "hour \(hour)")
                #expect(error.error == .serviceUnavailable)
                #expect(error.detail.contains("awattar under test: serviceUnavailable: no connection"))
                continue
            }
            let guidance = try await home.guidance()
            #expect(guidance.interval.end == first.interval.end)
            #expect(guidance.values.first.map { $0.interval.contains(bench.clock.now) } == true)
            served += 1
        }
        #expect(served == 12)
        let status = try #require(await home.service.sourceStatuses().first)
        // Asked first at the time of the day-ahead publication, and stale since then.
        #expect(try #require(status.staleSince) >= (try at("2026-02-03T13:00:00Z")))
        #expect(try #require(status.staleSince) < (try at("2026-02-03T13:20:00Z")))
        #expect(status.failures > 3)
        // One line when it died, one when the present lost its rating: no line for each look.
        #expect(bench.log.texts(from: .warning).count == 2)
        running.cancel()
        await running.value
        await home.store.close()
    }

    @Test(arguments: [
        (401, EnergyKitError.permissionDenied), (404, .unsupportedRegion), (429, .rateLimitExceeded),
        (500, .serviceUnavailable), (204, .guidanceUnavailable),
    ])
    func eachTroubleIsEnergyKitsError(status: Int, expected: EnergyKitError) async throws {
        let bench = try SourceBench()
        let server = try await ProviderServer { _ in
            .status(status, headers: status == 429 ? [("Retry-After", "120")] : [])
        }
        let home = try await Home(bench, at: server.address)
        try await home.service.start()
        await home.source.fetch()
        await home.service.refresh()
        let error = try #require(await home.error())
        #expect(error.error == expected)
        #expect(error.retryAfter == (status == 429 ? Duration.seconds(120) : nil))
        await server.stop()
        await home.store.close()
    }

    @Test func anAreaThatIsNotCoveredIsUnsupported() async throws {
        let bench = try SourceBench()
        let home = try await Home(bench, at: "http://127.0.0.1:9", area: "US")
        try await home.service.start()
        await home.source.fetch()
        await home.service.refresh()
        #expect(await home.error()?.error == .unsupportedRegion)
        await home.store.close()
    }

    @Test func aHomeWithAPlanToFallBackOnIsServedWithoutThePricesThatAreMissing() async throws {
        let bench = try SourceBench()
        let store = try await bench.store()
        let prices = try await bench.source(at: "http://127.0.0.1:9", store)
        let server = try await ProviderServer { _ in
            let rows = (0..<96).map { index in
                let time = { (step: Int) in
                    InstantText.text(Self.day.addingTimeInterval(Double(index + step) * 1800)).prefix(16) + "Z"
                }
                return #"{"from":"\#(time(0))","to":"\#(time(1))","intensity":{"forecast":\#(100 + index)}}"#
            }
            return .json(Array(#"{"data":[\#(rows.joined(separator: ","))]}"#.utf8))
        }
        let carbon = try await bench.source("uk-carbon-intensity", at: server.address, store) { _ in }
        let venue = Venue(id: UUID(), name: "Home", timeZone: .gmt, currency: "EUR")
        let service = GuidanceService(
            venues: [VenueGuidance(venue: venue, price: prices, carbon: carbon)], sources: [prices, carbon],
            store: store, clock: bench.clock, log: bench.log.log)
        try await service.start()
        await prices.fetch()
        await carbon.fetch()
        await service.refresh()
        let guidance = try await service.guidance(.shift, at: venue.id, for: "test")
        #expect(guidance.values.allSatisfy { $0.pricePerKWh == nil && $0.gramsCO2PerKWh != nil })
        // A price source is configured, but no price took part.
        #expect(guidance.options == [.locationHasRatePlan])
        #expect(await service.faults(at: venue.id).keys.sorted() == ["awattar under test"])
        await server.stop()
        await store.close()
    }

    @Test func aStreamGivesWhatIsInForceAndThenEachChange() async throws {
        let bench = try SourceBench()
        let server = try await ProviderServer { _ in awattar(from: Self.day, hours: 24) }
        let home = try await Home(bench, at: server.address)
        try await home.service.start()
        var updates = home.service.updates(.shift, at: home.venue.id, for: "test").makeAsyncIterator()
        let running = Task { await home.service.run() }
        // Nothing was known when it began to listen; the first fetch brings it.
        let first = try #require(try await updates.next())
        #expect(first.interval.end == Self.day.addingTimeInterval(86_400))
        server.answer { _ in awattar(from: Self.day, hours: 48) }
        await bench.clock.waitForSleepers(2)
        // Every look but the one after the publication finds the same.
        var seen = [first.guidanceToken]
        var ends = [first.interval.end]
        while ends.last != Self.day.addingTimeInterval(2 * 86_400) {
            try #require(seen.count < 20)
            await bench.clock.advance(by: 3600, keeping: 2)
            let next = try #require(try await updates.next())
            seen.append(next.guidanceToken)
            ends.append(next.interval.end)
        }
        #expect(Set(seen).count == seen.count)
        running.cancel()
        await running.value
        await server.stop()
        await home.store.close()
    }

    @Test func whatWasIssuedStaysAsItWasWhateverIsRevised_G17() async throws {
        let bench = try SourceBench()
        let server = try await ProviderServer { _ in awattar(from: Self.day, hours: 24) }
        let home = try await Home(bench, at: server.address)
        try await home.service.start()
        await home.source.fetch()
        await home.service.refresh()
        let before = try await home.guidance()
        let then = bench.clock.now
        server.answer { _ in awattar(from: Self.day, hours: 24) { 90 - Double($0) } }
        await bench.clock.advance(by: 3600)
        await home.source.fetch()
        await home.service.refresh()
        let after = try await home.guidance()
        #expect(after.guidanceToken != before.guidanceToken)
        let kept = try #require(
            try await home.store.guidance(venue: home.venue.id, action: .shift, inForceAt: then.addingTimeInterval(60)))
        #expect(kept.guidance.guidanceToken == before.guidanceToken)
        #expect(kept.guidance.values.map(\.pricePerKWh) == before.values.map(\.pricePerKWh))
        #expect(kept.sources.first?.fetchedAt == then)
        #expect(
            try await home.store.guidance(venue: home.venue.id, action: .shift, inForceAt: bench.clock.now)?.guidance
                .guidanceToken == after.guidanceToken)
        await server.stop()
        await home.store.close()
    }

    @Test func whenOnlyThePresentIsMissingItIsSaidOnceAndTheRestIsServed_G3() async throws {
        let bench = try SourceBench()
        let server = try await ProviderServer { _ in
            awattar(from: Self.day.addingTimeInterval(16 * 3600), hours: 8)
        }
        let home = try await Home(bench, at: server.address)
        try await home.service.start()
        await home.source.fetch()
        for _ in 0..<5 { await home.service.refresh() }
        let guidance = try await home.guidance()
        #expect(guidance.interval.start == Self.day.addingTimeInterval(16 * 3600))
        #expect(bench.log.texts(from: .warning).filter { $0.contains("present") }.count == 1)
        await server.stop()
        await home.store.close()
    }

    @Test func pricesInAnotherCurrencyAreNotTakenForTheHomesOwn_G8() async throws {
        let bench = try SourceBench()
        let server = try await ProviderServer { _ in awattar(from: Self.day, hours: 24, unit: "SEK/MWh") }
        let home = try await Home(bench, at: server.address)
        try await home.service.start()
        await home.source.fetch()
        await home.service.refresh()
        let error = try #require(await home.error())
        #expect(error.error == .guidanceUnavailable && error.detail.contains("prices are in SEK"))
        await server.stop()
        await home.store.close()
    }

    @Test func aRestartChangesNoToken() async throws {
        let bench = try SourceBench()
        let server = try await ProviderServer { _ in awattar(from: Self.day, hours: 24) }
        var home = try await Home(bench, at: server.address)
        try await home.service.start()
        await home.source.fetch()
        await home.service.refresh()
        let before = try await home.guidance()
        await home.store.close()
        // The venue keeps its identifier in a hub; here it is told.
        let venue = home.venue
        home = try await Home(bench, at: server.address)
        let service = GuidanceService(
            venues: [VenueGuidance(venue: venue, price: PreferredSeries([.init(home.source)]))], sources: [home.source],
            store: home.store, clock: bench.clock, log: bench.log.log)
        try await service.start()
        let after = try await service.guidance(.shift, at: venue.id, for: "test")
        #expect(after.guidanceToken == before.guidanceToken)
        #expect(server.questions.count == 1)
        await server.stop()
        await home.store.close()
    }
}
