import EnergyKit
import Testing

@Suite(.timeLimit(.minutes(3))) struct GuidanceStreamTests {
    private let query = ElectricityGuidance.Query(suggestedAction: .shift)
    private let service = ElectricityGuidance.sharedService

    @Test func firstGuidanceComesAtOnceAndLaterOnesFollow() async throws {
        let backend = MemoryBackend()
        let venue = UUID()
        try await EnergyKitSystem.withBackend(backend) {
            var tokens: [UUID] = []
            for try await guidance in service.guidance(using: query, at: venue) {
                #expect(guidance.energyVenueID == venue && guidance.suggestedAction == .shift)
                tokens.append(guidance.guidanceToken)
                if tokens.count == 2 { break }
                backend.deliverAgain()
            }
            #expect(Set(tokens).count == 2)
        }
    }

    @Test func callItselfStartsNothing() async {
        let backend = MemoryBackend()
        await EnergyKitSystem.withBackend(backend) { _ = service.guidance(using: query, at: UUID()) }
        #expect(backend.requests.isEmpty)
    }

    @Test func oneSequenceTwiceMakesTwoDeliveries() async throws {
        let backend = MemoryBackend()
        try await EnergyKitSystem.withBackend(backend) {
            let sequence = service.guidance(using: query, at: UUID())
            var first = sequence.makeAsyncIterator()
            var second = sequence.makeAsyncIterator()
            let one = try #require(try await first.next())
            let two = try #require(try await second.next())
            #expect(one.guidanceToken != two.guidanceToken)
            #expect(backend.requests.count == 2)
        }
    }

    @Test func severalVenuesStreamAtOnce() async throws {
        let venues = (0..<8).map { _ in UUID() }
        let seen = try await EnergyKitSystem.withBackend(MemoryBackend()) {
            try await withThrowingTaskGroup(of: UUID?.self) { group in
                for venue in venues {
                    group.addTask {
                        for try await guidance in ElectricityGuidance.sharedService.guidance(
                            using: .init(suggestedAction: .reduce), at: venue)
                        {
                            return guidance.energyVenueID
                        }
                        return nil
                    }
                }
                return try await group.reduce(into: Set<UUID?>()) { $0.insert($1) }
            }
        }
        #expect(seen == Set(venues))
    }

    @Test func leavingTheLoopFreesTheProducer() async throws {
        let backend = MemoryBackend()
        try await EnergyKitSystem.withBackend(backend) {
            for try await _ in service.guidance(using: query, at: UUID()) { break }
        }
        for await _ in backend.endings.stream { break }
        #expect(backend.ended == 1)
    }

    @Test func cancellingEndsWithNilAndNoError() async throws {
        let backend = MemoryBackend()
        let (started, start) = AsyncStream<Void>.makeStream()
        let task = EnergyKitSystem.withBackendTask(backend) {
            var count = 0
            for try await _ in ElectricityGuidance.sharedService.guidance(
                using: .init(suggestedAction: .shift), at: UUID())
            {
                count += 1
                start.yield()
            }
            return count
        }
        for await _ in started { break }
        task.cancel()
        #expect(try await task.value == 1)
        for await _ in backend.endings.stream { break }
    }

    @Test func producersCancellationIsNoErrorEither() async throws {
        try await EnergyKitSystem.withBackend(MemoryBackend(failure: CancellationError())) {
            var iterator = service.guidance(using: query, at: UUID()).makeAsyncIterator()
            let next = try await iterator.next()
            #expect(next == nil)
        }
    }

    @Test(arguments: [EnergyKitError.venueUnavailable, .guidanceUnavailable, .permissionDenied, .unsupportedRegion])
    func errorsComeOnIterationAndOnce(_ error: EnergyKitError) async throws {
        try await EnergyKitSystem.withBackend(MemoryBackend(failure: EnergyKitFailure(error, detail: "x"))) {
            var iterator = service.guidance(using: query, at: UUID()).makeAsyncIterator()
            do {
                let guidance = try await iterator.next()
                Issue.record("guidance instead of an error: \(String(describing: guidance))")
            } catch let thrown as EnergyKitError {
                #expect(thrown == error)
            }
            let next = try await iterator.next()
            #expect(next == nil)
        }
    }

    @Test func sequenceKeepsItsBackendInADetachedTask() async throws {
        let venue = UUID()
        let sequence = await EnergyKitSystem.withBackend(MemoryBackend()) { service.guidance(using: query, at: venue) }
        var iterator = sequence.makeAsyncIterator()
        #expect(try await iterator.next()?.energyVenueID == venue)
    }

    @Test func deviceIsNamedToTheBackend() async throws {
        let backend = MemoryBackend()
        try await EnergyKitSystem.withBackend(backend) {
            for try await _ in service.guidance(using: query, at: UUID(), forDeviceID: "car") { break }
            for try await _ in service.guidance(using: query, at: UUID()) { break }
        }
        #expect(backend.requests.map(\.deviceID) == ["car", nil])
    }

    @MainActor @Test func iterationWorksOnTheMainActor() async throws {
        try await EnergyKitSystem.withBackend(MemoryBackend()) {
            for try await guidance in service.guidance(using: query, at: UUID()) {
                MainActor.assertIsolated()
                #expect(guidance.values.count == 1)
                break
            }
        }
    }
}

extension EnergyKitSystem {
    /// A task of its own that runs `operation` with that backend.
    fileprivate static func withBackendTask<Result: Sendable>(
        _ backend: any EnergyKitBackend, operation: @escaping @Sendable () async throws -> Result
    ) -> Task<Result, any Error> {
        Task { try await withBackend(backend) { try await operation() } }
    }
}
