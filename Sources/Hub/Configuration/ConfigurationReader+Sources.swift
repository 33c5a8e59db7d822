import Foundation
import Guidance
import HubKit
import YAML

extension ConfigurationReader {
    /// The sources that homes can name.
    func readSources(_ nodes: [YAMLNode]?) -> [SourceConfiguration] {
        var sources: [SourceConfiguration] = []
        for node in nodes ?? [] {
            guard var reader = YAMLReader(node, issues: issues) else { continue }
            let name = label(&reader, "name", isRequired: true)
            let kind = reader.optionalChoice("kind", SourceSettings.Side.self)
            let source = readSource(&reader, name: name ?? "", side: kind, location: nil)
            reader.finish()
            guard let source, name != nil else { continue }
            if sources.contains(where: { $0.name == source.name }) {
                issues.add("two sources are called '\(source.name)'", hint: "rename one", at: node)
            }
            sources.append(source)
        }
        return sources
    }

    /// The sources of one side of a home's guidance: one mapping, or a list of them in order of preference.
    ///
    /// Each names a source of `sources` with `source`, or describes one of its own.
    func readChoices(
        _ node: YAMLNode?, _ side: SourceSettings.Side, of venue: VenueConfiguration,
        into sources: inout [SourceConfiguration]
    ) -> [SourceChoice] {
        guard let node, !node.isNull else { return [] }
        var choices: [SourceChoice] = []
        for (index, element) in (node.elements ?? [node]).enumerated() {
            guard var reader = YAMLReader(element, issues: issues) else { continue }
            let names = readNames(&reader)
            let isOwn = names.isEmpty
            let own = "\(venue.name) \(side.rawValue)" + (index == 0 ? "" : " \(index + 1)")
            let source = isOwn ? readSource(&reader, name: own, side: side, location: venue.location) : nil
            let composition = side == .price ? readComposition(&reader) : PriceComposition()
            reader.finish()
            if let source { sources.append(source) }
            for name in source.map({ [$0.name] }) ?? names {
                guard let found = sources.first(where: { $0.name == name }) else {
                    let known = sources.map(\.name).joined(separator: ", ")
                    issues.add(
                        "there is no source '\(YAMLNode.shown(name))'",
                        hint: known.isEmpty ? "describe it under sources:" : "there are \(known)", at: element)
                    continue
                }
                if found.settings.side != side {
                    issues.add(
                        "the source '\(name)' gives \(found.settings.side.rawValue), not \(side.rawValue)",
                        hint: "use it for \(found.settings.side.rawValue)", at: element)
                }
                choices.append(SourceChoice(source: name, composition: composition))
            }
        }
        return choices
    }

    private func readNames(_ reader: inout YAMLReader) -> [String] {
        guard let node = reader.optionalNode("source"), !node.isNull else { return [] }
        let nodes = node.elements ?? [node]
        return nodes.compactMap { $0.scalar?.text }
    }

    func readComposition(_ reader: inout YAMLReader) -> PriceComposition {
        PriceComposition(
            addPerKWh: reader.optionalDouble("add_per_kwh", in: -100...100) ?? 0,
            factor: reader.optionalDouble("factor", in: 0.01...10) ?? 1)
    }

    /// One source's description; nil, with the fault noted, where it can't be used.
    private func readSource(
        _ reader: inout YAMLReader, name: String, side: SourceSettings.Side?, location: Location?
    ) -> SourceConfiguration? {
        let node = reader.node
        let before = issues.errors.count
        let file = path(&reader, "file")
        let topic = text(&reader, "topic")
        let providerName = text(&reader, "provider")
        let format = text(&reader, "format")
        guard [file?.path, topic, providerName].compactMap(\.self).count == 1 else {
            issues.add(
                "a source is a provider, a file or a topic, just one of them",
                hint: "say 'provider: NAME', 'file: PATH' or 'topic: TOPIC'; 'offpeak sources' lists providers",
                at: node)
            skip(&reader)
            return nil
        }
        let provider = providerName.flatMap { SourceProviders.named($0) }
        if let providerName, provider == nil {
            let near = NearestWord.match(providerName, among: SourceProviders.all.map(\.name))
            issues.add(
                "there is no provider '\(YAMLNode.shown(providerName))'",
                hint: near.map { "did you mean '\($0)'?" } ?? "'offpeak sources' lists them",
                at: node["provider"] ?? node)
            skip(&reader)
            return nil
        }
        guard let side = side ?? (provider?.facts.sides.count == 1 ? provider?.facts.sides.first : nil) else {
            issues.add("the source does not say what it gives", hint: "add kind: price, carbon or solar", at: node)
            skip(&reader)
            return nil
        }
        var settings = SourceSettings(side: side)
        readSettings(&reader, into: &settings, location: location)
        let key = readKey(&reader)
        let every = reader.optionalDouble("every_minutes", in: 1...1440)
        let daily = reader.optionalInt("requests_per_day", in: 1...100_000)
        let way: SourceConfiguration.Way
        if let provider {
            way = .provider(provider)
        } else if let decoder = decoder(format, settings, at: node) {
            way = file.map { SourceConfiguration.Way.file($0, decoder) } ?? .topic(topic ?? "", decoder)
        } else {
            return nil
        }
        let source = SourceConfiguration(
            name: name, way: way, settings: settings, key: key, everySeconds: every.map { $0 * 60 },
            requestsADay: daily, place: node)
        if issues.errors.count == before { check(source, at: node) }
        return source
    }

    /// What a provider needs, and does not know, said before the hub starts.
    private func check(_ source: SourceConfiguration, at node: YAMLNode) {
        guard let spec = source.spec else { return }
        do {
            try spec.check(now: Date(timeIntervalSince1970: 1_767_225_600))
        } catch {
            issues.add(error.what, hint: error.remedy, at: node)
        }
        if case .provider(let provider) = source.way, source.key != nil, provider.facts.key == .none {
            issues.add("\(provider.name) takes no key", hint: "remove it", at: node["key_file"] ?? node)
        }
    }

    private func decoder(
        _ format: String?, _ settings: SourceSettings, at node: YAMLNode
    ) -> (any PayloadDecoder)? {
        if let shape = settings.shape { return JSONSeriesDecoder(name: "json", shape: shape, side: settings.side) }
        do {
            return try PayloadDecoders.named(format ?? "file")
        } catch {
            issues.add(error.what, hint: error.remedy, at: node["format"] ?? node)
            return nil
        }
    }

    /// A topic is nothing without a broker.
    func checkTopics(_ configuration: HubConfiguration, at root: YAMLNode) {
        let topics = configuration.sources.filter { if case .topic = $0.way { true } else { false } }
        guard let first = topics.first, configuration.mqtt == nil, root["mqtt"] == nil else { return }
        issues.add(
            "the source '\(first.name)' is a topic, but there is no broker", hint: "add mqtt: {host: 127.0.0.1}",
            at: root)
    }

    /// Reads the keys nobody would ask for any more, so that they are not called unknown beside the real fault.
    private func skip(_ reader: inout YAMLReader) {
        for key in reader.node.keys { _ = reader.optionalNode(key) }
    }
}
