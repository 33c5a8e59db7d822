import YAML

extension ProfileReader {
    func readStates(_ reader: YAMLReader?, points: Set<String>) -> ProfileStates {
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
        _ nodes: [YAMLNode]?, points: Set<String>
    ) -> [ProfileRule<State>] {
        (nodes ?? []).compactMap { node in
            guard var reader = YAMLReader(node, issues: issues) else { return nil }
            defer { reader.finish() }
            let when = readConditions(reader.optionalNode("when"), points: points)
            guard let state = reader.choice("is", State.self) else { return nil }
            return ProfileRule(when: when, state: state)
        }
    }

    private func readConditions(_ node: YAMLNode?, points: Set<String>) -> [ProfileCondition] {
        guard let node else { return [] }
        guard let entries = node.entries else {
            issues.add("'when' should be a mapping of points to comparisons", hint: "such as {cable_state: {at_least: 5}}", at: node)
            return []
        }
        return entries.compactMap { entry in
            if !points.contains(entry.key) {
                issues.add("there is no point '\(entry.key)'", hint: "conditions name points of the same profile", at: entry.value)
            }
            if let number = entry.value.asDouble { return ProfileCondition(point: entry.key, test: .equals(number)) }
            guard var reader = YAMLReader(entry.value, issues: issues) else { return nil }
            defer { reader.finish() }
            if let least = reader.optionalDouble("at_least", in: -1e18...1e18) {
                return ProfileCondition(point: entry.key, test: .atLeast(least))
            }
            if let bound = reader.optionalDouble("below", in: -1e18...1e18) {
                return ProfileCondition(point: entry.key, test: .below(bound))
            }
            if let prefix = reader.optionalString("starts_with") {
                return ProfileCondition(point: entry.key, test: .startsWith(prefix))
            }
            issues.add("unknown comparison", hint: "a number, or one of at_least, below, starts_with", at: entry.value)
            return nil
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
            issues.add("a phase count is 1, 2 or 3", hint: nil, at: node)
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
                if low <= high { range = low...high }
                else { issues.add("the lowest setpoint is above the highest", hint: "swap them", at: setpoint.node) }
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
            issues.add("'commands' should be a mapping of commands to writes", hint: nil, at: node)
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
            issues.add("there is no point '\(point)'", hint: "'period_point' names a point of this profile", at: reader.node)
        }
        let fixed = reader.optionalDouble("period_seconds", in: 1...86_400)
        if point == nil, fixed == nil {
            issues.add("a watchdog needs 'period_point' or 'period_seconds'", hint: nil, at: reader.node)
        }
        return ProfileWatchdog(
            periodPoint: point, fixedSeconds: fixed, share: reader.optionalDouble("share", in: 0.05...0.9) ?? 0.5,
            feed: reader.optionalNode("feed").map { readWrites($0, points: points) } ?? [])
    }

    private func readWrites(_ node: YAMLNode, points: Set<String>) -> [ProfileWrite] {
        (node.elements ?? [node]).compactMap { item in
            guard var reader = YAMLReader(item, issues: issues) else { return nil }
            defer { reader.finish() }
            guard let place = readPlace(&reader, tables: [.holding, .coil]) else { return nil }
            let type = readType(&reader, for: place)
            let order = reader.optionalChoice("word_order", WordOrder.self) ?? .big
            let scale = reader.optionalDouble("scale", in: -1e9...1e9) ?? 1
            let multiple = reader.optionalBool("multiple") ?? false
            let constant = reader.optionalDouble("value", in: -1e12...1e12)
            let point = reader.optionalString("value_of")
            if let point, !points.contains(point) {
                issues.add("there is no point '\(point)'", hint: "'value_of' names a point of this profile", at: item)
            }
            if scale == 0 { issues.add("a scale of 0 can't be written", hint: "give the raw unit's size", at: item) }
            guard let type, scale != 0 else { return nil }
            let value: ProfileWrite.Value = constant.map { .constant($0) } ?? point.map { .point($0) } ?? .argument
            return ProfileWrite(
                place: place, type: type, wordOrder: order, scale: scale, value: value, multiple: multiple)
        }
    }
}
