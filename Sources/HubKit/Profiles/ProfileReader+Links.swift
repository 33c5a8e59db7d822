import YAML

/// The sections `mqtt` and `http`.
extension ProfileReader {
    /// What carries a profile's values.
    enum Carrier: String, CaseIterable {
        case modbus, mqtt, http
    }

    /// Reads the section of what carries the values, and refuses those of the others.
    func readLink(_ reader: inout YAMLReader) -> (link: ProfileLink, transport: ProfileTransport?)? {
        let carrier = reader.optionalChoice("transport", Carrier.self) ?? .modbus
        for other in Carrier.allCases where other != carrier && reader.optionalNode(other.rawValue) != nil {
            reader.add(
                "the section '\(other.rawValue)' is for 'transport: \(other.rawValue)'",
                hint: "remove it, or change 'transport'", at: other.rawValue)
        }
        guard let section = reader.mapping(carrier.rawValue) else { return nil }
        switch carrier {
        case .modbus: return readTransport(section).map { (.modbus, $0) }
        case .mqtt: return (.mqtt(readTopics(section)), nil)
        case .http: return (.http(readRequests(section)), nil)
        }
    }

    private func readTopics(_ section: YAMLReader) -> ProfileTopics {
        var reader = section
        defer { reader.finish() }
        var topics = ProfileTopics()
        topics.topic = reader.optionalString("topic")
        let stale = reader.optionalDouble("stale_seconds", in: 1...86_400) ?? 120
        topics.messages = named("messages", &reader, "such as {sensor: {topic: \"tele/{topic}/SENSOR\"}}") {
            readMessage($0, &$1, stale)
        }
        if var presence = reader.optionalMapping("alive") {
            let topic = readText(&presence, "topic")
            let path = readPath(&presence, "at")
            let online = words(presence.sequence("online"))
            presence.finish()
            if let topic { topics.alive = ProfilePresence(topic: topic, path: path, online: online) }
        }
        return topics
    }

    private func readMessage(_ name: String, _ reader: inout YAMLReader, _ stale: Double) -> ProfileMessage? {
        let topic = readText(&reader, "topic")
        var message = ProfileMessage(
            name: name, topic: topic ?? "",
            staleSeconds: reader.optionalDouble("stale_seconds", in: 1...86_400) ?? stale)
        message.holds = reader.optionalBool("holds") ?? false
        message.isOptional = reader.optionalBool("optional") ?? false
        message.time = readPath(&reader, "time")
        if var question = reader.optionalMapping("ask") {
            let asked = readText(&question, "topic")
            let payload = question.optionalString("payload") ?? ""
            check(payload, allowsValue: false, at: question.place("payload"))
            let every = question.optionalDouble("every_seconds", in: 1...86_400) ?? 60
            question.finish()
            if let asked { message.ask = ProfileQuestion(topic: asked, payload: payload, everySeconds: every) }
        }
        return topic == nil ? nil : message
    }

    private func readRequests(_ section: YAMLReader) -> ProfileRequests {
        var reader = section
        defer { reader.finish() }
        var requests = ProfileRequests()
        if let logins = reader.optionalSequence("login") {
            requests.logins = logins.compactMap { choice($0, ProfileLogin.self, "a way to log in") }
        }
        requests.timeoutMilliseconds = reader.optionalInt("timeout_ms", in: 50...10_000) ?? 5000
        for entry in reader.optionalNode("headers")?.entries ?? [] {
            readHeader(entry.key, entry.value, into: &requests)
        }
        for entry in reader.optionalNode("errors")?.entries ?? [] {
            guard let status = Int(entry.key), (400...599).contains(status), let text = entry.value.asString else {
                issues.add(
                    "this is no status with its meaning", hint: "such as 403: \"switch the local API on\"",
                    at: entry.value)
                continue
            }
            requests.errors[status] = text
        }
        requests.requests = named("requests", &reader, "such as {status: {path: /status}}") { readRequest($0, &$1) }
        return requests
    }

    private func readHeader(_ name: String, _ node: YAMLNode, into requests: inout ProfileRequests) {
        guard let text = node.asString ?? node.asInt.map(String.init) else {
            issues.add("a header field has a text", hint: "put it in quotes", at: node)
            return
        }
        // RFC 9110, 5.6.2: a name is a token.
        let marks = Set("!#$%&'*+-.^_`|~")
        if name.isEmpty || !name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) || marks.contains($0) }) {
            issues.add("'\(YAMLNode.shown(name))' is no header field's name", hint: "letters, digits and -", at: node)
        }
        if text.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
            issues.add(
                "a header field has one line, without control characters", hint: "write it in one line", at: node)
        }
        requests.headers[name] = text
    }

    private func readRequest(_ name: String, _ reader: inout YAMLReader) -> ProfileRequest? {
        let path = readRequestPath(&reader, allowsValue: false)
        var request = ProfileRequest(name: name, path: path ?? "")
        if let method = readMethod(&reader) { request.method = method }
        request.body = reader.optionalString("body")
        if let body = request.body { check(body, allowsValue: false, at: reader.place("body")) }
        request.everySeconds = reader.optionalDouble("every_seconds", in: 1...86_400)
        request.staleSeconds = reader.optionalDouble("stale_seconds", in: 1...86_400) ?? 120
        request.time = readPath(&reader, "time")
        request.answer = readAnswer(reader.optionalMapping("answer"))
        return path == nil ? nil : request
    }

    /// A mapping of names to sections of one sort; at least one is needed.
    private func named<Part>(
        _ key: String, _ reader: inout YAMLReader, _ hint: String, _ read: (String, inout YAMLReader) -> Part?
    ) -> [Part] {
        guard let node = reader.requiredNode(key) else { return [] }
        guard let entries = node.entries, !entries.isEmpty else {
            issues.add("'\(key)' should be a mapping of names", hint: hint, at: node)
            return []
        }
        return entries.compactMap { entry in
            guard var part = YAMLReader(entry.value, issues: issues) else { return nil }
            defer { part.finish() }
            return read(entry.key, &part)
        }
    }
}

