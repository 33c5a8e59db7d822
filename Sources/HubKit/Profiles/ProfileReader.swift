import YAML

/// Reads a profile from its YAML form; every fault is reported with its place, not only the first.
struct ProfileReader {
    let name: String
    let issues: YAMLIssues

    func read(_ root: YAMLNode) -> DeviceProfile? {
        guard var reader = YAMLReader(root, issues: issues) else { return nil }
        let kind = reader.choice("kind", DeviceKind.self)
        let vendor = reader.string("vendor")
        let models = strings(reader.optionalSequence("models"))
        let sources = strings(reader.optionalSequence("sources"))
        let transport = readTransport(reader.mapping("modbus"))
        let pollSeconds = reader.optionalDouble("poll_seconds", in: 0.1...3600) ?? 10
        let points = readPoints(reader.optionalNode("points"), at: reader.node)
        let names = Set(points.map(\.name))
        let states = readStates(reader.optionalMapping("states"), points: names)
        let charger = readCharger(reader.optionalMapping("charger"))
        let hvac = readHVAC(reader.optionalMapping("hvac"))
        let commands = readCommands(reader.optionalNode("commands"), points: names)
        let watchdog = readWatchdog(reader.optionalMapping("watchdog"), points: names)
        reader.finish()
        guard let kind, let vendor, let transport else { return nil }
        if kind == .ev, charger == nil {
            issues.add("a charger's profile needs 'charger'", hint: "add charger: {minimum_amps: 6, maximum_amps: 16, phases: [3]}", at: root)
        }
        return DeviceProfile(
            name: name, kind: kind, vendor: vendor, models: models, sources: sources, transport: transport,
            pollSeconds: pollSeconds, points: points, states: states, charger: charger, hvac: hvac, commands: commands,
            watchdog: watchdog)
    }

    private func strings(_ nodes: [YAMLNode]?) -> [String] {
        (nodes ?? []).compactMap { node in
            if node.asString == nil { issues.add("this should be text", hint: "put it in quotes", at: node) }
            return node.asString
        }
    }

    private func readTransport(_ reader: YAMLReader?) -> ProfileTransport? {
        guard var reader else { return nil }
        defer { reader.finish() }
        return ProfileTransport(
            port: UInt16(reader.optionalInt("port", in: 1...65535) ?? 502),
            unit: UInt8(reader.optionalInt("unit", in: 0...255) ?? 1),
            baud: reader.optionalInt("baud", in: 300...115_200) ?? 9600,
            framing: reader.optionalString("framing") ?? "8N1",
            requestDelayMilliseconds: reader.optionalInt("request_delay_ms", in: 0...10_000) ?? 0,
            connectDelayMilliseconds: reader.optionalInt("connect_delay_ms", in: 0...10_000) ?? 0,
            timeoutMilliseconds: reader.optionalInt("timeout_ms", in: 50...10_000) ?? 1000,
            maximumRegisters: reader.optionalInt("maximum_registers", in: 1...125) ?? 100,
            maximumGap: reader.optionalInt("maximum_gap", in: 0...124) ?? 8)
    }

    private func readPoints(_ node: YAMLNode?, at root: YAMLNode) -> [ProfilePoint] {
        guard let node else {
            issues.add("missing key 'points'", hint: "name at least one value that can be read", at: root)
            return []
        }
        guard let entries = node.entries else {
            issues.add("'points' should be a mapping of names to registers", hint: nil, at: node)
            return []
        }
        return entries.compactMap { entry in
            guard var reader = YAMLReader(entry.value, issues: issues) else { return nil }
            defer { reader.finish() }
            guard let place = readPlace(&reader, tables: RegisterPlace.Table.allCases) else { return nil }
            let type = readType(&reader, for: place)
            let order = reader.optionalChoice("word_order", WordOrder.self) ?? .big
            let scale = reader.optionalDouble("scale", in: -1e9...1e9) ?? 1
            let offset = reader.optionalDouble("offset", in: -1e9...1e9) ?? 0
            let unavailable = (reader.optionalSequence("unavailable") ?? []).compactMap(readRaw)
            let fallback = reader.optionalDouble("when_unavailable", in: -1e9...1e9)
            let quantity = reader.optionalChoice("quantity", Quantity.self)
            guard let type else { return nil }
            return ProfilePoint(
                name: entry.key, place: place, type: type, wordOrder: order, scale: scale, offset: offset,
                unavailable: unavailable, whenUnavailable: fallback, quantity: quantity)
        }
    }

    /// Raw words are given as a number, or as quoted hexadecimal where they are wider than a signed integer.
    private func readRaw(_ node: YAMLNode) -> UInt64? {
        if let value = node.asInt, value >= 0 { return UInt64(value) }
        if let text = node.asString, text.hasPrefix("0x"), let value = UInt64(text.dropFirst(2), radix: 16) { return value }
        issues.add("a raw value is a whole number such as 0x8000", hint: "quote it when it has 16 hexadecimal digits", at: node)
        return nil
    }

    func readPlace(_ reader: inout YAMLReader, tables: [RegisterPlace.Table]) -> RegisterPlace? {
        let found = tables.compactMap { table in
            reader.optionalInt(table.rawValue, in: 0...65535).map { RegisterPlace(table, UInt16($0)) }
        }
        guard found.count == 1 else {
            let names = tables.map(\.rawValue).joined(separator: ", ")
            issues.add("exactly one of \(names) should give the address", hint: "such as {holding: 1020}", at: reader.node)
            return nil
        }
        return found[0]
    }

    func readType(_ reader: inout YAMLReader, for place: RegisterPlace) -> RegisterType? {
        let words = reader.optionalInt("words", in: 1...64)
        guard let name = reader.optionalString("type") else {
            return place.table == .coil || place.table == .discrete ? .bit : .u16
        }
        if name == "text" { return .text(words: words ?? 1) }
        if let type = RegisterType.names[name] { return type }
        let known = (RegisterType.names.keys + ["text"]).sorted().joined(separator: ", ")
        issues.add("unknown type '\(name)'", hint: "one of \(known)", at: reader.node)
        return nil
    }
}
