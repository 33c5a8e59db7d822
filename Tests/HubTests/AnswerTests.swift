import Foundation
import Modbus
import TestSupport
import Testing

extension HubTests {
    /// Answers that can't be written, hubs that do not answer, and files that are pipes.
    @Suite struct AnswerTests {
        private func shell(_ line: String, environment: [String: String] = [:]) async throws -> ChildProcess.Outcome {
            try await ChildProcess.run("/bin/sh", ["-c", line, HubProcess.executable], environment: environment)
        }

        @Test(
            arguments: [
                "help", "version", "drivers", "drivers --json", "profiles", "profiles --schema", "sources --providers",
                "events --help",
            ])
        func anAnswerThatIsLostIsAFailure(command: String) async throws {
            let outcome = try await shell("\"$0\" \(command) > /dev/full")
            #expect(outcome.status == 1 && outcome.standardOutput.isEmpty, "\(outcome)")
            let lines = outcome.standardError.split(separator: "\n")
            #expect(lines.count == 1 && lines[0].contains("could not be written: No space left"), "\(outcome)")
        }

        @Test func whatAHubSaysIsNotLostInSilenceEither() async throws {
            let home = try Household()
            let token = try await home.token()
            let hub = try await home.run()
            let client = try await hub.client().with(token: token)
            let source = try await LoadEventSource(client)
            #expect(try await source.post(source.batch(1), client).status == 202)
            let here = ["OFFPEAK_URL": "http://127.0.0.1:\(client.port)", "OFFPEAK_TOKEN": token]
            let file = home.configuration.path
            for command in [
                "venues", "venues --json", "events", "events --format csv", "guidance Home", "outbox",
                "check '\(file)'",
                "token list --config '\(file)'", "events --data '\(home.data.path)'",
            ] {
                let outcome = try await shell("\"$0\" \(command) > /dev/full", environment: here)
                #expect(
                    outcome.status == 1 && outcome.standardError.contains("No space left"), "\(command): \(outcome)")
            }
            #expect(await hub.terminate().status == 0)
        }

        @Test func aTokenThatNobodySawIsWorthNothing() async throws {
            let home = try Household()
            let file = home.configuration.path
            let outcome = try await shell("\"$0\" token create --config '\(file)' > /dev/full")
            #expect(outcome.status == 1 && outcome.standardError.contains("it was revoked"), "\(outcome)")
            let list = try await HubProcess.offpeak("token", "list", "--json", "--config", file)
            #expect(JSONValue(text: list.standardOutput)?.array.isEmpty == true, "\(list)")
            let read = try await shell("\"$0\" token create --config '\(file)' | head -n 1")
            #expect(read.status == 0 && !read.standardOutput.isEmpty, "\(read)")
            let kept = try await HubProcess.offpeak("token", "list", "--json", "--config", file)
            #expect(JSONValue(text: kept.standardOutput)?.array.count == 1, "\(kept)")
        }

        @Test(.timeLimit(.minutes(2)), arguments: ["http", "https"])
        func aHubThatSaysNothingIsGivenUp(scheme: String) async throws {
            let server = try MuteServer()
            let outcome = try await ChildProcess.run(
                HubProcess.executable, ["venues"], environment: ["OFFPEAK_URL": "\(scheme)://127.0.0.1:\(server.port)"])
            #expect(outcome.status == 75 && outcome.standardError.contains("within 10 s"), "\(outcome)")
            #expect(outcome.standardError.split(separator: "\n").count == 1, "\(outcome)")
        }