/// Texts with placeholders, paths and answers.
extension ProfileReader {
    /// A topic, which may have placeholders.
    func readText(_ reader: inout YAMLReader, _ key: String) -> String? {
        guard let text = reader.string(key) else { return nil }
        check(text, allowsValue: false, at: reader.place(key))
        if text.isEmpty || text.contains("#") || text.contains("+") {
            reader.add("'\(text)' can't be a topic", hint: "name one topic, without # and +", at: key)
        }
        return text
    }

    func readRequestPath(_ reader: inout YAMLReader, allowsValue: Bool) -> String? {
        guard let path = reader.string("path") else { return nil }
        check(path, allowsValue: allowsValue, at: reader.place("path"))
        if !path.hasPrefix("/") && !path.hasPrefix("{") || path.contains(" ") {
            reader.add("'\(path)' is no path", hint: "begin with /, and write %20 for a space", at: "path")
        }
        return path
    }

    func readMethod(_ reader: inout YAMLReader) -> String? {
        guard let method = reader.optionalString("method") else { return nil }
        if ["GET", "POST", "PUT", "PATCH"].contains(method) { return method }
        reader.add("'\(method)' is no method", hint: "GET, POST, PUT or PATCH", at: "method")
        return nil
    }

    func readPath(_ reader: inout YAMLReader, _ key: String) -> String? {
        guard let path = reader.optionalString(key) else { return nil }
        check(path, allowsValue: false, at: reader.place(key))
        // A placeholder may stand for a place in a list.
        let template = TextTemplate(path)
        let filled = template.filled(Dictionary(template.names.map { ($0, "1") }) { first, _ in first })
        if JSONPath(filled) != nil { return path }
        reader.add(
            "'\(path)' is no path in JSON", hint: "such as emeters[0].power, [\"a name\"] or list[type=net].now",
            at: key)
        return nil
    }

    func readAnswer(_ section: YAMLReader?) -> ProfileAnswer? {
        guard var reader = section else { return nil }
        defer { reader.finish() }
        let path = readPath(&reader, "at")
        let values = words(reader.requiredNode("is").map { $0.elements ?? [$0] })
        if path == nil, reader.node["at"] == nil {
            issues.add("where does the answer say it?", hint: "add 'at'", at: reader.node)
        }
        return path.map { ProfileAnswer(path: $0, values: values) }
    }

    /// Words, numbers and truths as devices send them.
    func words(_ nodes: [YAMLNode]?) -> [String] {
        (nodes ?? []).compactMap { node in
            if node.isNull { return "null" }
            if let truth = node.asBool { return truth ? "true" : "false" }
            if let number = node.asDouble { return JSONDocument.plain(number) }
            if node.asString == nil { issues.add("this should be a single value", hint: "put it in quotes", at: node) }
            return node.asString
        }
    }

    /// A placeholder that nobody fills would be sent as it stands.
    func check(_ text: String, allowsValue: Bool, at node: YAMLNode) {
        let known = parameters.union(allowsValue ? ["value"] : [])
        for name in TextTemplate(text).names where !known.contains(name) {
            let hint =
                name == "value"
                ? "only commands have a value"
                : NearestWord.match(name, among: known).map { "did you mean '{\($0)}'?" }
                    ?? "add it under 'parameters', or use one of \(known.sorted().joined(separator: ", "))"
            issues.add("there is no parameter '\(name)'", hint: hint, at: node)
        }
    }

    func readParameters(_ node: YAMLNode?) -> [ProfileParameter] {
        guard let node else { return [] }
        guard let entries = node.entries else {
            issues.add(
                "'parameters' should be a mapping of names", hint: "such as {channel: {about: \"…\", default: 0}}",
                at: node)
            return []
        }
        return entries.compactMap { entry in
            guard var reader = YAMLReader(entry.value, issues: issues) else { return nil }
            defer { reader.finish() }
            let about = reader.string("about")
            let fallback = reader.optionalNode("default").flatMap { words([$0]).first }
            if TextTemplate("{\(entry.key)}").names.isEmpty || ["topic", "value"].contains(entry.key) {
                issues.add(
                    "'\(entry.key)' can't be a parameter", hint: "use small letters, digits and _; not topic or value",
                    at: entry.value)
            }
            return about.map { ProfileParameter(name: entry.key, about: $0, fallback: fallback) }
        }
    }
}
