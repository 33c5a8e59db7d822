import EnergyKit
import Testing

@Suite struct VenueServiceTests {
    static let home = EnergyVenue(
        id: UUID(), name: "Home", timeZone: .gmt, homeID: UUID(), currency: "EUR")

    private static func vehicle(_ state: ElectricVehicleLoadEvent.Session.State = .begin) -> ElectricVehicleLoadEvent {
        ElectricVehicleLoadEvent(
            timestamp: SurfaceTests.start,
            measurement: .init(
                stateOfCharge: 20, direction: .imported, power: Measurement(value: 0, unit: .milliwatts),
                energy: Measurement(value: 0, unit: .EnergyKit.milliwattHours)),
            session: .init(
                id: UUID(), state: state, guidanceState: .init(wasFollowingGuidance: true, guidanceToken: UUID())),
            deviceID: "car")
    }

    static func hvac() -> ElectricHVACLoadEvent {
        ElectricHVACLoadEvent(
            timestamp: SurfaceTests.start, measurement: .init(stage: 0),
            session: .init(
                id: UUID(), state: .begin, guidanceState: .init(wasFollowingGuidance: true, guidanceToken: UUID())),
            deviceID: "pump")
    }

    @Test func aWrongAddressInTheEnvironmentIsHeardOfAtEveryCall() async {
        await #expect(processExitsWith: .success) {
            setenv("OFFPEAK_URL", "the hub", 1)
            await #expect(throws: EnergyKitError.serviceUnavailable) { try await EnergyVenue.venues() }
            await #expect(throws: EnergyKitError.serviceUnavailable) { try await EnergyVenue.venue(for: UUID()) }
            await #expect(throws: EnergyKitError.serviceUnavailable) {
                try await EnergyVenue.venue(matchingHomeUniqueIdentifier: UUID())
            }
            let home = VenueServiceTests.home
            await #expect(throws: EnergyKitError.serviceUnavailable) {
                try await home.submitEvents([VenueServiceTests.hvac()])
            }
            let failure = await #expect(throws: EnergyKitFailure.self) { try await home.submit([]) }
            #expect(failure?.error == .serviceUnavailable)
            #expect(failure?.detail.contains("OFFPEAK_URL") == true)
            await #expect(throws: EnergyKitError.serviceUnavailable) {
                for try await _ in ElectricityGuidance.sharedService.guidance(
                    using: .init(suggestedAction: .shift), at: UUID())
                {}
            }
            let query = ElectricityInsightQuery(
                options: [], range: SurfaceTests.hour, granularity: .daily, flowDirection: .imported)
            await #expect(throws: EnergyKitError.serviceUnavailable) {
                _ = try await ElectricityInsightService.shared.runtimeInsights(
                    forDeviceID: "car", using: query, atVenue: UUID())
            }
            await #expect(throws: EnergyKitError.serviceUnavailable) {
                _ = try await ElectricityInsightService.shared.energyInsights(
                    forDeviceID: "car", using: query, atVenue: UUID())
            }
        }
    }

    @Test func venuesComeFromTheBackend() async throws {
        try await EnergyKitSystem.withBackend(MemoryBackend(venues: [Self.home])) {
            #expect(try await EnergyVenue.venues().map(\.id) == [Self.home.id])
            #expect(try await EnergyVenue.venue(for: Self.home.id).name == "Home")
            let homeID = try #require(Self.home.homeID)
            #expect(try await EnergyVenue.venue(matchingHomeUniqueIdentifier: homeID).id == Self.home.id)
            await #expect(throws: EnergyKitError.venueUnavailable) { try await EnergyVenue.venue(for: UUID()) }
            await #expect(throws: EnergyKitError.venueUnavailable) {
                try await EnergyVenue.venue(matchingHomeUniqueIdentifier: UUID())
            }
        }
    }

    @Test func noVenueIsANormalAnswer() async throws {
        try await EnergyKitSystem.withBackend(MemoryBackend()) {
            let venues = try await EnergyVenue.venues()
            #expect(venues.isEmpty)
        }
    }

    @Test func childTasksSeeTheSameBackend() async throws {
        let ids = try await EnergyKitSystem.withBackend(MemoryBackend(venues: [Self.home])) {
            async let first = EnergyVenue.venues()
            return try await Task { try await EnergyVenue.venues().map(\.id) }.value + first.map(\.id)
        }
        #expect(ids == [Self.home.id, Self.home.id])
    }

    @Test func strangeErrorsBecomeServiceUnavailable() async {
        await EnergyKitSystem.withBackend(MemoryBackend(failure: URLError(.cannotConnectToHost))) {
            await #expect(throws: EnergyKitError.serviceUnavailable) { try await EnergyVenue.venues() }
        }
        await EnergyKitSystem.withBackend(MemoryBackend(failure: CancellationError())) {
            await #expect(throws: CancellationError.self) { try await EnergyVenue.venues() }
            await #expect(throws: CancellationError.self) { try await Self.home.submit([]) }
        }
    }

    @Test func batchesOfOneKindOfSeveralAndOfNoneArrive() async throws {
        let backend = MemoryBackend()
        try await EnergyKitSystem.withBackend(backend) {
            try await Self.home.submitEvents([Self.vehicle(), Self.vehicle(.end)])
            try await Self.home.submitEvents([Self.vehicle(), Self.hvac()])
            let mixed: [any ElectricalLoadEventProtocol] = [Self.hvac(), Self.vehicle(), Self.hvac()]
            try await Self.home.submitEvents(mixed)
            try await Self.home.submitEvents([])
            try await Self.home.submitEvents([ElectricHVACLoadEvent]())
            let receipt = try await Self.home.submit([.hvac(Self.hvac())])
            #expect(receipt == LoadEventReceipt(accepted: 1, duplicates: 0))
        }
        let devices = backend.submitted.map { $0.map(\.deviceID) }
        #expect(devices == [["car", "car"], ["car", "pump"], ["pump", "car", "pump"], [], [], ["pump"]])
    }

    @Test func refusalIsPlainAtApplesSurfaceAndRichBesideIt() async {
        let refusal = EnergyKitFailure(InvalidLoadEvent(index: 0, rule: .tokenNeverIssued))
        await EnergyKitSystem.withBackend(MemoryBackend(failure: refusal)) {
            await #expect(throws: EnergyKitError.invalidLoadEvent) { try await Self.home.submitEvents([Self.hvac()]) }
            let failure = await #expect(throws: EnergyKitFailure.self) { try await Self.home.submit([]) }
            #expect(failure == refusal)
        }
    }

    @Test func eventsOfForeignTypesAreRefused() async {
        struct Foreign: ElectricalLoadEventProtocol {
            var id = UUID()
        }
        let backend = MemoryBackend()
        await EnergyKitSystem.withBackend(backend) {
            await #expect(throws: EnergyKitError.invalidLoadEvent) { try await Self.home.submitEvents([Foreign()]) }
        }
        #expect(backend.submitted.isEmpty)
    }

    @Test func bootstrapAfterTheFirstUseStopsTheProgramWithAReason() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            setenv("OFFPEAK_URL", "the hub", 1)
            _ = try? await EnergyVenue.venues()
            EnergyKitSystem.bootstrap(MemoryBackend())
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("after EnergyKit was used"))
    }

    @Test func secondBootstrapStopsTheProgramWithAReason() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            EnergyKitSystem.bootstrap(MemoryBackend(venues: [VenueServiceTests.home]))
            guard try await EnergyVenue.venues().count == 1 else { return }
            EnergyKitSystem.bootstrap(MemoryBackend())
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("called twice"))
    }
}
