import Control
import Foundation
import Guidance
import HubKit
import YAML

extension ConfigurationReader {
    func readVenues(
        _ nodes: [YAMLNode]?, at root: YAMLNode, sources: inout [SourceConfiguration]
    ) -> [VenueConfiguration] {
        guard let nodes, !nodes.isEmpty else {
            if !root.isIncomplete, !issues.hasError(at: "venues", in: root.file), root["venues"]?.isUnreadable != true {
                issues.add(
                    "there is no venue", hint: "add venues: [{name: Home, time_zone: Europe/Berlin}]",
                    at: root["venues"] ?? root)
            }
            return []
        }
        var venues: [VenueConfiguration] = []
        for node in nodes {
            let venue = readVenue(node, &sources)
            if let first = venues.first(where: { !$0.name.isEmpty && $0.name == venue.name }) {
                issues.add(
                    "two venues are called '\(YAMLNode.shown(venue.name))'",
                    hint: "rename one; the first is on line \(first.place?.line ?? 0)", at: node["name"] ?? node)
            }
            if let id = venue.id, let first = venues.first(where: { $0.id == id }) {
                issues.add(
                    "two venues have this identifier",
                    hint: "remove it here; the first is on line \(first.place?.line ?? 0)", at: node["id"] ?? node)
            }
            if let id = venue.homeID, let first = venues.first(where: { $0.homeID == id }) {
                issues.add(
                    "two venues have this home_id",
                    hint: "give each its own; the first is on line \(first.place?.line ?? 0)",
                    at: node["home_id"] ?? node)
            }
            venues.append(venue)
        }
        return venues
    }

    /// A venue; with an empty name where that can't be read.
    private func readVenue(_ node: YAMLNode, _ sources: inout [SourceConfiguration]) -> VenueConfiguration {
        var venue = VenueConfiguration(name: "", timeZone: .gmt)
        venue.place = node
        guard var reader = YAMLReader(node, issues: issues) else { return venue }
        defer { reader.finish() }
        venue.name = label(&reader, "name", isRequired: true) ?? ""
        venue.timeZone = readZone(&reader) ?? .gmt
        venue.id = readUUID(&reader, "id")
        venue.homeID = readUUID(&reader, "home_id")
        venue.hasStrictTokens = reader.optionalBool("strict_tokens") ?? false
        venue.currency = readCurrency(&reader)
        venue.location = readLocation(reader.optionalMapping("location"))
        venue.connection = readConnection(reader.optionalMapping("connection"))
        venue.externalLimit = readExternalLimit(reader.optionalMapping("external_limit"))
        venue.presence = readPresence(&reader)
        readGuidance(reader.optionalMapping("guidance"), into: &venue, &sources)
        venue.ratePlan = readRatePlan(reader.optionalMapping("rate_plan"), currency: venue.currency)
        return venue
    }

    private func readZone(_ reader: inout YAMLReader) -> TimeZone? {
        guard let text = text(&reader, "time_zone", isRequired: true) else { return nil }
        if let zone = TimeZone(identifier: text), text.contains("/") || text == "UTC" { return zone }
        let known = TimeZone.knownTimeZoneIdentifiers
        let city = text.replacing(" ", with: "_").lowercased()
        let meant =
            known.first { $0.lowercased().split(separator: "/").last.map { $0 == city } ?? false }
            ?? NearestWord.match(text, among: known)
        let advice = meant.map { "did you mean '\($0)'? Use" } ?? "use"
        reader.add(
            "'\(YAMLNode.shown(text))' is not a time zone",
            hint: "\(advice) a name of the IANA list such as Europe/Berlin", at: "time_zone")
        return nil
    }

    private func readUUID(_ reader: inout YAMLReader, _ key: String) -> UUID? {
        guard let text = reader.optionalString(key) else { return nil }
        if let id = UUID(uuidString: text) { return id }
        issues.add(
            "'\(YAMLNode.shown(text))' is not a UUID", hint: "remove the line, and the hub makes one",
            at: reader.place(key))
        return nil
    }

