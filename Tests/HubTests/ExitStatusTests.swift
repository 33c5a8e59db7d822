import Foundation
import Modbus
import TestSupport
import Testing

extension HubTests {
    /// How each command ends, as the table of docs/operations.md says.
    @Suite struct ExitStatusTests {
        /// A command, its arguments with `{…}` for files that the test makes, and how it ends.
        struct End: Sendable, CustomTestStringConvertible {
            var line: String
            var status: Int32
            var words = ""
            var environment: [String: String] = [:]
            var testDescription: String { "\(line) → \(status)" }

            init(_ line: String, _ status: Int32, _ words: String = "", url: String? = nil) {
                self.line = line
                self.status = status
                self.words = words
                environment = url.map { ["OFFPEAK_URL": $0] } ?? [:]
            }
        }

        static let files = [
            "broken.json": "{", "empty.json": "{}", "text": "this is no payload",
            "broken.yaml": "data: [", "unwritable.yaml": "data: /proc/nosuch\nvenues: [{name: Home, time_zone: UTC}]\n",
            "good.yaml": "data: data\nvenues: [{name: Home, time_zone: UTC}]\n",
            "impossible.json": """
            {"id":"one","class":"A","timeZone":"UTC","slots":[{"start":"2026-03-01T00:00:00Z",
            "end":"2026-03-01T01:00:00Z","importPrice":0.1,"baseLoadKW":5}],
            "vehicles":[{"id":"car","arrival":"2026-03-01T00:00:00Z","departure":"2026-03-01T01:00:00Z",
            "minEnergyKWh":0,"maxEnergyKWh":5,"powerRangesKW":[[0,10]],"efficiency":1}],
            "site":{"importLimitKW":1,"exportAllowed":false},"objective":{"kind":"cost"}}
            """,
            "short.json": """
            {"slots":[{"start":"2026-03-01T00:00:00Z","end":"2026-03-01T01:00:00Z","importPrice":0.1}],
            "vehicles":[{"id":"car","arrival":"2026-03-01T00:00:00Z","departure":"2026-03-01T01:00:00Z",
            "minEnergyKWh":50,"maxEnergyKWh":50,"powerRangesKW":[[0,10]],"efficiency":1}]}
            """,
            "misspelled.json": "{\"slots\": [], \"vehicles\": [], \"sit\": {}}",
            "rates.json": """
            {"weights":{"price":1,"carbn":1},"horizon":{"start":"2026-03-01T00:00:00Z","end":"2026-03-01T01:00:00Z"}}
            """, "list.json": "[]",
        ]

        static let ends = [
            End("help", 0), End("drivers", 0), End("profiles", 0), End("check {good.yaml}", 0),
            End("token create --config {good.yaml}", 0), End("token list --config {good.yaml}", 0),
            End("backup {new} --config {good.yaml}", 1, "no database"), End("nosuch", 2), End("drivers x", 2),
            End("profiles --driver tv", 2, "not 'tv'"), End("check {broken.yaml}", 2, ": error: "),
            End("check {none}", 2),
            End("run --config {broken.yaml}", 2, ": error: "), End("run --config {none}", 2),
            End("run --config {unwritable.yaml}", 1), End("demo --data /proc/nosuch", 1), End("demo --speed 0", 2),
            End("read nosuch --config {good.yaml}", 2), End("read x --config {broken.yaml}", 2),
            End("plan --problem {broken.json}", 2, "broken.json:1:2: error: it is not JSON"),
            End(
                "plan --problem {impossible.json}", 3, "no schedule keeps the limits: the base load alone draws 5.0 kW"),
            End("plan --problem {impossible.json} --json", 3, "no schedule keeps the limits"),
            End("plan --problem {short.json}", 0),
            End("plan --problem {misspelled.json}", 2, "sit: is not known here; did you mean 'site'?"),
            End("rate --input {rates.json}", 2, "$.weights.carbn: this key is not known here; did you mean 'carbon'?"),
            End("profiles --folder {none}", 2, "there is no folder"), End("profiles --folder {text}", 2, "no folder"),
            End("profiles --share {none}", 2, "is not there"), End("check {good.yaml} --share {none}", 2, "--share"),
            End("demo --share {none}", 2, "looked for in"), End("read x --config {good.yaml} --share {none}", 2),
            End("events --data {text}", 2, "is no folder"), End("import --source enso {text}", 2, "openei"),
            End("token create --label \u{1b}[31m --config {good.yaml}", 2, "control characters"),
            End("plan --problem {none}", 2, ": error: "),
            End("plan --problem {empty.json}", 2, "empty.json: error: "),
            End("rate --input {broken.json}", 2, "broken.json:1:2: error: it is not JSON"),
            End("rate --input {empty.json}", 2, ": error: "), End("import --source file {none}", 2, ": error: "),
            End("import --source energy-charts {text}", 3, "text: error: "), End("import --source nosuch {text}", 2),
            End("token revoke 9 --config {good.yaml}", 3, "no token 9"), End("token list --config {broken.yaml}", 2),
            End("backup {good.yaml} --config {good.yaml}", 2, "exists already"),
            End("backup /proc/nosuch/x --config {good.yaml}", 1), End("events --data {none}", 2, "holds no store"),
            End("venues", 2, "OFFPEAK_URL", url: "foo"), End("guidance Home", 2, "OFFPEAK_URL", url: "ftp://127.0.0.1"),
            End("events", 2, "OFFPEAK_URL", url: "http://"),
            End("collect --brokers a --database postgresql://u@d/n --ca-file {none}", 2, "--ca-file"),
            End("collect --brokers a --database postgresql://u@d/n --key-file {text}", 2, "go together"),
            End("outbox mend", 2, "say list, dead, resend, replay or retry"), End("outbox dead", 2, "name one sink"),
            End("outbox list x", 2), End("outbox resend webhook x", 2, "'x' is not a number"),
            End("outbox list --since 2026-03-01T00:00:00Z", 2, "goes with 'replay' only"),
            End("outbox replay webhook --since yesterday", 2, "--since is a time"),
            End("outbox", 75, "no hub answers", url: "http://127.0.0.1:1"),
            End("outbox retry webhook", 75, "no hub answers", url: "http://127.0.0.1:1"),
            End("venues", 75, "no hub answers", url: "http://127.0.0.1:1"),
            End("guidance Home", 75, "no hub answers", url: "http://127.0.0.1:1"),
            End("events", 75, "no hub answers", url: "http://127.0.0.1:1"),
        ]

