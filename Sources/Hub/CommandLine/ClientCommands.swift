import EnergyKit
import Foundation
import Guidance
import HubKit
import Storage
import WebAPI

/// Subcommands that ask the running hub.
enum ClientCommands {
    struct VenueRow: Codable {
        var id: UUID
        var name: String
        var timeZone: String
        var currency: String?
    }

    static func venues(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "venues")
        try given.none()
        let client = try HubClient()
        let data = try await client.get("/venues")
        if given.has("json") {
            Console.out(String(decoding: data, as: UTF8.self))
        } else {
            let rows = try client.read([VenueRow].self, data)
            Console.table(
                ["name", "time zone", "currency", "id"],
                rows.map { [$0.name, $0.timeZone, $0.currency ?? "–", $0.id.uuidString] })
        }
        return .success
    }

    static func guidance(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "guidance")
        let name = try given.only("VENUE")
        let action = try given.choice("action", ["shift", "reduce"])
        let client = try HubClient()
        let venue = try await find(name, client)
        let path = "/venues/\(venue.id)/guidance?action=\(action)&device=command-line"
        var token: UUID?
        while true {
            let data = try await client.get(path)
            let guidance = try client.read(ElectricityGuidance.self, data, with: EnergyKitJSON.decoder())
            if guidance.guidanceToken != token {
                token = guidance.guidanceToken
                if given.has("json") {
                    Console.out(String(decoding: data, as: UTF8.self))
                } else {
                    show(guidance, venue)
                    await showStale(venue, client)
                }
            }
            guard given.has("follow"), !Console.isAbandoned else { return .success }
            try await Task.sleep(for: .seconds(5))
        }
    }

    private static func show(_ guidance: ElectricityGuidance, _ venue: VenueRow) {
        let style = Date.ISO8601FormatStyle(timeZone: TimeZone(identifier: venue.timeZone) ?? .gmt).year().month().day()
            .dateTimeSeparator(.space).time(includingFractionalSeconds: false)
        Console.out("\(venue.name): guidance \(guidance.guidanceToken) of \(guidance.issuedAt.formatted(style))")
        let rows = guidance.values.map { value in
            [
                value.interval.start.formatted(style), String(format: "%.2f", value.rating),
                FileCommands.bar(value.rating),
                value.pricePerKWh.map { String(format: "%.4f %@", $0, venue.currency ?? "") } ?? "–",
                value.gramsCO2PerKWh.map { String(format: "%.0f g", $0) } ?? "–",
            ]
        }
        Console.table(["from", "rating", "0 best … 1 worst", "per kWh", "CO2 per kWh"], rows)
    }

    /// What is missing or old behind a guidance: the sources that do not answer as they should.
    private static func showStale(_ venue: VenueRow, _ client: HubClient) async {
        guard let data = try? await client.get("/venues/\(venue.id)/sources"),
            let statuses = try? EnergyKitJSON.decoder().decode([SourceStatus].self, from: data)
        else { return }
        for status in statuses {
            guard let since = status.staleSince else { continue }
            let reach =
                status.knownUntil.map { "its figures reach until \($0.formatted(.iso8601))" } ?? "it has no figures"
            let why = status.lastError.map { " (\($0))" } ?? ""
            Console.out("\(status.name) is stale since \(since.formatted(.iso8601)); \(reach)\(why)")
        }
    }

    private static func find(_ text: String, _ client: HubClient) async throws -> VenueRow {
        let venues = try await client.value([VenueRow].self, "/venues")
        if let venue = venues.first(where: { $0.name == text || $0.id == UUID(uuidString: text) }) { return venue }
        throw HubError(
            .notFound, "there is no venue '\(text)'; the hub has \(venues.map(\.name).joined(separator: ", "))")
    }

    static func events(_ arguments: [String]) async throws -> ExitStatus {
        let given = try Arguments(arguments, for: "events")
        try given.none()
        let format = try given.choice("format", ["json", "csv"])
        guard format == "json" || !given.has("json") else {
            throw Arguments.Misuse(description: "--json and --format csv exclude each other; give one of them")
        }
        let limit = try given.whole("limit", in: 1...1_000_000_000) ?? .max
        let since = try since(given)
        var events: [AnyLoadEvent] = []
        if let folder = given["data"] {
            events = try await stored(URL(fileURLWithPath: folder), given["device"], since, limit)
        } else {
            events = try await asked(given, limit)
        }
        if format == "csv" {
            Console.out(EventTable.csv(events).trimmingCharacters(in: .newlines))
        } else {
            try Console.json(events, with: EnergyKitJSON.encoder())
        }
        return .success
    }

    private struct Page: Decodable {
        var events: [AnyLoadEvent]
        var after: String?
    }

    private static func asked(_ given: Arguments, _ limit: Int) async throws -> [AnyLoadEvent] {
        let client = try HubClient()
        var query = ["limit=\(min(limit, 1000))"]
        for name in ["device", "since"] {
            if let value = given[name]?.addingPercentEncoding(withAllowedCharacters: .alphanumerics) {
                query.append("\(name)=\(value)")
            }
        }
        var events: [AnyLoadEvent] = []
        var after: String?
        repeat {
            let cursor = after.map { "&after=\($0)" } ?? ""
            let page = try await client.value(
                Page.self, "/events?" + query.joined(separator: "&") + cursor, with: EnergyKitJSON.decoder())
            events += page.events
            after = page.after
        } while after != nil && events.count < limit
        return Array(events.prefix(limit))
    }

    /// The option `--since` as a time.
    static func since(_ given: Arguments) throws(Arguments.Misuse) -> Date? {
        guard let text = given["since"] else { return nil }
        guard let date = EnergyKitJSON.date(from: text) else {
            throw Arguments.Misuse(description: "--since is a time such as 2026-03-29T00:00:00Z, not '\(text)'")
        }
        return date
    }

    private static func stored(
        _ folder: URL, _ device: String?, _ since: Date?, _ limit: Int
    ) async throws -> [AnyLoadEvent] {
        guard access(folder.appendingPathComponent("offpeak.sqlite").path, R_OK) == 0 else {
            let code = errno
            let remedy =
                switch code {
                case ENOENT: "holds no store; name the folder of 'data:' in the configuration"
                case ENOTDIR: "is no folder; name the folder of 'data:' in the configuration"
                default: "can't be read (\(String(cString: strerror(code)))); run this as the user who runs the hub"
                }
            throw Arguments.Misuse(description: "\(folder.path) \(remedy)")
        }
        let store = try await HubStore(folder: folder, clock: SystemClock(), log: .silent, use: .reader)
        var events: [AnyLoadEvent] = []
        var after: Int64?
        repeat {
            let page = try await store.events(after: after, device: device, since: since, limit: 1000)
            events += page.events.map(\.event)
            after = page.next
        } while after != nil && events.count < limit
        await store.close()
        return Array(events.prefix(limit))
    }
}
