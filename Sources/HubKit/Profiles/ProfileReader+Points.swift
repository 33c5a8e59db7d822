import YAML

extension ProfileReader {
    func readPoints(
        _ node: YAMLNode?, at root: YAMLNode, _ transport: ProfileTransport?, _ sunspecPoints: [SunSpecPoint],
        _ fieldPoints: [FieldPoint]
    ) -> ([ProfilePoint], [ProfileSum]) {
        guard let node else {
            issues.add("missing key 'points'", hint: "name at least one value that can be read", at: root)
            return ([], [])
        }
        guard let entries = node.entries else {
            issues.add(
                "'points' should be a mapping of names to registers", hint: "such as {power: {holding: 1020}}", at: node
            )
            return ([], [])
        }
        if entries.isEmpty {
            issues.add("'points' is empty", hint: "name at least one value that can be read", at: node)
        }
        let registers =
            carrier == .modbus ? entries.filter { $0.value["sum"] == nil && $0.value["model"] == nil } : []
        let points = registers.compactMap { entry -> ProfilePoint? in
            guard let point = readPoint(entry.key, entry.value) else { return nil }
            checkLength(of: point, transport, at: entry.value)
            return point
        }
        let faulty = registers.map(\.key).filter { name in !points.contains { $0.name == name } }
        for point in points where !faulty.contains(point.scalePoint ?? "") {
            checkScalePoint(of: point, among: points, transport, at: node[point.name] ?? node)
        }
        var sums: [ProfileSum] = []
        // A sum names points and sums before it, whether they could be read or not.
        let others = entries.filter { $0.value["sum"] == nil }
        for entry in entries where entry.value["sum"] != nil {
            let known = KnownPoints(points, sums, sunspecPoints, fieldPoints, faulty: others)
            guard let sum = readSum(entry.key, entry.value, known) else { continue }
            sums.append(sum)
        }
        return (points, sums)
    }

    private func readPoint(_ name: String, _ node: YAMLNode) -> ProfilePoint? {
        guard var reader = YAMLReader(node, issues: issues) else { return nil }
        defer { reader.finish() }
        let place = readPlace(&reader, tables: RegisterPlace.Table.allCases)
        let type = readType(&reader, for: place)
        let order = reader.optionalChoice("word_order", WordOrder.self) ?? .big
        let byteOrder = reader.optionalChoice("byte_order", ByteOrder.self) ?? .big
        let bits = type.flatMap { readBits(reader.optionalNode("bits"), of: $0) }
        let scalePoint = reader.optionalString("scale_point")
        var point = ProfilePoint(
            name: name, place: place ?? RegisterPlace(.holding, 0), type: type ?? .u16, wordOrder: order)
        point.byteOrder = byteOrder
        point.bits = bits
        point.scalePoint = scalePoint
        readMeaning(&reader, of: &point)
        if let type { checkUnavailable(of: point, type, reader) }
        if isSunSpec, let place, place.table != .holding {
            reader.add(
                "a SunSpec device has its values in holding registers",
                hint: "write 'holding', or remove 'protocol: sunspec'", at: place.table.rawValue)
        }
        guard place != nil, type != nil else {
            // They belong to the type, which is what is wrong.
            _ = reader.optionalNode("bits")
            return nil
        }
        return point
    }

    /// A raw value that is longer than the register never comes, and the real one would be taken for a measurement.
    private func checkUnavailable(of point: ProfilePoint, _ type: RegisterType, _ reader: YAMLReader) {
        guard type.wholeNumbers != nil || type == .f32 || type == .f64, type.words < 4 else { return }
        let most = type == .bit ? 1 : UInt64(1) << (16 * type.words) - 1
        for raw in point.unavailable where raw > most {
            reader.add(
                "0x\(String(raw, radix: 16, uppercase: true)) never comes from \(16 * type.words) bits",
                hint: "at most 0x\(String(most, radix: 16, uppercase: true))", at: "unavailable")
        }
    }

