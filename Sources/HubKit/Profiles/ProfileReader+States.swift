import YAML

extension ProfileReader {
    func readStates(_ reader: YAMLReader?, points: KnownPoints) -> ProfileStates {
        guard var reader else { return ProfileStates() }
        defer { reader.finish() }
        var states = ProfileStates()
        states.plug = readRules(reader.optionalSequence("plug"), points: points)
        states.charging = readRules(reader.optionalSequence("charging"), points: points)
        states.mode = readRules(reader.optionalSequence("mode"), points: points)
        states.reduce = readRules(reader.optionalSequence("reduce"), points: points)
        return states
    }

    private func readRules<State: RawRepresentable<String> & CaseIterable & Sendable & Equatable>(
        _ nodes: [YAMLNode]?, points: KnownPoints
    ) -> [ProfileRule<State>] {
        (nodes ?? []).compactMap { node in
            guard var reader = YAMLReader(node, issues: issues) else { return nil }
            defer { reader.finish() }
            let when = readConditions(reader.optionalNode("when"), points: points)
            guard let state = reader.choice("is", State.self) else { return nil }
            return ProfileRule(when: when, state: state)
        }
    }

    func readConditions(_ node: YAMLNode?, points: KnownPoints) -> [ProfileCondition] {
        guard let node else { return [] }
        guard let entries = node.entries else {
            issues.add(
                "'when' should be a mapping of points to comparisons", hint: "such as {cable_state: {at_least: 5}}",
                at: node)
            return []
        }
        return entries.flatMap { entry in
            let tests = readTests(entry.value)
            if points.faulty.contains(entry.key) {
                // What it is compared with fits perhaps, once it is mended.
            } else if points.names.contains(entry.key) {
                check(tests, against: entry.key, points, at: entry.value)
            } else {
                issues.add(
                    "there is no point '\(entry.key)'", hint: "conditions name points of the same profile",
                    at: entry.value)
            }
            return tests.map { ProfileCondition(point: entry.key, test: $0) }
        }
    }

    private func readTests(_ node: YAMLNode) -> [ProfileCondition.Test] {
        if let number = node.asDouble { return [.equals(number)] }
        if let text = node.asString { return [.anyOf([.text(text)])] }
        let hint = "a number, a text, a list of these, or one of at_least, below, starts_with"
        if let elements = node.elements, !elements.isEmpty {
            let wanted = elements.compactMap { element -> PointValue? in
                if let number = element.asDouble { return .number(number) }
                if let text = element.asString { return .text(text) }
                issues.add("unknown comparison", hint: hint, at: element)
                return nil
            }
            return [.anyOf(wanted)]
        }
        guard node.entries != nil else {
            issues.add("unknown comparison", hint: hint, at: node)
            return []
        }
        guard var reader = YAMLReader(node, issues: issues) else { return [] }
        defer { reader.finish() }
        let least = reader.optionalDouble("at_least", in: -1e18...1e18).map { ProfileCondition.Test.atLeast($0) }
        let bound = reader.optionalDouble("below", in: -1e18...1e18).map { ProfileCondition.Test.below($0) }
        let prefix = reader.optionalString("starts_with").map { ProfileCondition.Test.startsWith($0) }
        let tests = [least, bound, prefix].compactMap(\.self)
        if node.entries?.isEmpty == true { issues.add("empty comparison", hint: hint, at: node) }
        return tests
    }

    private func check(
        _ tests: [ProfileCondition.Test], against name: String, _ points: KnownPoints, at node: YAMLNode
    ) {
        let isText = points.isText(name)
        let codes = points.codes(name)
        for test in tests {
            for wanted in Self.wanted(by: test) {
                if (wanted.text != nil) != isText {
                    let hint =
                        isText ? "compare it with a text or starts_with" : "compare it with a number, at_least or below"
                    issues.add("'\(name)' is \(isText ? "a text" : "a number")", hint: hint, at: node)
                } else if let text = wanted.text, !codes.isEmpty, !codes.contains(where: { $0.hasPrefix(text) }) {
                    issues.add(
                        "'\(name)' is never '\(text)'", hint: "one of \(codes.joined(separator: ", "))", at: node)
                }
            }
        }
    }

    private static func wanted(by test: ProfileCondition.Test) -> [PointValue] {
        switch test {
        case .equals(let value), .atLeast(let value), .below(let value): [.number(value)]
        case .startsWith(let text): [.text(text)]
        case .anyOf(let wanted): wanted
        }
    }
}
