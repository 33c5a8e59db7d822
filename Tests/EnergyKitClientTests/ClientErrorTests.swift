import EnergyKit
import Foundation
import TestSupport
import Testing
import ThreadKit
import WebServer

/// What the client makes of a hub's refusals, and of answers that no hub gives.
@Suite(.timeLimit(.minutes(2))) struct ClientErrorTests {
    private static let codes: [(Int, String)] = [
        (404, "venueUnavailable"), (503, "guidanceUnavailable"), (422, "unsupportedRegion"),
        (401, "permissionDenied"), (403, "permissionDenied"), (503, "serviceUnavailable"),
        (429, "rateLimitExceeded"), (422, "invalidLoadEvent"), (409, "inProgress"), (403, "locationServicesDenied"),
    ]

    @Test(arguments: codes) func aHubsCodeIsTheError(status: Int, code: String) async throws {
        let expected = try #require(EnergyKitError(code: code))
        try await withFakeHub { _ in
            .problem(status, code)
        } _: { client in
            let failure = await #expect(throws: EnergyKitFailure.self) { try await client.venues() }
            #expect(failure?.error == expected)
            #expect(failure?.detail == "because")
            await EnergyKitSystem.withBackend(client) {
                await #expect(throws: expected) { try await EnergyVenue.venues() }
            }
        }
    }

    @Test(arguments: [
        (401, EnergyKitError.permissionDenied), (403, .permissionDenied), (404, .serviceUnavailable),
        (413, .invalidLoadEvent), (429, .rateLimitExceeded), (500, .serviceUnavailable), (502, .serviceUnavailable),
        (301, .serviceUnavailable), (200, .serviceUnavailable),
    ])
    func anAnswerOfSomethingElseIsAnErrorToo(status: Int, expected: EnergyKitError) async throws {
        try await withFakeHub { _ in
            .html("<p>hello</p>", status: status)
        } _: { client in
            let failure = await #expect(throws: EnergyKitFailure.self) { try await client.venues() }
            #expect(failure?.error == expected, "\(String(describing: failure))")
            #expect(failure?.detail.isEmpty == false)
        }
    }

    @Test func aRefusedEventIsNamedWithItsRule() async throws {
        let id = UUID()
        try await withFakeHub { _ in
            .problem(
                422, "invalidLoadEvent",
                members: ",\"index\":3,\"eventID\":\"\(id)\",\"rule\":\"stage\",\"found\":\"101\"")
        } _: { client in
            let failure = await #expect(throws: EnergyKitFailure.self) {
                try await client.submit([], venueID: UUID())
            }
            #expect(
                failure
                    == EnergyKitFailure(
                        InvalidLoadEvent(index: 3, eventID: id, rule: .stage, detail: "101")))
        }
    }

    @Test(
        arguments: [
            (429, "rateLimitExceeded", 1, 3), (503, "serviceUnavailable", 1, 3), (503, "serviceUnavailable", nil, 1),
            (503, "guidanceUnavailable", 1, 1), (403, "permissionDenied", 1, 1), (422, "invalidLoadEvent", 1, 1),
            (409, "inProgress", 1, 1),
        ] as [(Int, String, Int?, Int)])
    func triesAgainOnlyWhatMaySucceed(status: Int, code: String, retryAfter: Int?, attempts: Int) async throws {
        let count = Locked(0)
        try await withFakeHub { _ in
            count.withLock { $0 += 1 }
            return .problem(status, code, retryAfter: retryAfter)
        } _: { client in
            await #expect(throws: EnergyKitFailure.self) { try await client.submit([], venueID: UUID()) }
        }
        #expect(count.current == attempts)
    }

    @Test func aLaterAttemptSucceeds() async throws {
        let count = Locked(0)
        try await withFakeHub { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number < 3
                ? .problem(503, "serviceUnavailable", retryAfter: 1)
                : .json(Array("{\"accepted\":2,\"duplicates\":1}".utf8), status: 202)
        } _: { client in
            let receipt = try await client.submit([], venueID: UUID())
            #expect(receipt == LoadEventReceipt(accepted: 2, duplicates: 1))
        }
        #expect(count.current == 3)
    }

    @Test func nobodyThereIsServiceUnavailable() async throws {
        let folder = try TemporaryFolder()
        for place in ["http://127.0.0.1:\(try LoopbackPort.free())", "unix:\(folder.file("none.sock").path)"] {
            var settings = ClientSettings(address: try HubAddress(place))
            settings.pauses = [.zero]
            let client = try EnergyKitClient(settings)
            let failure = await #expect(throws: EnergyKitFailure.self) { try await client.venues() }
            #expect(failure?.error == .serviceUnavailable)
            #expect(failure?.detail.contains(place) == true)
            await EnergyKitSystem.withBackend(client) {
                await #expect(throws: EnergyKitError.serviceUnavailable) { try await guidance(at: UUID()) }
            }
        }
    }

    @Test func theTokenFileIsReadAtEveryCall() async throws {
        let folder = try TemporaryFolder()
        let seen = Locked<[String]>([])
        try folder.write("opk_first\n", to: "token")
        let path = folder.file("token").path
        try await withFakeHub(token: .file(path)) { request in
            seen.withLock {
                $0.append("\(request.headers["Authorization"] ?? "-") \(request.headers["Offpeak-Client"] ?? "-")")
            }
            return .json(Array("[]".utf8))
        } _: { client in
            _ = try await client.venues()
            try folder.write("opk_second", to: "token")
            _ = try await client.venues()
            try FileManager.default.removeItem(atPath: path)
            let failure = await #expect(throws: EnergyKitFailure.self) { try await client.venues() }
            #expect(failure?.error == .permissionDenied)
        }
        #expect(seen.current == ["Bearer opk_first tests", "Bearer opk_second tests"])
    }

    @Test func errorsDoNotTellTheToken() async throws {
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in .status(500) }
        try await withFakeHub(token: .text("opk_SECRET"), handler) { client in
            let failure = await #expect(throws: EnergyKitFailure.self) { try await client.venues() }
            #expect("\(String(reflecting: failure)) \(failure?.localizedDescription ?? "")".contains("SECRET") == false)
        }
    }

    @Test func cancellingStaysACancellation() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        try await withFakeHub { _ in
            arrival.yield()
            try? await Task.sleep(for: .seconds(20))
            return .notFound
        } _: { client in
            let task = Task { try await client.venues() }
            for await _ in arrivals { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }
}
