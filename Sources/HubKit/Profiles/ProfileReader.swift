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
        let points = readPoints(reader.optionalNode("points"), at: reader.node, transport)
        let names = Set(points.map(\.name))
        let states = readStates(reader.optionalMapping("states"), points: points)
        let charger = readCharger(reader.optionalMapping("charger"))
        let hvac = readHVAC(reader.optionalMapping("hvac"))
        let commands = readCommands(reader.optionalNode("commands"), points: names)
        let watchdog = readWatchdog(reader.optionalMapping("watchdog"), points: names)
        reader.finish()
        guard let kind, let vendor, let transport else { return nil }
        var profile = DeviceProfile(name: name, kind: kind, vendor: vendor, transport: transport, points: points)
        profile.models = models
        profile.sources = sources
        profile.pollSeconds = pollSeconds
        profile.states = states
        profile.charger = charger
        profile.hvac = hvac
        profile.commands = commands
        profile.watchdog = watchdog
        check(profile, at: root)
        return profile
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
        var transport = ProfileTransport()
        if let port = reader.optionalInt("port", in: 1...65_535) { transport.port = UInt16(port) }
        if let unit = reader.optionalInt("unit", in: 0...255) { transport.unit = UInt8(unit) }
        if let baud = reader.optionalInt("baud", in: 300...115_200) { transport.baud = baud }
        if let framing = readFraming(&reader) { transport.framing = framing }
        let delays = 0...10_000
        if let delay = reader.optionalInt("request_delay_ms", in: delays) { transport.requestDelayMilliseconds = delay }
        if let delay = reader.optionalInt("connect_delay_ms", in: delays) { transport.connectDelayMilliseconds = delay }
        if let time = reader.optionalInt("timeout_ms", in: 50...10_000) { transport.timeoutMilliseconds = time }
        if let count = reader.optionalInt("maximum_registers", in: 1...125) { transport.maximumRegisters = count }
        if let gap = reader.optionalInt("maximum_gap", in: 0...124) { transport.maximumGap = gap }
        return transport
    }

    private func readFraming(_ reader: inout YAMLReader) -> String? {
        guard let framing = reader.optionalString("framing") else { return nil }
        if SerialFraming(framing) != nil { return framing }
        reader.add(
            "'\(framing)' is no framing", hint: "data bits, parity and stop bits, such as 8N1 or \"8E1\"", at: "framing"
        )
        return nil
    }

    private func readPoints(
        _ node: YAMLNode?, at root: YAMLNode, _ transport: ProfileTransport?
    ) -> [ProfilePoint] {
        guard let node else {
            issues.add("missing key 'points'", hint: "name at least one value that can be read", at: root)
            return []
        }
        guard let entries = node.entries else {
            issues.add(
                "'points' should be a mapping of names to registers", hint: "such as {power: {holding: 1020}}", at: node
            )
            return []
        }
        if entries.isEmpty {
            issues.add("'points' is empty", hint: "name at least one value that can be read", at: node)
        }
        return entries.compactMap { entry in
            guard let point = readPoint(entry.key, entry.value) else { return nil }
            let most = transport?.maximumRegisters ?? 125
            if point.type.words > most {
                issues.add(
                    "'\(point.name)' takes \(point.type.words) registers, but the device gives \(most) at once",
                    hint: "raise maximum_registers under 'modbus', or choose a shorter type", at: entry.value)
            }
            return point
        }
    }

    private func readPoint(_ name: String, _ node: YAMLNode) -> ProfilePoint? {
        guard var reader = YAMLReader(node, issues: issues) else { return nil }
        defer { reader.finish() }
        let place = readPlace(&reader, tables: RegisterPlace.Table.allCases)
        let type = place.flatMap { readType(&reader, for: $0) }
        let order = reader.optionalChoice("word_order", WordOrder.self) ?? .big
        let scale = readScale(&reader)
        let offset = reader.optionalDouble("offset", in: -1e9...1e9) ?? 0
        let unavailable = (reader.optionalSequence("unavailable") ?? []).compactMap(readRaw)
        let fallback = reader.optionalDouble("when_unavailable", in: -1e9...1e9)
        let quantity = reader.optionalChoice("quantity", Quantity.self)
        guard let place, let type else {
            // They belong to the place, which is what is wrong.
            for key in ["type", "words"] { _ = reader.optionalNode(key) }
            return nil
        }
        if case .text = type, quantity != nil {
            reader.add("a text is no quantity", hint: "leave out 'quantity', or choose a number's type", at: "quantity")
        }
        return ProfilePoint(
            name: name, place: place, type: type, wordOrder: order, scale: scale, offset: offset,
            unavailable: unavailable, whenUnavailable: fallback, quantity: quantity)
    }

    func readScale(_ reader: inout YAMLReader) -> Double {
        let scale = reader.optionalDouble("scale", in: -1e9...1e9) ?? 1
        guard scale == 0 else { return scale }
        reader.add("a scale of 0 makes every value 0", hint: "give the size of one raw unit, such as 0.1", at: "scale")
        return 1
    }

    /// Raw words are given as a number, or as quoted hexadecimal where they are wider than a signed integer.
    private func readRaw(_ node: YAMLNode) -> UInt64? {
        if let value = node.asInt, value >= 0 { return UInt64(value) }
        if let text = node.asString, text.hasPrefix("0x"), let value = UInt64(text.dropFirst(2), radix: 16) {
            return value
        }
        issues.add(
            "a raw value is a whole number such as 0x8000", hint: "quote it when it has 16 hexadecimal digits", at: node
        )
        return nil
    }

    func readPlace(_ reader: inout YAMLReader, tables: [RegisterPlace.Table]) -> RegisterPlace? {
        var named: [RegisterPlace.Table] = []
        for table in tables where reader.optionalNode(table.rawValue) != nil { named.append(table) }
        guard named.count == 1 else {
            let names = tables.map(\.rawValue).joined(separator: ", ")
            issues.add(
                "exactly one of \(names) should give the address", hint: "such as {holding: 1020}", at: reader.node)
            return nil
        }
        return reader.int(named[0].rawValue, in: 0...65_535).map { RegisterPlace(named[0], UInt16($0)) }
    }

    func readType(_ reader: inout YAMLReader, for place: RegisterPlace) -> RegisterType? {
        let words = reader.optionalInt("words", in: 1...64)
        let isBitTable = place.table == .coil || place.table == .discrete
        let name = reader.optionalString("type") ?? (isBitTable ? "bit" : "u16")
        guard let type = name == "text" ? .text(words: words ?? 1) : RegisterType.names[name] else {
            let known = (RegisterType.names.keys + ["text"]).sorted().joined(separator: ", ")
            reader.add("unknown type '\(name)'", hint: "one of \(known)", at: "type")
            return nil
        }
        if words != nil, name != "text" {
            reader.add("'words' is for text only", hint: "a \(name) takes \(type.words); leave it out", at: "words")
        }
        if isBitTable != (type == .bit) {
            let hint = isBitTable ? "leave out 'type'" : "use u16, and compare it with 0 or 1"
            reader.add("a \(place.table.rawValue) is no \(name)", hint: hint, at: "type")
            return nil
        }
        if Int(place.address) + type.words > 65_536 {
            reader.add(
                "a \(name) at \(place.address) passes the last address", hint: "the last is 65535",
                at: place.table.rawValue)
        }
        return type
    }
}
