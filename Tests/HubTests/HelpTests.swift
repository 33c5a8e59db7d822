import Foundation
import TestSupport
import Testing

extension HubTests {
    /// What the program says about itself.
    @Suite struct HelpTests {
        @Test(arguments: CommandTests.commands) func theHelpFitsATerminalAndShowsEveryOption(name: String) async throws
        {
            let help = try await HubProcess.offpeak(name, "--help").standardOutput
            let tooLong = help.split(separator: "\n").filter { $0.count > 80 }
            #expect(tooLong.isEmpty, "\(tooLong)")
            let usage = help.components(separatedBy: "\n\n")[0]
            let options = Set(help.matches(of: #/--([a-z-]+)/#).map { String($0.output.1) })
            for option in options {
                #expect(usage.contains("--\(option)"), "--\(option) is not in the line of usage")
                #expect(help.contains("\n  --\(option)"), "--\(option) is not explained")
            }
            // An option of the help is known to the command: what it complains of is another thing.
            for option in options {
                let outcome = try await HubProcess.offpeak(name, "--\(option)", "--no-such-option")
                #expect(!outcome.standardError.contains("--\(option) is not known"), "\(outcome)")
            }
        }

        @Test(arguments: CommandTests.commands) func helpComesInThreeWays(name: String) async throws {
            let help = try await HubProcess.offpeak(name, "--help")
            for arguments in [["help", name], [name, "-h"], ["--help", name]] {
                let other = try await ChildProcess.run(HubProcess.executable, arguments)
                #expect(other.status == 0 && other.standardOutput == help.standardOutput, "\(other)")
            }
        }

        @Test func theOverviewFitsATerminal() async throws {
            let overview = try await HubProcess.offpeak("help")
            #expect(overview.status == 0)
            #expect(overview.standardOutput.split(separator: "\n").allSatisfy { $0.count <= 80 })
            #expect(try await ChildProcess.run(HubProcess.executable, []).standardOutput == overview.standardOutput)
        }

        @Test(arguments: CommandTests.commands) func theReadmeHasEveryCommandOnce(name: String) throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let page = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
            let section = page.components(separatedBy: "## Command line").dropFirst().first?
                .components(separatedBy: "\n## ").first
            let cells = (section ?? "").split(separator: "\n").filter { $0.hasPrefix("| `") }
                .compactMap { $0.components(separatedBy: " | ").first }
            let named = cells.filter { $0.contains("`\(name)`") || $0.contains("`\(name) ") }
            #expect(named.count == 1, "\(named)")
        }

        @Test(arguments: ["--version", "version", "-V"]) func theVersionIsOneLine(word: String) async throws {
            let outcome = try await HubProcess.offpeak(word)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.standardOutput.wholeMatch(of: #/offpeak \d+\.\d+\.\d+\S*\n/#) != nil, "\(outcome)")
        }

        @Test(
            arguments: [
                (["chek"], "there is no subcommand 'chek'; did you mean 'check'?"),
                (["help", "evnts"], "there is no subcommand 'evnts'; did you mean 'events'?"),
                (["zzzzzz"], "'offpeak help' lists what there is"),
                (["--verison"], "--verison is not known here; did you mean --version?"),
                (["--hlep"], "did you mean --help?"), (["--config", "x"], "options stand behind a subcommand"),
                (["demo", "--data", ""], "the value of --data is empty"), (["demo", "--data="], "--data is empty"),
                (["run", "--config", ""], "the value of --config is empty"), (["check", ""], "FILE is empty"),
                (["events", "--data", ""], "the value of --data is empty"), (["plan", "--problem="], "is empty"),
                (["profiles", "--folder", ""], "is empty"), (["check", "x", "--share", ""], "is empty"),
                (["events", "--formt", "csv"], "--formt is not known here; did you mean --format?"),
                (["events", "-f", "csv"], "-f is not known here"),
                (["events", "--limit"], "--limit needs a value"),
                (["events", "--limit", "--json"], "--limit needs a value"),
                (["events", "--limit", "x"], "--limit is a whole number from 1 to 1000000000, not 'x'"),
                (["events", "--json=yes"], "--json takes no value"),
                (["events", "--device", "a", "--device", "b"], "--device stands twice"),
                (["events", "--json", "--format", "csv"], "exclude each other"),
                (["events", "--since", "yesterday"], "--since is a time such as"),
                (["demo", "--port", "70000"], "--port is a whole number from 0 to 65535, not '70000'"),
                (["demo", "--house-ports", "1"], "--house-ports is not known here"),
                (["plan", "--problem", "x", "--deadline", "0"], "--deadline is a number from 0.001 to 3600, not '0'"),
                (["token", "list", "x"], "'x' is not expected here"),
                (["token", "make"], "there is no 'make'; say create, list or revoke"),
            ] as [([String], String)]) func aSlipIsNamedInWords(arguments: [String], words: String) async throws
        {
            let outcome = try await ChildProcess.run(HubProcess.executable, arguments)
            #expect(outcome.status == 2 && outcome.standardOutput.isEmpty, "\(outcome)")
            #expect(outcome.standardError.contains(words), "\(outcome)")
            #expect(outcome.standardError.split(separator: "\n").count == 1, "\(outcome)")
        }

        @Test func aReaderThatHasEnoughEndsTheWritingQuietly() async throws {
            let home = try Household()
            let token = try await home.token()
            let hub = try await home.run()
            let client = try await hub.client().with(token: token)
            let source = try await LoadEventSource(client)
            for index in 0..<20 { #expect(try await source.post(source.batch(index), client).status == 202) }
            for command in ["events", "events --format csv", "guidance Home --follow", "help"] {
                let outcome = try await ChildProcess.run(
                    "/bin/sh", ["-c", "\"$0\" \(command) | head -n 1", HubProcess.executable],
                    environment: ["OFFPEAK_URL": "http://127.0.0.1:\(client.port)"])
                #expect(outcome.status == 0 && outcome.standardError.isEmpty, "\(command): \(outcome)")
                #expect(outcome.standardOutput.split(separator: "\n").count == 1, "\(command): \(outcome)")
            }
            #expect(await hub.terminate().status == 0)
        }
    }
}
