/// Reads one mapping key by key and collects everything that is wrong with it.
///
/// A method returns nil after adding an error, so that the caller reads on and the person sees all errors at once.
/// Call `finish()` last: it reports the keys that nobody asked for.
package struct YAMLReader {
    /// The mapping.
    package let node: YAMLNode
    /// Where the errors go.
    package let issues: YAMLIssues
    private var asked: Set<String> = []

    /// Begins to read `node`; adds an error and returns nil if it is no mapping.
    package init?(_ node: YAMLNode, issues: YAMLIssues) {
        guard node.shape == .mapping else {
            guard !node.isUnreadable else { return nil }
            issues.add(node.mismatch("a mapping", hint: "write lines such as 'key: value' below it"))
            return nil
        }
        self.node = node
        self.issues = issues
    }

    /// The node of `key`, null included, or nil if it is absent.
    package mutating func optionalNode(_ key: String) -> YAMLNode? {
        asked.insert(key)
        return node[key]
    }

    /// The node of `key`; absent or null is an error.
    package mutating func requiredNode(_ key: String) -> YAMLNode? {
        guard let value = optionalNode(key) else {
            guard !node.isIncomplete else { return nil }
            issues.add("missing key '\(key)'", hint: "add a line '\(key): …'", at: node)
            return nil
        }
        guard !value.isUnreadable else { return nil }
        guard !value.isNull else {
            issues.add("key '\(key)' has no value", hint: "write one after the colon", at: value)
            return nil
        }
        return value
    }

    /// The value of `key` for an error about it, or the mapping if it has no such key; does not ask for the key.
    package func place(_ key: String) -> YAMLNode { node[key] ?? node }

    /// Adds an error at the value of `key`, or at the mapping if it has no such key.
    package func add(_ message: String, hint: String?, at key: String) {
        issues.add(message, hint: hint, at: place(key))
    }

    /// Adds an error for every key that was not asked for, with the nearest one that was.
    package func finish() {
        for key in node.keys where !asked.contains(key) {
            let nearest = NearestWord.match(key, among: asked.sorted())
            let known = asked.isEmpty ? "remove it" : "known here: \(asked.sorted().joined(separator: ", "))"
            issues.add(
                "unknown key '\(YAMLNode.shown(key))'", hint: nearest.map { "did you mean '\($0)'?" } ?? known,
                at: node.keyNode(key) ?? node)
        }
    }

    private mutating func nonNullNode(_ key: String) -> YAMLNode? {
        optionalNode(key).flatMap { $0.isNull ? nil : $0 }
    }

    private func collect<T>(_ body: () throws(YAMLError) -> T) -> T? {
        do {
            return try body()
        } catch {
            issues.add(error)
            return nil
        }
    }
}

// MARK: - Text and booleans

extension YAMLReader {
    /// The text of `key`; absent, null or anything but text is an error.
    package mutating func string(_ key: String) -> String? {
        requiredNode(key).flatMap { text($0) }
    }

    /// The text of `key`; nil without an error if it is absent or null.
    package mutating func optionalString(_ key: String) -> String? {
        nonNullNode(key).flatMap { text($0) }
    }

    /// The boolean of `key`; absent, null or anything but `true` and `false` is an error.
    package mutating func bool(_ key: String) -> Bool? {
        requiredNode(key).flatMap { boolean($0) }
    }

    /// The boolean of `key`; nil without an error if it is absent or null.
    package mutating func optionalBool(_ key: String) -> Bool? {
        nonNullNode(key).flatMap { boolean($0) }
    }

    /// The case of `type` whose raw value is the text of `key`; another text is an error that lists the cases.
    package mutating func choice<T: RawRepresentable & CaseIterable>(
        _ key: String, _ type: T.Type
    ) -> T? where T.RawValue == String {
        requiredNode(key).flatMap { chosen($0, type) }
    }

    /// As `choice`; nil without an error if it is absent or null.
    package mutating func optionalChoice<T: RawRepresentable & CaseIterable>(
        _ key: String, _ type: T.Type
    ) -> T? where T.RawValue == String {
        nonNullNode(key).flatMap { chosen($0, type) }
    }

    private func text(_ node: YAMLNode) -> String? { collect { () throws(YAMLError) in try node.text() } }

