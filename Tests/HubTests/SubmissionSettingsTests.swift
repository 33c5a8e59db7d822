import Foundation
import TestSupport
import Testing

/// What the configuration says about submissions, over HTTP.
@Suite(.timeLimit(.minutes(5))) struct SubmissionSettingsTests {
    /// A hub with one home, a client that may change things, and the home's identifier.
    private struct House {
        let folder: TemporaryFolder
        let hub: HubProcess
        let client: HTTPClient
        let venue: String

        func submit(_ events: String) async throws -> HTTPClient.Answer {
            try await client.send("POST", "/api/v1/venues/\(venue)/events", body: events)
        }
    }

    private func house(http: String = "", venue: String = "") async throws -> House {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            data: data
            http: {listen: "127.0.0.1:0"\(http)}
            venues: [{name: Home, time_zone: UTC, rate_plan: {flat: 0.30}\(venue)}]

            """, to: "offpeak.yaml")
        let made = try await HubProcess.offpeak("token", "create", "--role", "operator", "--config", file.path)
        let token = try #require(made.standardOutput.split(separator: "\n").last)
        let hub = try await HubProcess.run(file)
        let client = try await hub.client().with(token: String(token))
        let id = try #require(try await client.get("/api/v1/venues").json[0]["id"].string)
        return House(folder: folder, hub: hub, client: client, venue: id)
    }

    private func event(of device: String, token: String, at time: String) -> String {
        """
        [{"id":"\(UUID())","timestamp":"\(time)","deviceID":"\(device)","measurement":{"stage":0},"session":
        {"id":"\(UUID())","state":"begin","guidanceState":{"wasFollowingGuidance":true,"guidanceToken":"\(token)"}}}]
        """
    }

    @Test(arguments: [false, true]) func strictHomeTakesATokenFromWhoFetchedItOnly(isStrict: Bool) async throws {
        let house = try await house(venue: isStrict ? ", strict_tokens: true" : "")
        let guidance = try await house.client.get("/api/v1/venues/\(house.venue)/guidance?device=pump").json
        let token = try #require(guidance["guidanceToken"].string)
        let time = try #require(guidance["issuedAt"].string)
        let own = try await house.submit(event(of: "pump", token: token, at: time))
        #expect(own.status == 202)
        let other = try await house.submit(event(of: "other", token: token, at: time))
        #expect(other.status == (isStrict ? 422 : 202))
        if isStrict { #expect(other.text.contains("tokenOfAnotherClient")) }
    }

    @Test func clientThatSubmitsTooOftenIsToldWhenToComeAgain() async throws {
        let house = try await house(http: ", submissions_per_minute: 2")
        var statuses: [Int] = []
        for _ in 0..<3 {
            let answer = try await house.submit("[]")
            statuses.append(answer.status)
            if answer.status == 429 { #expect(Int(answer.headers["retry-after"] ?? "") ?? 0 > 0) }
        }
        #expect(statuses == [202, 202, 429])
    }

    @Test(arguments: [
        ("http: {submissions_per_minute: 0}", "submissions_per_minute"),
        ("venues: [{name: A, time_zone: UTC, strict_tokens: perhaps}]", "strict_tokens"),
    ])
    func wrongSettingsAreFaults(_ line: String, _ key: String) async throws {
        let folder = try TemporaryFolder()
        let rest = line.hasPrefix("http") ? "venues: [{name: A, time_zone: UTC}]" : ""
        let file = try folder.write("data: data\n\(line)\n\(rest)\n", to: "offpeak.yaml")
        let outcome = try await HubProcess.offpeak("check", file.path)
        #expect(outcome.status == 2 && outcome.standardError.contains("error: "), "\(key): \(outcome)")
    }
}
