import EnergyKit
import Foundation
import TestSupport
import Testing
import ThreadKit

/// What EnergyKit does is the same inside the hub, over its socket and over HTTP.
@Suite(.timeLimit(.minutes(5))) struct BackingTests {
    @Test(arguments: Backing.allCases) func venuesAreFoundByEitherIdentifier(backing: Backing) async throws {
        try await TestHome().withHub(backing) {
            let venues = try await EnergyVenue.venues()
            #expect(venues.map(\.name) == ["Home", "Garden"])
            let home = try await EnergyVenue.venue(for: try #require(venues.first).id)
            #expect(home.name == "Home")
            #expect(home.timeZone.identifier == "Europe/Berlin")
            #expect(home.currency == "EUR")
            #expect(home.homeID == TestHome.homeKitID)
            let matching = try await EnergyVenue.venue(matchingHomeUniqueIdentifier: TestHome.homeKitID)
            #expect(matching.id == home.id)
            #expect(venues.last?.homeID == nil)
            await #expect(throws: EnergyKitError.venueUnavailable) { try await EnergyVenue.venue(for: UUID()) }
            await #expect(throws: EnergyKitError.venueUnavailable) {
                try await EnergyVenue.venue(matchingHomeUniqueIdentifier: UUID())
            }
        }
    }

    @Test(arguments: Backing.allCases) func guidanceComesAtOnceAndEndsWithTheTask(backing: Backing) async throws {
        try await TestHome().withHub(backing) {
            let home = try await TestHome.home()
            for action in [ElectricityGuidance.SuggestedAction.shift, .reduce] {
                let first = try await guidance(action, at: home.id)
                #expect(first.suggestedAction == action)
                #expect(first.energyVenueID == home.id)
                #expect(first.options == [.locationHasRatePlan, .guidanceIncorporatesRatePlan])
                #expect(first.values.first?.pricePerKWh == 0.30)
                let second = try await guidance(action, at: home.id)
                #expect(second.guidanceToken == first.guidanceToken)
                #expect(second.values.map(\.interval) == first.values.map(\.interval))
            }
            let (arrivals, arrival) = AsyncStream<Void>.makeStream()
            let task = Task {
                var count = 0
                for try await _ in ElectricityGuidance.sharedService.guidance(
                    using: .init(suggestedAction: .shift), at: home.id)
                {
                    count += 1
                    arrival.yield()
                }
                return count
            }
            for await _ in arrivals { break }
            task.cancel()
            let count = try await task.value
            #expect(count == 1)
        }
    }

    @Test(arguments: Backing.allCases) func guidanceThatCannotBeIsAnError(backing: Backing) async throws {
        let house = try TestHome()
        try house.folder.write(
            """
            {"source": "old", "kind": "price", "unit": "EUR/kWh", "slots":
             [{"start": "2020-01-01T00:00:00Z", "end": "2020-01-01T01:00:00Z", "value": 0.3}]}
            """, to: "price.json")
        try house.write(guidance: "{price: {file: price.json}}")
        try await house.withHub(backing) {
            let venues = try await EnergyVenue.venues()
            await #expect(throws: EnergyKitError.guidanceUnavailable) {
                try await guidance(at: try #require(venues.first).id)
            }
            await #expect(throws: EnergyKitError.unsupportedRegion) {
                try await guidance(.reduce, at: try #require(venues.last).id)
            }
            await #expect(throws: EnergyKitError.venueUnavailable) { try await guidance(at: UUID()) }
        }
    }

    @Test(arguments: Backing.allCases) func guidanceThatRunsOutIsAnErrorThen(backing: Backing) async throws {
        let house = try TestHome()
        let now = Date()
        let texts = [now.addingTimeInterval(-3600), now.addingTimeInterval(8)].map { $0.formatted(.iso8601) }
        try house.folder.write(
            """
            {"source": "brief", "kind": "price", "unit": "EUR/kWh", "slots":
             [{"start": "\(texts[0])", "end": "\(texts[1])", "value": 0.3}]}
            """, to: "price.json")
        try house.write(guidance: "{price: {file: price.json}}")
        try await house.withHub(backing) {
            let home = try await TestHome.home()
            await #expect(throws: EnergyKitError.guidanceUnavailable) {
                for try await guidance in ElectricityGuidance.sharedService.guidance(
                    using: .init(suggestedAction: .shift), at: home.id)
                {
                    #expect(guidance.interval.end.timeIntervalSince(now) < 9)
                }
            }
        }
    }

    @Test(arguments: Backing.allCases) func eventsAreStoredOnce(backing: Backing) async throws {
        try await TestHome().withHub(backing) {
            let home = try await TestHome.home()
            let samples = SampleEvents(try await guidance(at: home.id))
            var pump = SampleEvents(try await guidance(.reduce, at: home.id))
            pump.deviceID = "pump"
            let car = samples.hour.map { AnyLoadEvent.electricVehicle($0) }
            let others: [AnyLoadEvent] = [
                .hvac(pump.heating(.begin, minute: 0, stage: 0)), .hvac(pump.heating(.end, minute: 5, stage: 0)),
                .electricVehicleStatus(samples.status(at: home.id)),
            ]
            let none = try await home.submit([])
            #expect(none == LoadEventReceipt(accepted: 0, duplicates: 0))
            let first = try await home.submit(car + others)
            #expect(first == LoadEventReceipt(accepted: 6, duplicates: 0))
            let again = try await home.submit(others + car)
            #expect(again == LoadEventReceipt(accepted: 0, duplicates: 6))
        }
    }

    @Test(arguments: Backing.allCases) func aWrongEventRefusesTheWholeBatch(backing: Backing) async throws {
        try await TestHome().withHub(backing) {
            let home = try await TestHome.home()
            for wrong in WrongEvent.allCases {
                var samples = SampleEvents(try await guidance(at: home.id))
                samples.session = UUID()
                let (events, index, rule) = wrong.batch(samples)
                let failure = await #expect(throws: EnergyKitFailure.self) { try await home.submit(events) }
                #expect(failure?.error == .invalidLoadEvent)
                #expect(failure?.invalidEvent?.rule == rule, "\(wrong): \(String(describing: failure))")
                #expect(failure?.invalidEvent?.index == index, "\(wrong)")
                #expect(failure?.invalidEvent?.eventID == events[index].id, "\(wrong)")
                // Had the right one been stored, it would be a duplicate now.
                let receipt = try await home.submit([events[0]])
                #expect(receipt == LoadEventReceipt(accepted: 1, duplicates: 0), "\(wrong)")
            }
            let nowhere = EnergyVenue(id: UUID(), name: "Nowhere", timeZone: .gmt)
            let samples = SampleEvents(try await guidance(at: home.id))
            await #expect(throws: EnergyKitError.invalidLoadEvent) { try await nowhere.submitEvents(samples.hour) }
        }
    }

    @Test func insightsAreTheSameByEveryWay() async throws {
        let told = Locked<[String]>([])
        for backing in Backing.allCases {
            try await TestHome().withHub(backing) {
                let home = try await TestHome.home()
                let samples = SampleEvents(try await guidance(at: home.id))
                try await home.submitEvents(samples.hour)
                let text = try await Self.insights(at: home.id, from: samples.start)
                told.withLock { $0.append(text) }
                let query = Self.query(from: samples.start, options: [])
                await #expect(throws: EnergyKitError.venueUnavailable) {
                    try await ElectricityInsightService.shared.runtimeInsights(
                        forDeviceID: "car", using: query, atVenue: UUID())
                }
            }
        }
        let texts = told.current
        #expect(Set(texts).count == 1, "\(texts)")
        #expect(texts.first?.hasPrefix("0: 2000 Wh 3600 s; 3600: 0 Wh 0 s; 7200: - Wh - s; ") == true, "\(texts)")
    }

    private static func query(
        from start: Date, options: ElectricityInsightQuery.Options
    ) -> ElectricityInsightQuery {
        ElectricityInsightQuery(
            options: options, range: DateInterval(start: start, duration: 3 * 3600), granularity: .hourly,
            flowDirection: .imported)
    }

    /// Energy and running time in words, then every part of the first hour.
    private static func insights(at venue: UUID, from start: Date) async throws -> String {
        let query = query(from: start, options: [.cleanliness, .tariff])
        var energies: [ElectricityInsightRecord<Measurement<UnitEnergy>>] = []
        for await record in try await ElectricityInsightService.shared.energyInsights(
            forDeviceID: "car", using: query, atVenue: venue)
        {
            energies.append(record)
        }
        var times: [ElectricityInsightRecord<Duration>] = []
        for await record in try await ElectricityInsightService.shared.runtimeInsights(
            forDeviceID: "car", using: query, atVenue: venue)
        {
            times.append(record)
        }
        let lines = zip(energies, times).map { energy, time in
            let wattHours = energy.totalEnergy.map { "\(Int($0.converted(to: .EnergyKit.wattHours).value))" } ?? "-"
            let seconds = time.totalRuntime.map { "\($0.components.seconds)" } ?? "-"
            return "\(Int(energy.range.start.timeIntervalSince(start))): \(wattHours) Wh \(seconds) s; "
        }
        let first = energies.first
        let peak = first?.dataByTariffPeak
        let grid = first?.dataByGridCleanliness
        let parts = [
            peak?.superOffPeak, peak?.offPeak, peak?.partialPeak, peak?.onPeak, peak?.criticalPeak, peak?.unknown,
            grid?.cleaner, grid?.lessClean, grid?.avoid, grid?.unknown,
        ].map { $0.map { "\(Int($0.converted(to: .EnergyKit.wattHours).value))" } ?? "-" }
        return lines.joined() + parts.joined(separator: " ")
    }
}
