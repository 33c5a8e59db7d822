import YAML

/// Points that come in messages and answers.
extension ProfileReader {
    func readFieldPoints(_ node: YAMLNode?, of link: ProfileLink) -> [FieldPoint] {
        guard let sources = link.sourceNames else { return [] }
        return (node?.entries ?? []).filter { $0.value["sum"] == nil }
            .compactMap { readFieldPoint($0.key, $0.value, sources) }
    }

    private func readFieldPoint(_ name: String, _ node: YAMLNode, _ sources: [String]) -> FieldPoint? {
        guard var reader = YAMLReader(node, issues: issues) else { return nil }
        defer { reader.finish() }
        let source = reader.string("from")
        if let source, !sources.contains(source) {
            reader.add(
                "nothing is called '\(source)'",
                hint: NearestWord.advice(for: source, among: sources, ifNone: "name a message or a request"), at: "from"
            )
        }
        let path = readPath(&reader, "at")
        let isText = reader.optionalChoice("type", FieldType.self) == .text
        var template = ProfilePoint(
            name: name, place: RegisterPlace(.holding, 0), type: isText ? .text(words: 1) : .f64)
        let codes = readCodes(reader.optionalNode("values"))
        let unavailable = Set(words(reader.optionalSequence("unavailable")))
        if codes.values.contains(where: { $0.number == nil }) { template.type = .text(words: 1) }
        readNumbers(&reader, of: &template)
        let isOptional = reader.optionalBool("optional") ?? false
        guard let source else { return nil }
        var point = FieldPoint(template: template, source: source, path: path)
        point.codes = codes
        point.unavailable = unavailable
        point.isOptional = isOptional
        return point
    }

    private enum FieldType: String, CaseIterable {
        case number, text
    }

    /// What a device's words, numbers and truths mean.
    private func readCodes(_ node: YAMLNode?) -> [String: PointValue] {
        guard let node else { return [:] }
        guard let entries = node.entries, !entries.isEmpty else {
            issues.add("'values' should be a mapping of codes to their meaning", hint: "such as {ON: 1}", at: node)
            return [:]
        }
        var codes: [String: PointValue] = [:]
        for entry in entries {
            let value = entry.value.asDouble.map { PointValue.number($0) } ?? entry.value.asString.map { .text($0) }
            guard let value else {
                issues.add("this is no code with its meaning", hint: "such as 0: idle", at: entry.value)
                continue
            }
            codes[entry.key] = value
            check(entry.key, allowsValue: false, at: entry.value)
        }
        if Set(codes.values.map { $0.number == nil }).count > 1 {
            issues.add("'values' has numbers and texts", hint: "use one sort for all", at: node)
        }
        return codes
    }
}

/// Commands that are messages and requests.
extension ProfileReader {
    func readSending(_ item: YAMLNode, points: KnownPoints, takesArgument: Bool) -> ProfileAction? {
        guard var reader = YAMLReader(item, issues: issues) else { return nil }
        defer { reader.finish() }
        let isTopic = carrier == .mqtt
        let place = isTopic ? readTopicPlace(&reader) : readRequestPlace(&reader)
        let payload = reader.optionalString(isTopic ? "payload" : "body")
        if let payload { check(payload, allowsValue: true, at: reader.place(isTopic ? "payload" : "body")) }
        let point = reader.optionalString("value_of")
        if let point, !points.names.contains(point) {
            reader.add("there is no point '\(point)'", hint: "'value_of' names a point of this profile", at: "value_of")
        }
        var sending = ProfileSending(place ?? .topic("", isRetained: false), payload: payload)
        sending.scale = readScale(&reader)
        sending.decimals = reader.optionalInt("decimals", in: 0...6) ?? 3
        sending.allowed = readRange(reader.optionalNode("allowed"))
        if !isTopic {
            sending.mediaType = reader.optionalString("media_type")
            sending.answer = readAnswer(reader.optionalMapping("answer"))
        }
        let names = TextTemplate(payload ?? "").names + TextTemplate(path(of: place)).names
        let hasValue = names.contains("value")
        if hasValue, point == nil, !takesArgument {
            issues.add("which value should be sent?", hint: "write it instead of {value}, or add 'value_of'", at: item)
        }
        if isTopic, payload == nil, place != nil {
            issues.add("what should be published?", hint: "add 'payload'; {value} stands for the number", at: item)
        }
        if hasValue { sending.value = point.map { .point($0) } ?? .argument }
        return place == nil ? nil : .send(sending)
    }

    private func path(of place: ProfileSending.Place?) -> String {
        if case .request(_, let path) = place { path } else { "" }
    }

    private func readTopicPlace(_ reader: inout YAMLReader) -> ProfileSending.Place? {
        let topic = readText(&reader, "topic")
        let isRetained = reader.optionalBool("retained") ?? false
        return topic.map { .topic($0, isRetained: isRetained) }
    }

    private func readRequestPlace(_ reader: inout YAMLReader) -> ProfileSending.Place? {
        let method = readMethod(&reader)
        let path = readRequestPath(&reader, allowsValue: true)
        return path.map { .request(method: method ?? (reader.node["body"] == nil ? "GET" : "POST"), path: $0) }
    }
}
