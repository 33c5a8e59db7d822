import Foundation
import TestSupport
import Testing

/// The HTTP API of a running demo, over real HTTP.
///
/// One demo serves every test below.
@Suite(.runningDemo, .serialized) enum WebAPITests {}

/// A demo that runs while the tests of a suite do, with a token of each role.
struct DemoUnderTest: Sendable {
    @TaskLocal static var current: DemoUnderTest?

    let folder: TemporaryFolder
    let hub: HubProcess
    /// A client that sends no credential.
    let anyone: HTTPClient
    /// Clients with a token of each role.
    let viewer: HTTPClient
    let `operator`: HTTPClient
    /// The home.
    let venue: String

    /// The demo of the suite that runs.
    static func running() throws -> DemoUnderTest {
        guard let current else { throw HubProcess.Failure(description: "no demo runs") }
        return current
    }

    /// Starts a demo in the hour in which its car charges.
    init() async throws {
        folder = try TemporaryFolder()
        let data = folder.file("data")
        hub = try await HubProcess.demo(data: data, speed: 30, start: "2024-04-05T13:05:00+02:00")
        `operator` = try await hub.client()
        anyone = `operator`.with(token: nil)
        let file = try folder.write("data: data\nvenues: [{name: Home, time_zone: UTC}]\n", to: "offpeak.yaml")
        let made = try await HubProcess.offpeak("token", "create", "--role", "viewer", "--config", file.path)
        viewer = `operator`.with(token: made.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines))
        venue = try await anyone.get("/api/v1/venues").json[0]["id"].string ?? ""
    }
}

/// Runs a demo around a suite.
struct RunningDemoTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let demo = try await DemoUnderTest()
        try await DemoUnderTest.$current.withValue(demo) { try await function() }
        #expect(await demo.hub.terminate().status == 0)
    }
}

extension Trait where Self == RunningDemoTrait {
    /// One demo for all tests of the suite.
    static var runningDemo: Self { Self() }
}

/// Checks that an answer is a fault as RFC 9457 has it.
func expectProblem(
    _ answer: HTTPClient.Answer, _ status: Int, _ code: String, saying word: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.contentType == "application/problem+json", "\(answer.headers)", sourceLocation: sourceLocation)
    #expect(answer.json["status"].number == Double(status), "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.json["code"].string == code, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.json["title"].string?.isEmpty == false, "\(answer.text)", sourceLocation: sourceLocation)
    let detail = answer.json["detail"].string ?? ""
    #expect(
        !detail.isEmpty && (word.map { detail.contains($0) } ?? true), "\(answer.text)", sourceLocation: sourceLocation)
}
