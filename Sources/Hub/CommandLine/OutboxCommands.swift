import EnergyKit
import Foundation
import HubKit

/// Subcommands on the running hub's outbox: what waits for which sink, what was refused, and sending it again.
enum OutboxCommands {
    static func outbox(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "outbox")
        let verb = given.rest.first ?? "list"
        let rest = Array(given.rest.dropFirst())
        if let stray = owners.first(where: { given[$0.option] != nil && $0.verb != verb }) {
            throw Arguments.Misuse(description: "--\(stray.option) goes with '\(stray.verb)' only")
        }
        switch verb {
        case "list":
            if let first = rest.first { throw Arguments.Misuse(description: "'\(first)' is not expected here") }
            try await list(try HubClient(), given)
        case "dead":
            try await dead(try sink(rest), given)
        case "resend":
            try await resend(try sink(Array(rest.prefix(1))), try numbers(rest.dropFirst()))
        case "replay":
            let since = try ClientCommands.since(given)
            let body = try since.map { try EnergyKitJSON.encoder().encode(["since": $0]) }
            say(try await queue("/outbox/\(try sink(rest))/replay", body))
        case "retry":
            let path = "/outbox/\(try sink(rest))/retry"
            _ = try await HubClient().post(path, nil)
            Console.out("it is tried now")
        default:
            throw Arguments.Misuse(
                description: "there is no '\(verb)'; say list, dead, resend, replay or retry")
        }
        return .success
    }

    /// Options that only one verb has.
    private static let owners = [
        (option: "since", verb: "replay"), (option: "limit", verb: "dead"), (option: "after", verb: "dead"),
    ]

    private static func numbers(_ texts: ArraySlice<String>) throws(Arguments.Misuse) -> [Int64] {
        var numbers: [Int64] = []
        for text in texts {
            guard let value = Int64(text), value > 0 else {
                throw Arguments.Misuse(description: "'\(text)' is not a number that 'offpeak outbox dead' shows")
            }
            numbers.append(value)
        }
        return numbers
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
        let sinks = try client.read(Sinks.self, data).sinks
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

    private struct Letters: Decodable {
        var deadLetters: [Letter]
        var after: String?
    }

    private static func dead(_ sink: String, _ given: Arguments) async throws {
        let limit = try given.whole("limit", in: 1...1000) ?? 100
        let after = try given.whole("after", in: 0...Int.max).map { "&after=\($0)" } ?? ""
        let client = try HubClient()
        let data = try await client.get("/outbox/\(sink)/dead-letters?limit=\(limit)\(after)")
        if given.has("json") { return Console.out(String(decoding: data, as: UTF8.self)) }
        let page = try client.read(Letters.self, data)
        let letters = page.deadLetters
        Console.table(
            ["event", "happened", "device", "refused", "why"],
            letters.map { [String($0.sequence), $0.event.timestamp, $0.event.deviceID, $0.at, $0.reason] })
        if let after = page.after { Console.error("there are more: --after \(after) shows the next") }
    }

    private struct Queued: Decodable { var queued: Int }

    private static func resend(_ sink: String, _ numbers: [Int64]) async throws {
        let body = numbers.isEmpty ? nil : try JSONEncoder().encode(["sequences": numbers])
        let count = try await queue("/outbox/\(sink)/resend", body)
        let wanted = Set(numbers).count
        guard count == 0, wanted > 0 else {
            say(count, of: wanted > count ? wanted : nil)
            return
        }
        let what = wanted == 1 ? "event \(numbers[0]) is not" : "none of these events is"
        throw HubError(.notFound, "\(what) among those that were refused; 'offpeak outbox dead' shows them")
    }

    private static func queue(_ path: String, _ body: Data?) async throws -> Int {
        let client = try HubClient()
        return try client.read(Queued.self, try await client.post(path, body)).queued
    }

    private static func say(_ count: Int, of wanted: Int? = nil) {
        let all = wanted.map { " of \($0)" } ?? ""
        Console.out(count == 1 ? "1\(all) event was queued" : "\(count)\(all) events were queued")
    }
}
