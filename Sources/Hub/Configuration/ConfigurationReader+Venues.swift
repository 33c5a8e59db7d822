import Foundation
import Guidance
import HubKit
import YAML

extension ConfigurationReader {
    func readVenues(_ nodes: [YAMLNode]?, at root: YAMLNode) -> [VenueConfiguration] {
        guard let nodes, !nodes.isEmpty else {
            issues.add("there is no venue", hint: "add venues: [{name: Home, time_zone: Europe/Berlin}]", at: root)
            return []
        }
        var venues: [VenueConfiguration] = []
        for node in nodes {
            guard let venue = readVenue(node) else { continue }
            if venues.contains(where: { $0.name == venue.name }) {
                issues.add("two venues are called '\(venue.name)'", hint: "rename one", at: node)
            }
            for (key, path) in [("id", \VenueConfiguration.id), ("home_id", \VenueConfiguration.homeID)] {
                guard let id = venue[keyPath: path],
                    let other = venues.first(where: { $0[keyPath: path] == id })
                else { continue }
                issues.add(
                    "the venues '\(other.name)' and '\(venue.name)' have the same \(key)",
                    hint: "give each its own", at: node[key] ?? node)
            }
            venues.append(venue)
        }
        return venues
    }

    private func readVenue(_ node: YAMLNode) -> VenueConfiguration? {
        guard var reader = YAMLReader(node, issues: issues) else { return nil }
        defer { reader.finish() }
        let name = reader.string("name")
        let zone = readZone(&reader)
        var venue = VenueConfiguration(name: name ?? "", timeZone: zone ?? .gmt)
        venue.id = readUUID(&reader, "id")
        venue.homeID = readUUID(&reader, "home_id")
        venue.hasStrictTokens = reader.optionalBool("strict_tokens") ?? false
        venue.currency = readCurrency(&reader)
        venue.location = readLocation(reader.optionalMapping("location"))
        venue.connection = readConnection(reader.optionalMapping("connection"))
        readGuidance(reader.optionalMapping("guidance"), into: &venue)
        venue.ratePlan = readRatePlan(&reader)
        return name == nil || zone == nil ? nil : venue
    }

    private func readZone(_ reader: inout YAMLReader) -> TimeZone? {
        guard let text = reader.string("time_zone") else { return nil }
        if let zone = TimeZone(identifier: text), text.contains("/") || text == "UTC" { return zone }
        issues.add(
            "'\(text)' is not a time zone", hint: "use a name of the IANA list such as Europe/Berlin",
            at: reader.node["time_zone"] ?? reader.node)
        return nil
    }

    private func readUUID(_ reader: inout YAMLReader, _ key: String) -> UUID? {
        guard let text = reader.optionalString(key) else { return nil }
        if let id = UUID(uuidString: text) { return id }
        issues.add(
            "'\(text)' is not a UUID", hint: "such as 6F1E…; leave it out and the hub makes one",
            at: reader.node[key] ?? reader.node)
        return nil
    }

    private func readCurrency(_ reader: inout YAMLReader) -> String? {
        guard let text = reader.optionalString("currency") else { return nil }
        if text.count == 3, text.allSatisfy({ ("A"..."Z").contains($0) }) { return text }
        issues.add(
            "'\(text)' is not a currency", hint: "use the three letters of ISO 4217, such as EUR",
            at: reader.node["currency"] ?? reader.node)
        return nil
    }

    private func readLocation(_ reader: YAMLReader?) -> Location? {
        guard var reader else { return nil }
        defer { reader.finish() }
        guard let latitude = reader.double("latitude", in: -90...90),
            let longitude = reader.double("longitude", in: -180...180)
        else { return nil }
        return Location(latitude: latitude, longitude: longitude)
    }

    private func readConnection(_ reader: YAMLReader?) -> GridConnection? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let phases = reader.optionalInt("phases", in: 1...3) ?? 3
        let amps = reader.double("amps", in: 1...1000)
        let export = reader.optionalDouble("export_watts", in: 0...1e6)
        return amps.map { GridConnection(phases: phases, amps: $0, exportWatts: export) }
    }

    private func readGuidance(_ reader: YAMLReader?, into venue: inout VenueConfiguration) {
        guard var reader else { return }
        defer { reader.finish() }
        if var carbon = reader.optionalMapping("carbon") {
            venue.carbonFile = readFile(&carbon)
            carbon.finish()
        }
        if var price = reader.optionalMapping("price") {
            venue.priceFile = readFile(&price)
            venue.priceComposition = PriceComposition(
                addPerKWh: price.optionalDouble("add_per_kwh", in: -100...100) ?? 0,
                factor: price.optionalDouble("factor", in: 0...10) ?? 1)
            price.finish()
        }
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

    private func readFile(_ reader: inout YAMLReader) -> URL? {
        guard let url = path(&reader, "file") else {
            _ = reader.string("file")
            return nil
        }
        if !FileManager.default.isReadableFile(atPath: url.path) {
            issues.add(
                "\(url.path) can't be read", hint: "name a file with a series: {source, kind, unit, slots}",
                at: reader.node["file"] ?? reader.node)
        }
        return url
    }

    /// A rate plan is decoded by its own type, and then says itself what is wrong with it.
    private func readRatePlan(_ reader: inout YAMLReader) -> RatePlan? {
        guard let node = reader.optionalNode("rate_plan"), !node.isNull else { return nil }
        do {
            let plan = try YAMLDecoder(rejectsUnknownKeys: true).decode(RatePlan.self, from: node)
            for fault in plan.validate() { issues.add(fault, hint: nil, at: node) }
            return plan
        } catch {
            issues.add(error)
            return nil
        }
    }
}
