import Foundation
import HubKit

/// Subcommands on the running hub's outbox: what waits for which sink, what was refused, and sending it again.
enum OutboxCommands {
    static func outbox(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, options: ["since", "limit"], flags: ["json"])
        let verb = given.rest.first ?? "list"
        let rest = Array(given.rest.dropFirst())
        let client = HubClient()
        switch verb {
        case "list":
            try await list(client, given)
        case "dead":
            try await dead(client, try sink(rest), given)
        case "resend":
            let sequences = try rest.dropFirst().map { text in
                guard let value = Int64(text) else {
                    throw Arguments.Misuse(description: "'\(text)' is not a number that 'offpeak outbox dead' shows")
                }
                return value
            }
            let body = sequences.isEmpty ? nil : try JSONEncoder().encode(["sequences": sequences])
            try await queue(client, "/outbox/\(try sink(Array(rest.prefix(1))))/resend", body)
        case "replay":
            let body = try given["since"].map { try JSONEncoder().encode(["since": $0]) }
            try await queue(client, "/outbox/\(try sink(rest))/replay", body)
        case "retry":
            _ = try await client.post("/outbox/\(try sink(rest))/retry", nil)
            Console.out("it is tried now")
        default:
            throw Arguments.Misuse(description: "say list, dead, resend, replay or retry, not '\(verb)'")
        }
        return .success
    }

    private static func sink(_ rest: [String]) throws(Arguments.Misuse) -> String {
        guard let name = rest.first, rest.count == 1,
            let text = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        else { throw Arguments.Misuse(description: "name one sink that 'offpeak outbox' shows") }
        return text
    }

    private struct Sink: Decodable {
        var name: String
        var depth: Int
        var delivered: Int
        var failures: Int
        var deadLetters: Int
        var oldestWaiting: String?
        var nextAttempt: String?
        var lastError: String?
    }

    private struct Sinks: Decodable { var sinks: [Sink] }

    private static func list(_ client: HubClient, _ given: Arguments) async throws {
        let data = try await client.get("/outbox")
        if given.has("json") { return Console.out(String(decoding: data, as: UTF8.self)) }
        let sinks = try JSONDecoder().decode(Sinks.self, from: data).sinks
        Console.table(
            ["sink", "waiting", "since", "delivered", "refused", "next attempt", "last error"],
            sinks.map { sink in
                [
                    sink.name, String(sink.depth), sink.oldestWaiting ?? "–", String(sink.delivered),
                    String(sink.deadLetters), sink.nextAttempt ?? "–", sink.lastError ?? "–",
                ]
            })
    }

    private struct Letter: Decodable {
        struct Event: Decodable {
            var timestamp: String
            var deviceID: String
        }

        var sequence: Int64
        var at: String
        var reason: String
        var event: Event
    }

    private struct Letters: Decodable { var deadLetters: [Letter] }

    private static func dead(_ client: HubClient, _ sink: String, _ given: Arguments) async throws {
        let limit = Int(try given.number("limit", in: 1...1000) ?? 100)
        let data = try await client.get("/outbox/\(sink)/dead-letters?limit=\(limit)")
        if given.has("json") { return Console.out(String(decoding: data, as: UTF8.self)) }
        let letters = try JSONDecoder().decode(Letters.self, from: data).deadLetters
        Console.table(
            ["event", "happened", "device", "refused", "why"],
            letters.map { [String($0.sequence), $0.event.timestamp, $0.event.deviceID, $0.at, $0.reason] })
    }

    private struct Queued: Decodable { var queued: Int }

    private static func queue(_ client: HubClient, _ path: String, _ body: Data?) async throws {
        let answer = try JSONDecoder().decode(Queued.self, from: try await client.post(path, body))
        Console.out(answer.queued == 1 ? "1 event was queued" : "\(answer.queued) events were queued")
    }
}