    /// What the number of a point means, wherever it is kept.
    func readMeaning(_ reader: inout YAMLReader, of point: inout ProfilePoint) {
        point.values = readValues(reader.optionalNode("values"))
        point.unavailable = (reader.optionalSequence("unavailable") ?? []).compactMap(readRaw)
        readNumbers(&reader, of: &point)
    }

    /// What becomes of the number of a point, whatever it came from.
    func readNumbers(_ reader: inout YAMLReader, of point: inout ProfilePoint) {
        point.scale = readScale(&reader)
        point.offset = reader.optionalDouble("offset", in: -1e9...1e9) ?? 0
        point.whenUnavailable = reader.optionalDouble("when_unavailable", in: -1e9...1e9)
        point.valid = readRange(reader.optionalNode("valid"))
        point.quantity = reader.optionalChoice("quantity", Quantity.self)
        point.isEstimated = reader.optionalBool("estimated") ?? false
        if point.isText, point.quantity != nil {
            reader.add("a text is no quantity", hint: "leave out 'quantity', or choose a number's type", at: "quantity")
        }
    }

    private func checkLength(of point: ProfilePoint, _ transport: ProfileTransport?, at node: YAMLNode) {
        let most = transport?.maximumRegisters ?? 125
        guard point.type.words > most else { return }
        issues.add(
            "'\(point.name)' takes \(point.type.words) registers, but the device gives \(most) at once",
            hint: "raise maximum_registers under 'modbus', or choose a shorter type", at: node)
    }

    /// A scale factor that is read apart from its value can belong to another value (it changes at dawn).
    private func checkScalePoint(
        of point: ProfilePoint, among points: [ProfilePoint], _ transport: ProfileTransport?, at node: YAMLNode
    ) {
        guard let name = point.scalePoint else { return }
        let place = node["scale_point"] ?? node
        guard let scale = points.first(where: { $0.name == name }), name != point.name else {
            issues.add("there is no point '\(name)'", hint: "'scale_point' names a register of this profile", at: place)
            return
        }
        if scale.isText || scale.scalePoint != nil {
            issues.add("'\(name)' is no power of ten", hint: "name a plain whole number, mostly an i16", at: place)
        }
        let first = min(scale.place.address, point.place.address)
        let end = max(Int(scale.place.address) + scale.type.words, Int(point.place.address) + point.type.words)
        let most = transport?.maximumRegisters ?? 125
        if scale.place.table != point.place.table || end - Int(first) > most {
            issues.add(
                "'\(name)' can't be read together with '\(point.name)'",
                hint: "both have to lie in one table, within \(most) registers", at: place)
        }
    }

    private func readSum(_ name: String, _ node: YAMLNode, _ points: KnownPoints) -> ProfileSum? {
        guard var reader = YAMLReader(node, issues: issues) else { return nil }
        defer { reader.finish() }
        let terms = (reader.sequence("sum") ?? []).compactMap { readTerm($0, points) }
        var sum = ProfileSum(name: name, terms: terms, quantity: reader.optionalChoice("quantity", Quantity.self))
        sum.when = readConditions(reader.optionalNode("when"), points: points)
        sum.otherwise = reader.optionalDouble("otherwise", in: -1e9...1e9)
        sum.skipsUnavailable = reader.optionalBool("skip_unavailable") ?? false
        if node["sum"]?.elements?.isEmpty == true {
            reader.add("a sum of nothing", hint: "name at least one point", at: "sum")
        }
        if sum.otherwise != nil, sum.when.isEmpty {
            reader.add("'otherwise' needs 'when'", hint: "say when the sum counts, or remove it", at: "otherwise")
        }
        return sum
    }

    private func readTerm(_ node: YAMLNode, _ points: KnownPoints) -> ProfileSum.Term? {
        guard let term = node.asString.flatMap({ ProfileSum.Term($0) }) else {
            issues.add("this is no term of a sum", hint: "such as import, -export or voltage * current", at: node)
            return nil
        }
        for factor in term.factors {
            if !points.names.contains(factor) {
                issues.add("there is no point '\(factor)'", hint: "a sum names points of this profile", at: node)
            } else if points.isText(factor) {
                issues.add("'\(factor)' is a text", hint: "a sum names numbers", at: node)
            }
        }
        return term
    }
}