        @Test func aProblemComesThroughAPipe() async throws {
            let folder = try TemporaryFolder()
            let file = try folder.write(ExitStatusTests.files["short.json"] ?? "", to: "short.json").path
            let whole = try await HubProcess.offpeak("plan", "--problem", file)
            #expect(whole.status == 0 && whole.standardOutput.contains("car will lack 40.0 kWh"), "\(whole)")
            for line in [
                "\"$0\" plan --problem - < '\(file)'", "cat '\(file)' | \"$0\" plan --problem -",
                "cat '\(file)' | \"$0\" plan --problem /dev/stdin",
            ] {
                let piped = try await shell(line)
                #expect(piped.status == 0 && piped.standardOutput == whole.standardOutput, "\(piped)")
            }
            let broken = try await shell("printf '{\\n \"slots\": [1,]}' | \"$0\" plan --problem -")
            #expect(
                broken.status == 2 && broken.standardError.hasPrefix("standard input:2:14: error: it is not JSON"),
                "\(broken)")
            let rated = try await shell("echo '{}' | \"$0\" rate --input -")
            #expect(rated.status == 2 && rated.standardError.hasPrefix("standard input: error: $.horizon"), "\(rated)")
        }

        @Test func rowsAreTheDocumentWhereItIsAList() async throws {
            let folder = try TemporaryFolder()
            let rows = """
                [{"start": "2026-03-01T00:00:00Z", "end": "2026-03-01T01:00:00Z", "value": 0.1},
                 {"start": "2026-03-01T01:00:00Z", "end": "2026-03-01T02:00:00Z", "value": 0.2}]
                """
            let file = try folder.write(rows, to: "rows.json").path
            let fixed = ["import", "--source", "url", "--kind", "price", "--unit", "EUR/kWh", file]
            let bare = try await ChildProcess.run(HubProcess.executable, fixed)
            let said = try await ChildProcess.run(HubProcess.executable, fixed + ["--rows", "$"])
            #expect(bare.status == 0 && bare.standardOutput == said.standardOutput, "\(bare)")
            for name in ["url", "openei", "acnportal", "energy-charts"] {
                let slip = try await HubProcess.offpeak("import", "--source", "nosuch", file)
                #expect(slip.standardError.contains(name), "\(slip)")
            }
        }

        @Test(.timeLimit(.minutes(2))) func aDemoSaysWhatItMakesOfAFolder() async throws {
            let folder = try TemporaryFolder()
            let data = folder.file("house")
            let state = data.appendingPathComponent("house.state")
            let first = try await HubProcess.demo(data: data, speed: 60)
            #expect(await eventually { (try? Data(contentsOf: state))?.contains { $0 != 0 } == true })
            let second = try await HubProcess.offpeak("demo", "--data", data.path, "--port", "0")
            #expect(second.status == 75 && second.standardError.contains("with --data"), "\(second)")
            #expect(await first.terminate().status == 0)
            let again = try await HubProcess.demo(data: data, speed: 1, more: ["--seed", "7"])
            let said = await again.child.output
            #expect(said.contains { $0.contains("goes on where it was; --seed counts for a new one") })
            #expect(await again.terminate().status == 0)
            try Data("no house".utf8).write(to: state)
            let anew = try await HubProcess.demo(data: data, speed: 1)
            let told = await anew.child.output
            #expect(told.contains { $0.contains("house.state.broken, and a new house begins") })
            #expect(try Data(contentsOf: state.appendingPathExtension("broken")) == Data("no house".utf8))
            #expect(await anew.terminate().status == 0)
        }

        @Test func aLabelCannotSteerATerminal() async throws {
            let home = try Household()
            for label in ["a\u{1b}[2J", "two\nlines", "\u{202e}turned", String(repeating: "x", count: 81)] {
                let outcome = try await HubProcess.offpeak(
                    "token", "create", "--label", label, "--config", home.configuration.path)
                #expect(outcome.status == 2 && outcome.standardOutput.isEmpty, "\(outcome)")
            }
            let list = try await HubProcess.offpeak("token", "list", "--json", "--config", home.configuration.path)
            #expect(list.standardOutput.filter { !$0.isWhitespace } == "[]", "\(list)")
        }

        @Test func aDeviceThatRefusesEverythingIsARefusal() async throws {
            // It answers, but has none of the profile's registers.
            let meter = try VirtualDevice(unit: 3, holding: [1: [0]])
            let home = try Household(devices: [Household.meter("other", meter.server.port)])
            let outcome = try await HubProcess.offpeak("read", "other", "--config", home.configuration.path)
            #expect(outcome.status == 3 && outcome.standardError.contains("refuses"), "\(outcome)")
            meter.server.stop()
        }
    }
}

/// A server that takes connections into its queue and never says anything.
final class MuteServer: Sendable {
    let port: Int
    private let descriptor: Int32

    init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = descriptor
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
                    ? getsockname(listener, pointer, &length) : -1
            }
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        guard status == 0 else { throw HubProcess.Failure(description: "no socket: \(errno)") }
    }

    deinit { close(descriptor) }
}
