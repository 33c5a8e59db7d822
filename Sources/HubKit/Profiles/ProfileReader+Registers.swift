import YAML

/// Addresses, types and raw numbers.
extension ProfileReader {
    func readPlace(_ reader: inout YAMLReader, tables: [RegisterPlace.Table]) -> RegisterPlace? {
        var named: [RegisterPlace.Table] = []
        for table in tables where reader.optionalNode(table.rawValue) != nil { named.append(table) }
        guard named.count == 1 else {
            let names = tables.map(\.rawValue).joined(separator: ", ")
            issues.add(
                "exactly one of \(names) should give the address", hint: "such as {holding: 1020}", at: reader.node)
            return nil
        }
        guard let address = reader.int(named[0].rawValue, in: 0...65_535) else { return nil }
        guard let shifted = UInt16(exactly: address + addressOffset) else {
            reader.add(
                "\(address) with address_offset \(addressOffset) is no address",
                hint: "both together are 0 to 65535", at: named[0].rawValue)
            return nil
        }
        return RegisterPlace(named[0], shifted)
    }

    /// The type of a value; where its place is at fault, only its name is looked at.
    func readType(_ reader: inout YAMLReader, for place: RegisterPlace?) -> RegisterType? {
        let words = reader.optionalInt("words", in: 1...64)
        let isBitTable = place?.table == .coil || place?.table == .discrete
        let name = reader.optionalString("type") ?? (isBitTable ? "bit" : "u16")
        guard let type = name == "text" ? .text(words: words ?? 1) : RegisterType.names[name] else {
            let known = (RegisterType.names.keys + ["text"]).sorted().joined(separator: ", ")
            reader.add("unknown type '\(name)'", hint: "one of \(known)", at: "type")
            return nil
        }
        guard let place else { return type }
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

    /// A factor as a number, or as a fraction such as `1/256` where no decimal is exact.
    func readScale(_ reader: inout YAMLReader) -> Double {
        if let text = reader.optionalNode("scale")?.asString {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
                .map { Double($0.filter { $0 != " " }) }
            if parts.count == 2, let top = parts[0], let bottom = parts[1], top != 0, bottom != 0,
                (top / bottom).isFinite
            {
                return top / bottom
            }
        }
        let scale = reader.optionalDouble("scale", in: -1e9...1e9) ?? 1
        guard scale == 0 else { return scale }
        reader.add("a scale of 0 makes every value 0", hint: "give the size of one raw unit, such as 0.1", at: "scale")
        return 1
    }

    func readBits(_ node: YAMLNode?, of type: RegisterType) -> ClosedRange<Int>? {
        guard let node else { return nil }
        let most: Int
        switch type {
        case .u16, .u32, .u64: most = type.words * 16 - 1
        case .i16, .i32, .i64, .f32, .f64, .text, .bit:
            issues.add("only whole numbers without a sign have bits", hint: "choose u16, u32 or u64", at: node)
            return nil
        }
        let ends = (node.elements ?? [node]).map(\.asInt)
        if (1...2).contains(ends.count), let low = ends[0], let high = ends[ends.count - 1], low <= high,
            (0...most).contains(low), (0...most).contains(high)
        {
            return low...high
        }
        issues.add(
            "these are no bits of the value",
            hint: "one bit, or the lowest and the highest as in [8, 14]; 0 to \(most)",
            at: node)
        return nil
    }

    /// Raw words are given as a number, or as quoted hexadecimal where they are wider than a signed integer.
    func readRaw(_ node: YAMLNode) -> UInt64? {
        if let value = node.asInt, value >= 0 { return UInt64(value) }
        if let text = node.asString, text.hasPrefix("0x"), let value = UInt64(text.dropFirst(2), radix: 16) {
            return value
        }
        issues.add(
            "a raw value is a whole number such as 0x8000", hint: "quote it when it has 16 hexadecimal digits", at: node
        )
        return nil
    }

    func readValues(_ node: YAMLNode?) -> [UInt64: PointValue] {
        guard let node else { return [:] }
        guard let entries = node.entries, !entries.isEmpty else {
            issues.add("'values' should be a mapping of codes to their meaning", hint: "such as {0: idle}", at: node)
            return [:]
        }
        var values: [UInt64: PointValue] = [:]
        for entry in entries {
            let key = entry.key.hasPrefix("0x") ? UInt64(entry.key.dropFirst(2), radix: 16) : UInt64(entry.key)
            let value = entry.value.asDouble.map { PointValue.number($0) } ?? entry.value.asString.map { .text($0) }
            guard let key, let value else {
                issues.add("this is no code with its meaning", hint: "such as 0: idle", at: entry.value)
                continue
            }
            values[key] = value
        }
        if Set(values.values.map { $0.number == nil }).count > 1 {
            issues.add("'values' has numbers and texts", hint: "use one sort for all", at: node)
        }
        return values
    }

    func readRange(_ node: YAMLNode?) -> ClosedRange<Double>? {
        guard let node else { return nil }
        if let ends = node.elements?.map(\.asDouble), ends.count == 2, let low = ends[0], let high = ends[1],
            low <= high
        {
            return low...high
        }
        issues.add("this is no range", hint: "the lowest and the highest value, as in [0, 100]", at: node)
        return nil
    }
}
