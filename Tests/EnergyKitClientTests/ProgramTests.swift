import EnergyKit
import Foundation
import TestSupport
import Testing

/// Several programs on one hub, and homes that keep their identifiers.
@Suite(.timeLimit(.minutes(5))) struct ProgramTests {
    @Test func eachProgramHasAnAllowanceOfItsOwn() async throws {
        let house = try TestHome(http: "submissions_per_minute: 3")
        let hub = try await HubProcess.run(house.configuration)
        let busy = try EnergyKitClient(try house.settings(.socket, token: "", name: "busy", pauses: []))
        let calm = try EnergyKitClient(try house.settings(.socket, token: "", name: "calm", pauses: []))
        let venue = try await calm.venue(homeID: TestHome.homeKitID).id
        for _ in 0..<3 { _ = try await busy.submit([], venueID: venue) }
        let failure = await #expect(throws: EnergyKitFailure.self) { try await busy.submit([], venueID: venue) }
        #expect(failure?.error == .rateLimitExceeded)
        #expect(try #require(failure?.retryAfter) > .zero)
        try await EnergyKitSystem.withBackend(busy) {
            let home = try await TestHome.home()
            await #expect(throws: EnergyKitError.rateLimitExceeded) {
                try await home.submitEvents([ElectricHVACLoadEvent]())
            }
        }
        _ = try await calm.submit([], venueID: venue)
        _ = await hub.terminate()
    }

    @Test func codeInsideTheHubHasAnAllowanceToo() async throws {
        try await TestHome(http: "submissions_per_minute: 1").withHub(.services) {
            let home = try await TestHome.home()
            try await home.submitEvents([ElectricHVACLoadEvent]())
            await #expect(throws: EnergyKitError.rateLimitExceeded) {
                try await home.submitEvents([ElectricHVACLoadEvent]())
            }
        }
    }

    @Test func aStrictHomeTakesATokenFromWhoFetchedIt() async throws {
        let house = try TestHome(venue: "strict_tokens: true")
        let hub = try await HubProcess.run(house.configuration)
        let one = try EnergyKitClient(try house.settings(.socket, token: "", name: "one"))
        let other = try EnergyKitClient(try house.settings(.socket, token: "", name: "other"))
        let venue = try await one.venue(homeID: TestHome.homeKitID).id
        let fetched = try await EnergyKitSystem.withBackend(one) { try await guidance(at: venue) }
        let events = SampleEvents(fetched).hour.map { AnyLoadEvent.electricVehicle($0) }
        let failure = await #expect(throws: EnergyKitFailure.self) {
            try await other.submit(events, venueID: venue)
        }
        #expect(failure?.invalidEvent?.rule == .tokenOfAnotherClient)
        try await hub.restart()
        let receipt = try await one.submit(events, venueID: venue)
        #expect(receipt.accepted == 3)
        _ = await hub.terminate()
    }

    @Test func aViewersTokenMaySubmitNothing() async throws {
        let house = try TestHome()
        let viewer = try await house.token(role: "viewer")
        let hub = try await HubProcess.run(house.configuration)
        for token in [viewer, "opk_wrong"] {
            let client = try EnergyKitClient(try house.settings(.http, token: token))
            let home = EnergyVenue(id: UUID(), name: "Home", timeZone: .gmt)
            await EnergyKitSystem.withBackend(client) {
                await #expect(throws: EnergyKitError.permissionDenied) {
                    try await home.submitEvents([ElectricHVACLoadEvent]())
                }
            }
        }
        _ = await hub.terminate()
    }

    @Test func homesKeepTheirIdentifiers() async throws {
        let house = try TestHome()
        let client = try EnergyKitClient(try house.settings(.socket, token: ""))
        let hub = try await HubProcess.run(house.configuration)
        let before = try await client.venues()
        try await hub.restart()
        let after = try await client.venues()
        #expect(after.map(\.id) == before.map(\.id))
        #expect(Set(before.map(\.id)).count == 2)
        _ = await hub.terminate()
    }

    @Test func theSocketIsForOwnerAndGroup() async throws {
        let house = try TestHome()
        let hub = try await HubProcess.run(house.configuration)
        var status = stat()
        #expect(lstat(house.socket, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFSOCK)
        #expect(status.st_mode & 0o777 == 0o660)
        _ = await hub.terminate()
        #expect(lstat(house.socket, &status) != 0)
    }

    @Test(arguments: [
        ("id: 0D7A6A4B-6B2E-4A8F-9C53-2F9A4B1E7C10", "have the same id"),
        ("home_id: 0D7A6A4B-6B2E-4A8F-9C53-2F9A4B1E7C10", "have the same home_id"),
    ])
    func twoHomesWithOneIdentifierAreAMistake(key: String, complaint: String) async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            data: data
            venues:
              - {name: One, time_zone: Europe/Berlin, \(key)}
              - {name: Two, time_zone: Europe/Berlin, \(key)}

            """, to: "offpeak.yaml")
        let outcome = try await HubProcess.offpeak("check", file.path)
        #expect(outcome.status == 2)
        #expect(outcome.standardError.contains("offpeak.yaml:4:"), "\(outcome)")
        #expect(outcome.standardError.contains(complaint), "\(outcome)")
    }

    @Test func aSocketsPathThatIsTooLongIsAMistake() async throws {
        let folder = try TemporaryFolder()
        let path = "/tmp/" + String(repeating: "x", count: 110)
        let file = try folder.write(
            "data: data\nhttp: {socket: \(path)}\nvenues: [{name: One, time_zone: Europe/Berlin}]\n",
            to: "offpeak.yaml")
        let outcome = try await HubProcess.offpeak("check", file.path)
        #expect(outcome.status == 2)
        #expect(outcome.standardError.contains("at most 107 bytes"), "\(outcome)")
    }
}
