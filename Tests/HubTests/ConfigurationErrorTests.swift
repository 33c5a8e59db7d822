import Foundation
import TestSupport
import Testing

extension HubTests {
    /// A wrong file stops the start with every fault at its place, exit status 2 and nothing written.
    @Suite struct ConfigurationErrorTests {
        /// A configuration and the beginning of each line that is said about it, after the file's name.
        struct Case: Sendable, CustomTestStringConvertible {
            var testDescription: String
            var text: String
            var faults: [String]

            init(_ name: String, _ text: String, _ faults: String...) {
                testDescription = name
                self.text = text
                self.faults = faults
            }
        }

        static let venue = "venues: [{name: Home, time_zone: Europe/Berlin}]\n"

        static let cases = [
            Case(
                "empty file", "", ":1:1: error: expected a mapping"),
            Case("no data", venue, ":1:1: error: missing key 'data'"),
            Case("no venue", "data: data\n", ":1:1: error: there is no venue; add venues:"),
            Case(
                "unknown key", "data: data\nvenus: []\n" + venue,
                ":2:1: error: venus: unknown key 'venus'; did you mean 'venues'?"),
            Case(
                "not YAML", "data: [data\n" + venue, ":"),
            Case(
                "zone", "data: data\nvenues:\n  - name: Home\n    time_zone: Berlin\n",
                ":4:16: error: venues[0].time_zone: 'Berlin' is not a time zone; use a name of the IANA list"),
            Case(
                "listen", "data: data\nhttp: {listen: \"8484\"}\n" + venue,
                ":2:16: error: http.listen: '8484' is not an address and a port; such as 127.0.0.1:8484"),
            Case(
                "environment", "data: ${OFFPEAK_NO_SUCH_NAME}/x\n" + venue,
                ":1:7: error: data: the environment has no variable 'OFFPEAK_NO_SUCH_NAME'"),
            Case(
                "secret file", "data: data\nmqtt: {host: 127.0.0.1, password_file: nosuch}\n" + venue,
                ":2:40: error: mqtt.password_file: "),
            Case(
                "price file",
                "data: data\nvenues:\n  - name: Home\n    time_zone: UTC\n    guidance: {price: {file: no.json}}\n",
                ":5:30: error: venues[0].guidance.price.file: "),
            Case(
                "everything at once",
                """
                data: data
                venues:
                  - name: Home
                    time_zone: Europe/Berlin
                    currency: euro
                    connection: {phases: 4, amps: 35}
                circuits:
                  - {name: garage, amps: many}
                devices:
                  - id: "a b"
                    driver: ev
                  - id: car
                    driver: ev
                    circuit: cellar
                    connection: {unit: 1}
                    limits: {min_amps: 16, max_amps: 6}
                    mode: fast
                    goal: {energy_kwh: 10, ready_by: 7}
                  - id: car
                    driver: ev
                    connection: {host: 127.0.0.1, port: 70000}

                """,
                ":5:15: error: venues[0].currency: 'euro' is not a currency",
                ":6:26: error: venues[0].connection.phases: 4 is out of range; write a whole number from 1 to 3",
                ":8:26: error: circuits[0].amps: expected a number, found the text 'many'",
                ":10:9: error: devices[0].id: 'a b' can't be a device id",
                ":14:14: error: devices[1].circuit: there is no circuit 'cellar'",
                ":15:17: error: devices[1].connection: a connection needs a host or a serial line",
                ":16:13: error: devices[1].limits: min_amps is above max_amps",
                ":17:11: error: devices[1].mode: unknown value 'fast'; Known: off, now, guided, solar",
                ":18:38: error: devices[1].goal.ready_by: ",
                ":19:5: error: devices[2]: two devices are called 'car'",
                ":21:41: error: devices[2].connection.port: 70000 is out of range"),
        ]