        @Test(arguments: ends) func eachCommandEndsAsTheTableSays(end: End) async throws {
            let folder = try TemporaryFolder()
            for (name, text) in Self.files { try folder.write(text, to: name) }
            let words = end.line.split(separator: " ").map { word in
                word.hasPrefix("{") ? folder.file(String(word.dropFirst().dropLast())).path : String(word)
            }
            let outcome = try await ChildProcess.run(HubProcess.executable, words, environment: end.environment)
            #expect(outcome.status == end.status, "\(outcome)")
            #expect(end.words.isEmpty || outcome.standardError.contains(end.words), "\(outcome)")
            #expect((outcome.status == 0) || !outcome.standardError.isEmpty)
            // No name of a type or case, and nothing of Foundation's inside.
            for sign in [
                "Error(", "Context(", "NSCocoa", "DecodingError", "CodingKeys", "Optional(", "Attempted", "Expected to",
            ] {
                #expect(!outcome.standardError.contains(sign), "\(outcome)")
            }
        }

        @Test func whatIsNoHubIsNamed() async throws {
            let server = try ForeignServer(answer: "<html>router</html>")
            for arguments in [["venues"], ["guidance", "Home"], ["events"]] {
                let outcome = try await ChildProcess.run(
                    HubProcess.executable, arguments, environment: ["OFFPEAK_URL": "http://127.0.0.1:\(server.port)"])
                #expect(outcome.status == 1 && outcome.standardError.contains("is no hub"), "\(outcome)")
                #expect(!outcome.standardError.contains("Error"), "\(outcome)")
            }
            server.stop()
        }

        @Test func theTableListsEveryStatus() throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            let page = try String(contentsOf: root.appendingPathComponent("docs/operations.md"), encoding: .utf8)
            let section =
                page.components(separatedBy: "## Exit status").dropFirst().first?
                .components(separatedBy: "\n## ").first ?? ""
            let statuses = section.split(separator: "\n").compactMap { line -> Int32? in
                line.split(separator: "|").first.flatMap { Int32($0.trimmingCharacters(in: .whitespaces)) }
            }
            #expect(statuses == [0, 1, 2, 3, 75])
            // Every command that ends in a way of its own has its line.
            let own = Set(
                Self.ends.filter { ![0, 1, 2].contains($0.status) }.map { $0.line.prefix { $0 != " " } })
            for command in own { #expect(section.contains("`\(command)`"), "\(command) is not in the table") }
            #expect(Set(Self.ends.map(\.status)).isSubset(of: Set(statuses)))
        }
    }
}

/// A server that gives every request the same answer, which no hub gives.
final class ForeignServer: Sendable {
    let port: Int
    private let descriptor: Int32

    init(answer: String) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 8) == 0
                    ? getsockname(listener, pointer, &length) : -1
            }
        }
        guard status == 0 else { throw HubProcess.Failure(description: "no socket: \(errno)") }
        port = Int(UInt16(bigEndian: address.sin_port))
        descriptor = listener
        let text =
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: \(answer.utf8.count)\r\n"
            + "Connection: close\r\n\r\n\(answer)"
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                var scratch = [UInt8](repeating: 0, count: 4096)
                _ = recv(client, &scratch, scratch.count, 0)
                _ = send(client, text, text.utf8.count, Int32(MSG_NOSIGNAL))
                close(client)
            }
        }
    }

    /// Ends it; a thread that waits for the next client is woken.
    func stop() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}
