import EnergyKit
import Foundation
import TestSupport
import Testing
import ThreadKit
import WebServer

/// The guidance stream over connections that break, lie and come back.
@Suite(.timeLimit(.minutes(3))) struct GuidanceFollowingTests {
    /// Answers the first, second, … connection with one element each, and the last for ever.
    private static func script(
        _ answers: [@Sendable () -> HTTPResponse]
    ) -> (handler: @Sendable (HTTPRequest) async -> HTTPResponse, count: Locked<Int>) {
        let count = Locked(0)
        return (
            { _ in
                let number = count.withLock { count in
                    defer { count += 1 }
                    return count
                }
                return answers[min(number, answers.count - 1)]()
            }, count
        )
    }

    /// The tokens that are delivered, and the error that ends them.
    private static func follow(_ client: EnergyKitClient, at venue: UUID) async -> ([UUID], EnergyKitFailure?) {
        var tokens: [UUID] = []
        do {
            let request = GuidanceRequest(suggestedAction: .shift, venueID: venue)
            for try await guidance in client.guidance(request) { tokens.append(guidance.guidanceToken) }
            return (tokens, nil)
        } catch {
            return (tokens, error as? EnergyKitFailure)
        }
    }

    @Test func lostConnectionsAreMadeAgainUnderneath() async throws {
        let venue = UUID()
        let first = ElectricityGuidance.sample(at: venue)
        let second = ElectricityGuidance.sample(at: venue)
        let (handler, count) = Self.script([
            { .stream([first.event, first.event, ServerSentEvent(event: "other", data: "x")]) },
            { .problem(503, "guidanceUnavailable", retryAfter: 30) },
            { .stream([ServerSentEvent(event: "guidance", data: "{\"broken\":")]) },
            { .stream([first.event]) },
            { .stream([second.event, ServerSentEvent(event: "problem", data: "{\"code\":\"permissionDenied\"}")]) },
        ])
        try await withFakeHub(handler) { client in
            let (tokens, failure) = await Self.follow(client, at: venue)
            // What is known already is not delivered again.
            #expect(tokens == [first.guidanceToken, second.guidanceToken])
            #expect(failure?.error == .permissionDenied)
        }
        #expect(count.current == 5)
    }

    @Test(arguments: [
        (403, "permissionDenied"), (404, "venueUnavailable"), (422, "unsupportedRegion"),
        (403, "locationServicesDenied"), (503, "guidanceUnavailable"),
    ])
    func whatIsFinalEndsTheStreamAtOnce(status: Int, code: String) async throws {
        let (handler, count) = Self.script([{ .problem(status, code, retryAfter: 1) }])
        try await withFakeHub(handler) { client in
            let (tokens, failure) = await Self.follow(client, at: UUID())
            #expect(tokens.isEmpty)
            #expect(failure?.error.code == code)
        }
        #expect(count.current == 1)
    }

    @Test(arguments: [
        (429, "rateLimitExceeded", 3), (503, "serviceUnavailable", 3), (409, "inProgress", 3), (200, "", 1),
    ])
    func aHubThatNeverDeliversIsGivenUp(status: Int, code: String, attempts: Int) async throws {
        let (handler, count) = Self.script([
            { status == 200 ? .html("<p>hello</p>") : .problem(status, code, retryAfter: 1) }
        ])
        try await withFakeHub(handler) { client in
            let (tokens, failure) = await Self.follow(client, at: UUID())
            #expect(tokens.isEmpty)
            #expect(failure != nil)
        }
        #expect(count.current == attempts)
    }

    @Test func aHubThatHoldsTheLineAndSaysNothingIsGivenUp() async throws {
        let (handler, count) = Self.script([{ .stream([ServerSentEvent(event: "other", data: "x")]) }])
        try await withFakeHub(handler) { client in
            let (tokens, failure) = await Self.follow(client, at: UUID())
            #expect(tokens.isEmpty)
            #expect(failure?.error == .serviceUnavailable)
        }
        #expect(count.current == 3)
    }

    @Test func openStreamsTakeNoPlaceOfOtherCalls() async throws {
        let venue = UUID()
        try await withFakeHub { request in
            guard request.pathSegments.last == "guidance" else { return .problem(404, "venueUnavailable") }
            return .stream([ElectricityGuidance.sample(at: venue).event], staysOpen: true)
        } _: { client in
            let streams = (0..<100).map { _ in client.guidance(GuidanceRequest(suggestedAction: .shift, venueID: venue))
            }
            for stream in streams {
                var iterator = stream.makeAsyncIterator()
                let guidance = try await iterator.next()
                #expect(guidance?.energyVenueID == venue)
            }
            // All of them are still open here.
            await #expect(throws: EnergyKitFailure(.venueUnavailable, detail: "because")) {
                try await client.venue(id: venue)
            }
            withExtendedLifetime(streams) {}
        }
    }

    @Test func guidanceThatRanOutWithoutANewerOneIsSaid() async throws {
        let venue = UUID()
        let brief = ElectricityGuidance.sample(at: venue, seconds: 1)
        let (handler, _) = Self.script([
            { .stream([brief.event]) }, { .problem(503, "serviceUnavailable", retryAfter: 1) },
        ])
        try await withFakeHub(handler) { client in
            let (tokens, failure) = await Self.follow(client, at: venue)
            #expect(tokens == [brief.guidanceToken])
            #expect(failure?.error == .guidanceUnavailable)
        }
    }

    @Test func cancellingEndsWithoutAnErrorAndHangsUp() async throws {
        let venue = UUID()
        let sample = ElectricityGuidance.sample(at: venue)
        let (stream, source) = AsyncStream<ServerSentEvent>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        source.onTermination = { _ in end.finish() }
        source.yield(sample.event)
        try await withFakeHub { _ in
            .eventStream(stream)
        } _: { client in
            await EnergyKitSystem.withBackend(client) {
                let (arrivals, arrival) = AsyncStream<Void>.makeStream()
                let task = Task {
                    for try await _ in ElectricityGuidance.sharedService.guidance(
                        using: .init(suggestedAction: .shift), at: venue)
                    {
                        arrival.yield()
                    }
                }
                for await _ in arrivals { break }
                task.cancel()
                await #expect(throws: Never.self) { try await task.value }
                for await _ in ends {}
            }
        }
    }

    @Test func manyStreamsOfOneProgramRunAtOnce() async throws {
        let venues = (0..<100).map { _ in UUID() }
        try await withFakeHub { request in
            let venue = UUID(uuidString: request.pathSegments.dropFirst(3).first ?? "") ?? UUID()
            return .stream([ElectricityGuidance.sample(at: venue).event], staysOpen: true)
        } _: { client in
            try await EnergyKitSystem.withBackend(client) {
                try await withThrowingTaskGroup(of: UUID.self) { group in
                    for venue in venues { group.addTask { try await guidance(at: venue).energyVenueID } }
                    var found: Set<UUID> = []
                    for try await venue in group { found.insert(venue) }
                    #expect(found == Set(venues))
                }
            }
        }
    }
}
