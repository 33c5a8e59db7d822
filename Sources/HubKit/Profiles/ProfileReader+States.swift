import YAML

extension ProfileReader {
    func readStates(_ reader: YAMLReader?, points: [ProfilePoint]) -> ProfileStates {
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
        _ nodes: [YAMLNode]?, points: [ProfilePoint]
    ) -> [ProfileRule<State>] {
        (nodes ?? []).compactMap { node in
            guard var reader = YAMLReader(node, issues: issues) else { return nil }
            defer { reader.finish() }
            let when = readConditions(reader.optionalNode("when"), points: points)
            guard let state = reader.choice("is", State.self) else { return nil }
            return ProfileRule(when: when, state: state)
        }
    }

    private func readConditions(_ node: YAMLNode?, points: [ProfilePoint]) -> [ProfileCondition] {
        guard let node else { return [] }
        guard let entries = node.entries else {
            issues.add(
                "'when' should be a mapping of points to comparisons", hint: "such as {cable_state: {at_least: 5}}",
                at: node)
            return []
        }
        return entries.flatMap { entry in
            let tests = readTests(entry.value)
            if let point = points.first(where: { $0.name == entry.key }) {
                check(tests, against: point, at: entry.value)
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
        let hint = "a number, or one of at_least, below, starts_with"
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

    private func check(_ tests: [ProfileCondition.Test], against point: ProfilePoint, at node: YAMLNode) {
        var isText = false
        if case .text = point.type { isText = true }
        for test in tests {
            var wantsText = false
            if case .startsWith = test { wantsText = true }
            guard wantsText != isText else { continue }
            let hint = isText ? "compare it with starts_with" : "compare it with a number, at_least or below"
            issues.add("'\(point.name)' is \(isText ? "a text" : "a number")", hint: hint, at: node)
        }
    }

    func readCharger(_ reader: YAMLReader?) -> ProfileCharger? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let minimum = reader.optionalDouble("minimum_amps", in: 1...80) ?? 6
        let maximum = reader.double("maximum_amps", in: 1...80)
        let step = reader.optionalDouble("step_amps", in: 0.001...16) ?? 1
        let phases = (reader.optionalSequence("phases") ?? []).compactMap { node -> Int? in
            if let count = node.asInt, (1...3).contains(count) { return count }
            issues.add("a phase count is 1, 2 or 3", hint: "write one of these", at: node)
            return nil
        }
        guard let maximum else { return nil }
        return ProfileCharger(
            current: CurrentRange(minimumAmps: minimum, maximumAmps: maximum, stepAmps: step),
            phases: phases.isEmpty ? [3] : phases)
    }

    func readHVAC(_ reader: YAMLReader?) -> ProfileHVAC? {
        guard var reader else { return nil }
        defer { reader.finish() }
        var range: ClosedRange<Double>?
        if var setpoint = reader.optionalMapping("setpoint") {
            let low = setpoint.double("minimum_celsius", in: -30...90)
            let high = setpoint.double("maximum_celsius", in: -30...90)
            setpoint.finish()
            if let low, let high {
                if low <= high {
                    range = low...high
                } else {
                    issues.add("the lowest setpoint is above the highest", hint: "swap them", at: setpoint.node)
                }
            }
        }
        return ProfileHVAC(
            setpointCelsius: range,
            minimumDwellSeconds: reader.optionalDouble("minimum_dwell_seconds", in: 0...86_400) ?? 600,
            fullPowerWatts: reader.optionalDouble("full_power_watts", in: 1...100_000),
            reassertSeconds: reader.optionalDouble("reassert_seconds", in: 1...86_400))
    }

    func readCommands(_ node: YAMLNode?, points: Set<String>) -> [ProfileCommand: [ProfileWrite]] {
        guard let node else { return [:] }
        guard let entries = node.entries else {
            issues.add(
                "'commands' should be a mapping of commands to writes", hint: "such as {current: {holding: 1000}}",
                at: node)
            return [:]
        }
        var commands: [ProfileCommand: [ProfileWrite]] = [:]
        for entry in entries {
            guard let command = ProfileCommand(rawValue: entry.key) else {
                let known = ProfileCommand.allCases.map(\.rawValue).joined(separator: ", ")
                issues.add("unknown command '\(entry.key)'", hint: "one of \(known)", at: entry.value)
                continue
            }
            commands[command] = readWrites(entry.value, points: points)
        }
        return commands
    }

    func readWatchdog(_ reader: YAMLReader?, points: Set<String>) -> ProfileWatchdog? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let point = reader.optionalString("period_point")
        if let point, !points.contains(point) {
            issues.add(
                "there is no point '\(point)'", hint: "'period_point' names a point of this profile", at: reader.node)
        }
        let fixed = reader.optionalDouble("period_seconds", in: 1...86_400)
        if point == nil, fixed == nil {
            issues.add(
                "a watchdog needs 'period_point' or 'period_seconds'", hint: "add one of the two", at: reader.node)
        }
        return ProfileWatchdog(
            periodPoint: point, fixedSeconds: fixed, share: reader.optionalDouble("share", in: 0.05...0.9) ?? 0.5,
            feed: reader.optionalNode("feed").map { readWrites($0, points: points) } ?? [])
    }

    private func readWrites(_ node: YAMLNode, points: Set<String>) -> [ProfileWrite] {
        (node.elements ?? [node]).compactMap { item in
            guard var reader = YAMLReader(item, issues: issues) else { return nil }
            defer { reader.finish() }
            let place = readPlace(&reader, tables: [.holding, .coil])
            let type = place.flatMap { readType(&reader, for: $0) }
            let order = reader.optionalChoice("word_order", WordOrder.self) ?? .big
            let scale = readScale(&reader)
            let multiple = reader.optionalBool("multiple") ?? false
            let constant = reader.optionalDouble("value", in: -1e12...1e12)
            let point = reader.optionalString("value_of")
            if let point, !points.contains(point) {
                issues.add("there is no point '\(point)'", hint: "'value_of' names a point of this profile", at: item)
            }
            guard let place, let type else {
                for key in ["type", "words"] { _ = reader.optionalNode(key) }
                return nil
            }
            if case .text = type { reader.add("a text can't be written", hint: "choose a number's type", at: "type") }
            let value: ProfileWrite.Value = constant.map { .constant($0) } ?? point.map { .point($0) } ?? .argument
            return ProfileWrite(
                place: place, type: type, wordOrder: order, scale: scale, value: value, multiple: multiple)
        }
    }
}