    private func readCurrency(_ reader: inout YAMLReader) -> String? {
        guard let text = reader.optionalString("currency") else { return nil }
        if text.count == 3, text.allSatisfy({ ("A"..."Z").contains($0) }) { return text }
        issues.add(
            "'\(YAMLNode.shown(text))' is not a currency", hint: "use the three letters of ISO 4217, such as EUR",
            at: reader.place("currency"))
        return nil
    }

    private func readLocation(_ reader: YAMLReader?) -> Location? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let north = reader.double("latitude", in: -90...90)
        let east = reader.double("longitude", in: -180...180)
        guard let latitude = north, let longitude = east else { return nil }
        return Location(latitude: latitude, longitude: longitude)
    }

    private func readExternalLimit(_ reader: YAMLReader?) -> ExternalLimitRules? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let watts = reader.double("fail_safe_watts", in: 0...1e6)
        let heartbeat = reader.optionalDouble("heartbeat_seconds", in: 10...86_400) ?? 120
        return watts.map { ExternalLimitRules(failSafeWatts: $0, heartbeatSeconds: heartbeat) }
    }

    private func readPresence(_ reader: inout YAMLReader) -> PresenceSource? {
        let topic = topic(&reader, "presence_topic")
        let path = path(of: "presence_topic", &reader, "presence_path")
        let hours = reader.optionalDouble("presence_hours", in: 0.1...744)
        if hours != nil, reader.node["presence_topic"] == nil {
            reader.add("the hours are for a topic", hint: "add 'presence_topic'", at: "presence_hours")
        }
        return topic.map { PresenceSource(topic: $0, path: path, seconds: (hours ?? 24) * 3600) }
    }

    private func readConnection(_ reader: YAMLReader?) -> GridConnection? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let phases = reader.optionalInt("phases", in: 1...3) ?? 3
        let amps = reader.double("amps", in: 1...1000)
        let export = reader.optionalDouble("export_watts", in: 0...1e6)
        return amps.map { GridConnection(phases: phases, amps: $0, exportWatts: export) }
    }

    private func readGuidance(
        _ reader: YAMLReader?, into venue: inout VenueConfiguration, _ sources: inout [SourceConfiguration]
    ) {
        guard var reader else { return }
        defer { reader.finish() }
        if isPlainFile(reader.node["carbon"]), var carbon = reader.optionalMapping("carbon") {
            venue.carbonFile = readFile(&carbon)
            carbon.finish()
        } else {
            venue.choices.carbon = readChoices(reader.optionalNode("carbon"), .carbon, of: venue, into: &sources)
        }
        if isPlainFile(reader.node["price"]), var price = reader.optionalMapping("price") {
            venue.priceFile = readFile(&price)
            venue.priceComposition = readComposition(&price)
            price.finish()
        } else {
            venue.choices.price = readChoices(reader.optionalNode("price"), .price, of: venue, into: &sources)
        }
        venue.choices.solar = readChoices(reader.optionalNode("solar"), .solar, of: venue, into: &sources)
        venue.baseLoadWatts = reader.optionalDouble("base_load_watts", in: 0...1e6)
        if var weights = reader.optionalMapping("weights") {
            let price = weights.double("price", in: 0...1000) ?? 1
            let carbon = weights.double("carbon", in: 0...1000) ?? 1
            weights.finish()
            if price + carbon == 0 {
                issues.add(
                    "price and carbon can't both weigh nothing", hint: "give one of them a weight above 0",
                    at: weights.node)
            } else {
                venue.weights = RatingWeights(price: price, carbon: carbon)
            }
        }
        venue.carbonPricePerKg = reader.optionalDouble("carbon_price_per_kg", in: 0...1000) ?? 0
    }

    /// Whether a side is a file in the hub's own form, or nothing that could be anything else.
    private func isPlainFile(_ node: YAMLNode?) -> Bool {
        guard let node, node.elements == nil else { return false }
        return ["provider", "source", "topic", "format", "unit"].allSatisfy { node[$0] == nil }
    }

    /// The path of a series; `ConfigurationCheck` looks into it.
    private func readFile(_ reader: inout YAMLReader) -> URL? {
        path(&reader, "file", isRequired: true)
    }
}
