import Foundation
import TestSupport
import Testing

extension HubTests {
    /// A wrong file stops the start with every fault at its place, exit status 2 and nothing written.
    @Suite struct ConfigurationErrorTests {
        /// A copy of the small broken configurations, so that nothing is written beside them.
        private static func copy() throws -> TemporaryFolder {
            let folder = try TemporaryFolder()
            for name in try FileManager.default.contentsOfDirectory(atPath: BrokenConfigurationTests.folder.path) {
                try FileManager.default.copyItem(
                    at: BrokenConfigurationTests.folder.appendingPathComponent(name), to: folder.file(name))
            }
            return folder
        }

        @Test(arguments: ["everything-at-once", "syntax-hides-nothing", "series-broken", "file-binary"])
        func checkAndRunSayTheSameOfAFileAndWriteNothing(name: String) async throws {
            let folder = try Self.copy()
            let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
            let file = folder.file("\(name).yaml")
            let expected = try String(contentsOf: folder.file("\(name).txt"), encoding: .utf8)
                .split(separator: "\n").map { "\(folder.path)/\($0)" }
            for arguments in [["run", "--config", file.path], ["check", file.path]] {
                let outcome = try await ChildProcess.run(HubProcess.executable, arguments)
                #expect(outcome.status == 2 && outcome.standardOutput.isEmpty, "\(arguments): \(outcome)")
                #expect(outcome.standardError.split(separator: "\n").map(String.init) == expected)
            }
            #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == before)
        }

        /// What a path can lead to that is no configuration.
        enum Place: String, CaseIterable, Sendable {
            case nothing, folder, pipe, large

            func make(_ file: URL) throws {
                switch self {
                case .nothing: break
                case .folder: try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
                case .pipe: guard mkfifo(file.path, 0o600) == 0 else { throw POSIXError(.EIO) }
                case .large:
                    try Data().write(to: file)
                    guard truncate(file.path, 100 << 20) == 0 else { throw POSIXError(.EIO) }
                }
            }

            var words: String {
                switch self {
                case .nothing: "the file cannot be read: No such file or directory; check the path"
                case .folder: "this is a folder; name a file in it"
                case .pipe: "this is no regular file; name a file on disk"
                case .large: "the file is larger than 1048576 bytes; name a file that a person wrote, or split it"
                }
            }
        }

        @Test(.timeLimit(.minutes(3)), arguments: Place.allCases)
        func whatIsNoFileIsSaidAtOnce(place: Place) async throws {
            let folder = try TemporaryFolder()
            let file = folder.file("offpeak.yaml")
            try place.make(file)
            for arguments in [["run", "--config", file.path], ["check", file.path]] {
                let outcome = try await ChildProcess.run(HubProcess.executable, arguments)
                #expect(outcome.status == 2)
                #expect(outcome.standardError == "\(file.path):1:1: error: \(place.words)\n")
            }
        }

        @Test(.timeLimit(.minutes(3)), arguments: Place.allCases) func aSeriesThatIsNoFileIsSaidAtOnce(place: Place)
            async throws
        {
            let folder = try TemporaryFolder()
            try place.make(folder.file("series.json"))
            let file = try folder.write(
                "data: data\nvenues: [{name: Home, time_zone: UTC, guidance: {price: {file: series.json}}}]\n",
                to: "offpeak.yaml")
            let outcome = try await HubProcess.offpeak("check", file.path)
            #expect(outcome.status == 2)
            let start = "\(file.path):2:64: error: venues[0].guidance.price.file: \(folder.path)/series.json: "
            #expect(
                outcome.standardError.hasPrefix(start) && outcome.standardError.split(separator: "\n").count == 1,
                "\(outcome.standardError)")
        }

        @Test(.enabled(if: getuid() != 0, "root may read everything"))
        func aFileThatMayNotBeReadIsNamed() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write("data: data\n", to: "offpeak.yaml")
            try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file.path)
            let outcome = try await HubProcess.offpeak("check", file.path)
            #expect(outcome.status == 2 && outcome.standardError.contains(":1:1: error: the file cannot be read"))
        }

        @Test func theSampleIsSoundAndCheckSaysWhatTheHouseIs() async throws {
            let sample = BrokenConfigurationTests.folder.appendingPathComponent("../../../etc/offpeak.yaml")
                .standardized
            let outcome = try await HubProcess.offpeak("check", sample.path)
            #expect(outcome.status == 0 && outcome.standardError.isEmpty, "\(outcome)")
            #expect(
                outcome.standardOutput == """
                    \(sample.path): no fault
                    home Home: Europe/Berlin, EUR, 3 × 35 A; price from a rate plan with 2 periods; carbon from nowhere
                      grid     meter  eastron-sdm630  192.0.2.10:502 unit 1    grid
                      solar    meter  sma-inverter    192.0.2.11:502 unit 3    solar
                      car      ev     keba-p30        192.0.2.12:502 unit 255  at most 16 A, guided
                      heating  hvac   nibe-s          192.0.2.13:502 unit 1    guided
                    load events: own store
                    page: http://127.0.0.1:8484
                    data: /var/lib/offpeak

                    """)
        }

        @Test func faultsAreThereAsJSONToo() async throws {
            let folder = try Self.copy()
            let outcome = try await HubProcess.offpeak("check", folder.file("everything-at-once.yaml").path, "--json")
            let faults = JSONValue(text: outcome.standardOutput)?["faults"].array ?? []
            let lines = try String(contentsOf: folder.file("everything-at-once.txt"), encoding: .utf8)
            #expect(outcome.status == 2 && faults.count == lines.split(separator: "\n").count, "\(outcome)")
            #expect(faults.allSatisfy { $0["line"].number ?? 0 >= 1 && $0["remedy"].string?.isEmpty == false })
        }

        @Test func aDeviceThatCannotBeIsFoundByCheckAndDisabledByRun() async throws {
            let home = try Household(devices: [
                Household.meter("undriven", 502, driver: "nosuch"),
                Household.meter("unprofiled", 502, profile: "nosuch"),
                "id: lonely, driver: meter, profile: sma-inverter, role: solar",
                "id: aimless, driver: meter, profile: sma-inverter, connection: {host: 127.0.0.2}",
            ])
            let check = try await HubProcess.offpeak("check", home.configuration.path)
            #expect(check.status == 2)
            let lines = check.standardError.split(separator: "\n")
            let words = [
                ":6:28: error: devices[0].driver: there is no driver 'nosuch'; use one of ev, hvac, meter",
                ":7:46: error: devices[1].profile: there is no profile 'nosuch'; 'offpeak profiles --driver meter' lists those that fit",
                ":8:5: error: devices[2]: the device needs a connection; add connection: {host: 192.0.2.7}",
                ":9:5: error: devices[3]: a meter needs a role; add 'role:' with one of grid, solar, battery, load",
            ]
            #expect(lines.count == 4, "\(check.standardError)")
            for (line, word) in zip(lines, words) { #expect(line.contains(word), "\(line)") }
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