        @Test(arguments: cases) func everyFaultIsSaidAtItsPlaceAndNothingIsWritten(wrong: Case) async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(wrong.text, to: "offpeak.yaml")
            for arguments in [["run", "--config", file.path], ["check", file.path]] {
                let outcome = try await ChildProcess.run(HubProcess.executable, arguments)
                #expect(outcome.status == 2, "\(arguments): \(outcome)")
                let lines = outcome.standardError.split(separator: "\n").map(String.init)
                #expect(lines.count == wrong.faults.count, "\(outcome.standardError)")
                for (line, fault) in zip(lines, wrong.faults) {
                    #expect(line.hasPrefix(file.path + fault), "expected \(fault), found \(line)")
                    #expect(line.contains(#/:\d+:\d+: error: /#), "\(line)")
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["offpeak.yaml"])
        }

        @Test func filesThatAreNotThereAreNamed() async throws {
            let folder = try TemporaryFolder()
            let file = folder.file("nosuch.yaml").path
            for arguments in [["run", "--config", file], ["check", file]] {
                let outcome = try await ChildProcess.run(HubProcess.executable, arguments)
                #expect(outcome.status == 2)
                #expect(outcome.standardError.hasPrefix("\(file): error: "), "\(outcome.standardError)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        }

        @Test func aDeviceThatCannotBeIsFoundByCheckAndDisabledByRun() async throws {
            let home = try Household(devices: [
                Household.meter("undriven", 502, driver: "nosuch"),
                Household.meter("unprofiled", 502, profile: "nosuch"),
                "id: lonely, driver: meter, profile: sma-inverter, role: solar",
                "id: aimless, driver: meter, profile: sma-inverter, connection: {host: 127.0.0.1}",
            ])
            let check = try await HubProcess.offpeak("check", home.configuration.path)
            #expect(check.status == 2)
            let lines = check.standardError.split(separator: "\n")
            #expect(lines.count == 4, "\(check.standardError)")
            for (line, word) in zip(
                lines,
                ["no driver 'nosuch'", "no profile 'nosuch'", "lonely needs a connection", "aimless needs a role"])
            {
                #expect(line.hasPrefix("\(home.configuration.path): error: ") && line.contains(word), "\(line)")
            }
        }

        @Test func aBrokenProfileThatIsUsedStopsTheStartAndAnUnusedOneDoesNot() async throws {
            let device = Household.meter("meter", 502, profile: "homemade")
            let used = try Household(devices: [device], more: "profiles: profiles\n")
            try used.folder.write(
                "kind: meter\nvendor: Me\nmodels: [one]\npoints: {power: {holding: x}}\n",
                to: "profiles/meter/homemade.yaml")
            for arguments in [["run", "--config", used.configuration.path], ["check", used.configuration.path]] {
                let outcome = try await ChildProcess.run(HubProcess.executable, arguments)
                #expect(outcome.status == 2)
                #expect(
                    outcome.standardError.contains(#/profiles/meter/homemade\.yaml:\d+:\d+: error: /#), "\(outcome)")
            }
            #expect(!FileManager.default.fileExists(atPath: used.data.path))

            let unused = try Household(more: "profiles: profiles\n")
            try unused.folder.write("kind: nonsense\n", to: "profiles/meter/homemade.yaml")
            let hub = try await unused.run()
            try await hub.said("homemade.yaml:1:")
            #expect(await hub.terminate().status == 0)
        }

        @Test(arguments: [
            ("{\"source\": \"x\"", "series.json:"),
            (
                "{\"source\": \"x\", \"kind\": \"price\", \"unit\": \"EUR/kWh\", \"slots\": [{\"start\": \"yesterday\", \"end\": \"2026-01-01T01:00:00Z\", \"value\": 0.1}]}",
                "series.json:"
            ),
        ])
        func aBrokenSeriesStopsTheStart(text: String, word: String) async throws {
            let folder = try TemporaryFolder()
            try folder.write(text, to: "series.json")
            let file = try folder.write(
                "data: data\nvenues: [{name: Home, time_zone: UTC, guidance: {price: {file: series.json}}}]\n",
                to: "offpeak.yaml")
            for arguments in [["run", "--config", file.path], ["check", file.path]] {
                let outcome = try await ChildProcess.run(HubProcess.executable, arguments)
                #expect(outcome.status == 2, "\(outcome)")
                #expect(outcome.standardError.contains(folder.file(word).path), "\(outcome.standardError)")
                #expect(outcome.standardError.contains("error: "), "\(outcome.standardError)")
            }
            #expect(!FileManager.default.fileExists(atPath: folder.file("data").path))
        }
    }
}
