import EnergyKit
import Foundation
import Guidance
import HubKit

/// Subcommands about where prices, carbon and solar forecasts come from.
enum SourceCommands {
    private struct Listing: Encodable {
        struct Provider: Encodable {
            var name: String
            var title: String
            var gives: [String]
            var region: String
            var key: String
            var keyHint: String?
            var needs: [String]
            var takes: [String]
            var area: String?
            var areas: [String]?
            var publication: [String: String]
            var requestsPerDay: Int?
            var terms: String?
        }

        var providers: [Provider]
        var sources: [SourceStatus]?
    }

    static func sources(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "sources")
        let name = given.rest.first
        if name != nil { _ = try given.only("PROVIDER") }
        if let name { return try show(name, asJSON: given.has("json")) }
        let statuses = given.has("providers") ? nil : await running(try HubClient())
        if given.has("json") {
            let encoder = EnergyKitJSON.encoder()
            try Console.json(Listing(providers: SourceProviders.all.map(described), sources: statuses), with: encoder)
            return .success
        }
        Console.table(
            ["provider", "gives", "region", "key", "needs", "publishes"],
            SourceProviders.all.map { provider in
                let facts = provider.facts
                return [
                    facts.name, facts.sides.map(\.rawValue).joined(separator: ", "), facts.region, facts.key.rawValue,
                    facts.required.map(word).joined(separator: ", "), provider.publication(facts.sides[0]).text,
                ]
            })
        Console.out("")
        Console.out("Beside them: file: PATH and topic: TOPIC. 'offpeak sources PROVIDER' says more of one.")
        guard let statuses else { return .success }
        Console.out("")
        show(statuses)
        return .success
    }

    /// What the running hub says of its sources; nil where no hub answers, which is no fault here.
    private static func running(_ client: HubClient) async -> [SourceStatus]? {
        guard let data = try? await client.get("/sources") else { return nil }
        return try? EnergyKitJSON.decoder().decode([SourceStatus].self, from: data)
    }

    static func show(_ statuses: [SourceStatus]) {
        guard !statuses.isEmpty else { return Console.out("The running hub has no sources.") }
        let moment = { (date: Date?) in date.map { $0.formatted(.iso8601) } ?? "–" }
        Console.table(
            ["source", "provider", "gives", "last fetch", "next fetch", "known until", "stale since", "requests left"],
            statuses.map {
                [
                    $0.name, $0.provider, $0.kind, moment($0.lastFetch), moment($0.nextFetch), moment($0.knownUntil),
                    moment($0.staleSince), $0.requestsLeft.map(String.init) ?? "–",
                ]
            })
        for status in statuses {
            if let error = status.lastError { Console.out("\(status.name): \(error)") }
        }
    }

    private static func show(_ name: String, asJSON: Bool) throws -> ExitStatus {
        guard let provider = SourceProviders.named(name) else {
            throw Arguments.Misuse(
                description: "there is no provider '\(name)'; there are "
                    + SourceProviders.all.map(\.name).joined(separator: ", "))
        }
        if asJSON {
            try Console.json(described(provider), with: EnergyKitJSON.encoder())
            return .success
        }
        let facts = provider.facts
        Console.out("\(facts.name): \(facts.title)")
        let lines: [(String, String?)] = [
            ("gives", facts.sides.map(\.rawValue).joined(separator: ", ")), ("region", facts.region),
            ("key", facts.key == .none ? "none" : "\(facts.key.rawValue): \(facts.keyHint ?? "")"),
            ("needs", facts.required.isEmpty ? nil : facts.required.map(word).joined(separator: ", ")),
            ("takes", facts.optional.isEmpty ? nil : facts.optional.map(word).joined(separator: ", ")),
            ("area", facts.areaHint),
            (
                "publishes",
                facts.sides.map { "\($0.rawValue) \(provider.publication($0).text)" }.joined(separator: "; ")
            ),
            ("terms", facts.terms),
        ]
        for (label, text) in lines {
            if let text { Console.out("  \(label.padding(toLength: 10, withPad: " ", startingAt: 0)) \(text)") }
        }
        return .success
    }

    private static func described(_ provider: any SourceProvider) -> Listing.Provider {
        let facts = provider.facts
        return Listing.Provider(
            name: facts.name, title: facts.title, gives: facts.sides.map(\.rawValue), region: facts.region,
            key: facts.key.rawValue, keyHint: facts.keyHint, needs: facts.required.map(word),
            takes: facts.optional.map(word), area: facts.areaHint, areas: facts.areas,
            publication: Dictionary(
                facts.sides.map { ($0.rawValue, provider.publication($0).text) }
            ) { first, _ in first },
            requestsPerDay: facts.quotas.first { $0.seconds == 86_400 }?.requests, terms: facts.terms)
    }

    /// A setting as configurations write it.
    private static func word(_ setting: ProviderFacts.Setting) -> String {
        switch setting {
        case .address: "url"
        case .plane: "declination, azimuth, peak_watts"
        case .shape: "rows, start, value, unit"
        default: setting.rawValue
        }
    }
}
