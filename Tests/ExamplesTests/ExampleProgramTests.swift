import Foundation
import FoundationXML
import TestSupport
import Testing

/// The example programs against a real hub.
@Suite(.timeLimit(.minutes(5))) struct ExampleProgramTests {
    @Test func chargerReportsASessionAndTheChartShowsIt() async throws {
        let house = try await ExampleHouse()
        let charge = try await house.run(.chargerApp, "--run", "3", "--every", "0.5")
        #expect(charge.status == 0, "\(charge)")
        let events = try await house.events(of: "example-charger")
        #expect(events.count >= 3)
        #expect(events.first?["session"]["state"].string == "begin" && events.last?["session"]["state"].string == "end")
        for event in [events.first, events.last] { #expect(event?["measurement"]["powerWatts"].number == 0) }
        #expect(events.first?["measurement"]["energyWattHours"].number == 0)
        let energies = events.compactMap { $0["measurement"]["energyWattHours"].number }
        #expect(energies == energies.sorted() && energies.last ?? 0 > 0)
        let session = try #require(try await house.sessions(1).first)
        #expect(session["irregularities"].array.isEmpty && session["followedShare"].number == 1)

        let picture = house.folder.file("chart.svg")
        let chart = try await house.run(
            .insightChart, "--granularity", "hourly", "--days", "1", "--svg", picture.path)
        #expect(chart.status == 0, "\(chart)")
        // The bars together are what the session's last event said.
        let bars = chart.standardOutput.components(separatedBy: "\n")
            .compactMap {
                $0.components(separatedBy: " kWh")[0].components(separatedBy: "  ").last.flatMap(Double.init)
            }
        #expect(abs(bars.reduce(0, +) * 1000 - (energies.last ?? 0)) <= 1)
        let drawing = try XMLDocument(contentsOf: picture)
        #expect(
            drawing.rootElement()?.name == "svg" && !(drawing.rootElement()?.elements(forName: "rect").isEmpty ?? true))
    }

    @Test func thermostatReportsStagesAndItsRuntime() async throws {
        let house = try await ExampleHouse()
        let run = try await house.run(.thermostatApp, "--run", "3", "--every", "0.5", "--room", "17")
        #expect(run.status == 0, "\(run)")
        let events = try await house.events(of: "example-heat-pump")
        #expect(events.first?["session"]["state"].string == "begin" && events.last?["session"]["state"].string == "end")
        #expect(events.first?["measurement"]["stage"].number == 0 && events.last?["measurement"]["stage"].number == 0)
        #expect(events.dropFirst().first?["measurement"]["stage"].number ?? 0 > 0)
        let session = try #require(try await house.sessions(1).first)
        #expect(session["irregularities"].array.isEmpty && session["kind"].string == "hvac")
        let words = try #require(run.standardOutput.components(separatedBy: "\n").first { $0.hasPrefix("ran ") })
        #expect(!words.hasPrefix("ran 0:00:00"))
    }

    @Test func hubThatRestartsInASessionMissesNothing() async throws {
        let house = try await ExampleHouse()
        let charge = try house.start(.chargerApp, "--run", "8", "--every", "0.25")
        try await charge.waitForLine(containing: "active")
        await house.hub.kill()
        try await house.hub.restart()
        #expect(await charge.waitUntilExit() == 0, "\(charge.output)")
        let events = try await house.events(of: "example-charger")
        let said = charge.output.filter { $0.contains("begin:") || $0.contains("active:") || $0.contains("end:") }
        #expect(events.count == said.count)
        #expect(Set(events.compactMap { $0["id"].string }).count == events.count)
        #expect(events.last?["session"]["state"].string == "end")
    }

    @Test func wrongCredentialIsSaidInWords() async throws {
        let house = try await ExampleHouse(role: "viewer")
        let charge = try await house.run(.chargerApp, "--run", "2", "--every", "0.5")
        #expect(charge.status == 1 && charge.standardOutput.contains("error: The hub did not allow this."))
        #expect(charge.standardOutput.contains("Create a token"))
        #expect(try await house.events(of: "example-charger").isEmpty)
    }

    @Test(arguments: Example.allCases) func unknownHomeIsSaidInWords(_ example: Example) async throws {
        let house = try await ExampleHouse()
        let outcome = try await house.run(example, "--venue", "Nowhere")
        #expect(outcome.status == 1 && outcome.standardOutput.contains("error: The hub has no such home."))
    }

    @Test("what can't be an option is said, and nothing is charged", arguments: Example.allCases)
    func optionsThatCannotBe(_ example: Example) async throws {
        let number = example == .insightChart ? "--days" : "--run"
        for (arguments, status, word) in [
            (["--help"], 0, "usage:"), (["--device", "x", "--help"], 0, "usage:"),
            ([number], 2, "\(number) needs a value"),
            ([number, "nan"], 2, "not 'nan'"), ([number, "-1"], 2, "not '-1'"), (["--nothing", "1"], 2, "--nothing"),
        ] {
            let outcome = try await ChildProcess.run(example.program, arguments)
            #expect(
                outcome.status == Int32(status) && outcome.standardOutput.contains(word), "\(arguments): \(outcome)")
        }
    }

    @Test func hubNamesInItsLogWhatTheProgramCannotSee() async throws {
        let house = try await ExampleHouse()
        let client = house.client()
        let venue = try #require(try await client.get("/api/v1/venues").json.array.first?["id"].string)
        let id = "6F0B7C1E-3D27-4C4A-9C55-5C6B4F0E6A11"
        let answer = try await client.send(
            "POST", "/api/v1/venues/\(venue)/events",
            body: """
                [{"type":"ElectricVehicleLoadEvent","id":"\(id)","timestamp":"2031-01-01T00:00:00Z"}]
                """)
        #expect(answer.status == 422 || answer.status == 400, "\(answer)")
        let line = try await house.hub.said("refused load events of")
        #expect(line.contains("event 0 breaks the rule") && line.contains(id), "\(line)")
    }
}