    private func boolean(_ node: YAMLNode) -> Bool? { collect { () throws(YAMLError) in try node.boolean() } }

    private func chosen<T: RawRepresentable & CaseIterable>(
        _ node: YAMLNode, _ type: T.Type
    ) -> T? where T.RawValue == String {
        guard let text = text(node) else { return nil }
        if let value = T(rawValue: text) { return value }
        issues.add(node.unknownChoice(text, of: T.allCases.map(\.rawValue)))
        return nil
    }
}

// MARK: - Numbers

extension YAMLReader {
    /// The whole number of `key`; absent, null, anything else or outside `range` is an error.
    package mutating func int(_ key: String, in range: ClosedRange<Int>? = nil) -> Int? {
        requiredNode(key).flatMap { integer($0, range) }
    }

    /// The whole number of `key`; nil without an error if it is absent or null.
    package mutating func optionalInt(_ key: String, in range: ClosedRange<Int>? = nil) -> Int? {
        nonNullNode(key).flatMap { integer($0, range) }
    }

    /// The finite number of `key`; absent, null, anything else or outside `range` is an error.
    package mutating func double(_ key: String, in range: ClosedRange<Double>? = nil) -> Double? {
        requiredNode(key).flatMap { number($0, range) }
    }

    /// The finite number of `key`; nil without an error if it is absent or null.
    package mutating func optionalDouble(_ key: String, in range: ClosedRange<Double>? = nil) -> Double? {
        nonNullNode(key).flatMap { number($0, range) }
    }

    private func integer(_ node: YAMLNode, _ range: ClosedRange<Int>?) -> Int? {
        guard let value = collect({ () throws(YAMLError) in try node.integer(Int.self) }) else { return nil }
        guard let range, !range.contains(value) else { return value }
        issues.add(
            "\(value) is out of range", hint: "write a whole number from \(range.lowerBound) to \(range.upperBound)",
            at: node)
        return nil
    }

    private func number(_ node: YAMLNode, _ range: ClosedRange<Double>?) -> Double? {
        guard let value = collect({ () throws(YAMLError) in try node.number() }) else { return nil }
        guard value.isFinite else {
            issues.add("expected a finite number, found \(node.summary)", hint: "write a plain number", at: node)
            return nil
        }
        guard let range, !range.contains(value) else { return value }
        issues.add(
            "\(YAMLNode.shown(node.scalar?.text ?? "\(value)")) is out of range",
            hint: "write a number from \(YAMLNode.plain(range.lowerBound)) to \(YAMLNode.plain(range.upperBound))",
            at: node)
        return nil
    }
}

// MARK: - Lists and mappings

extension YAMLReader {
    /// The elements of the list of `key`; absent, null or anything but a list is an error.
    package mutating func sequence(_ key: String) -> [YAMLNode]? {
        requiredNode(key).flatMap { elements($0) }
    }

    /// The elements of the list of `key`; nil without an error if it is absent or null.
    package mutating func optionalSequence(_ key: String) -> [YAMLNode]? {
        nonNullNode(key).flatMap { elements($0) }
    }

    /// A reader of the mapping of `key`; absent, null or anything but a mapping is an error.
    package mutating func mapping(_ key: String) -> YAMLReader? {
        requiredNode(key).flatMap { YAMLReader($0, issues: issues) }
    }

    /// A reader of the mapping of `key`; nil without an error if it is absent or null.
    package mutating func optionalMapping(_ key: String) -> YAMLReader? {
        nonNullNode(key).flatMap { YAMLReader($0, issues: issues) }
    }

    private func elements(_ node: YAMLNode) -> [YAMLNode]? {
        if let elements = node.elements { return elements }
        issues.add(node.mismatch("a list", hint: "write each element on a line that begins with '- '"))
        return nil
    }
}

extension YAMLNode {
    /// An error for a text that is none of `choices`.
    func unknownChoice(_ text: String, of choices: [String]) -> YAMLError {
        let nearest = NearestWord.match(text, among: choices).map { "did you mean '\($0)'? " } ?? ""
        return error(
            "unknown value '\(Self.shown(text))'", hint: "\(nearest)Known: \(choices.joined(separator: ", "))")
    }
}
