import YAML

extension ProfileReader {
    func readCommands(_ node: YAMLNode?, points: KnownPoints) -> [ProfileCommand: [ProfileAction]] {
        guard let node else { return [:] }
        guard let entries = node.entries else {
            issues.add(
                "'commands' should be a mapping of commands to writes", hint: "such as {current: {holding: 1000}}",
                at: node)
            return [:]
        }
        var commands: [ProfileCommand: [ProfileAction]] = [:]
        for entry in entries {
            guard let command = ProfileCommand(rawValue: entry.key) else {
                let known = ProfileCommand.allCases.map(\.rawValue).joined(separator: ", ")
                issues.add("unknown command '\(entry.key)'", hint: "one of \(known)", at: entry.value)
                continue
            }
            commands[command] = readWrites(entry.value, points: points, takesArgument: command.takesArgument)
        }
        return commands
    }

    func readWatchdog(_ reader: YAMLReader?, points: KnownPoints) -> ProfileWatchdog? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let point = reader.optionalString("period_point")
        if let point, !points.names.contains(point) {
            issues.add(
                "there is no point '\(point)'", hint: "'period_point' names a point of this profile", at: reader.node)
        }
        let fixed = reader.optionalDouble("period_seconds", in: 1...86_400)
        let every = reader.optionalDouble("every_seconds", in: 0.5...86_400)
        if point == nil, fixed == nil, every == nil {
            issues.add(
                "a watchdog needs 'period_point', 'period_seconds' or 'every_seconds'",
                hint: "say where its period is read, or how long it is", at: reader.node)
        }
        if fixed != nil, every != nil {
            reader.add(
                "'period_seconds' and 'every_seconds' exclude each other",
                hint: "keep the period of the device's watchdog, or how often it is to be fed", at: "every_seconds")
        }
        let share = reader.optionalDouble("share", in: 0.05...0.9) ?? 0.5
        let feed = reader.optionalNode("feed")
        let isFedByReading = feed?.asString == "read"
        let writes = isFedByReading ? nil : feed.map { readWrites($0, points: points, takesArgument: false) }
        var watchdog = ProfileWatchdog(periodPoint: point, fixedSeconds: fixed, share: share, feed: writes ?? [])
        watchdog.everySeconds = every
        watchdog.isFedByReading = isFedByReading
        return watchdog
    }

    private func readWrites(_ node: YAMLNode, points: KnownPoints, takesArgument: Bool) -> [ProfileAction] {
        (node.elements ?? [node]).compactMap { item in
            carrier == .modbus
                ? readWrite(item, points: points, takesArgument: takesArgument).map { .write($0) }
                : readSending(item, points: points, takesArgument: takesArgument)
        }
    }

    private func readWrite(_ item: YAMLNode, points: KnownPoints, takesArgument: Bool) -> ProfileWrite? {
        guard var reader = YAMLReader(item, issues: issues) else { return nil }
        defer { reader.finish() }
        let place = readPlace(&reader, tables: [.holding, .coil])
        let type = readType(&reader, for: place)
        let order = reader.optionalChoice("word_order", WordOrder.self) ?? .big
        let byteOrder = reader.optionalChoice("byte_order", ByteOrder.self) ?? .big
        let scale = readScale(&reader)
        let allowed = readRange(reader.optionalNode("allowed"))
        let multiple = reader.optionalBool("multiple") ?? false
        let value = readValue(&reader, points, takesArgument: takesArgument)
        guard let place, let type else { return nil }
        if case .text = type { reader.add("a text can't be written", hint: "choose a number's type", at: "type") }
        var write = ProfileWrite(
            place: place, type: type, wordOrder: order, scale: scale, value: value, multiple: multiple)
        write.byteOrder = byteOrder
        write.allowed = allowed
        checkFit(of: write, reader)
        return write
    }

    /// Says what does not fit into the register.
    private func checkFit(of write: ProfileWrite, _ reader: YAMLReader) {
        guard let room = write.type.wholeNumbers else { return }
        let bounds = "\(PlainNumber.text(room.lowerBound)) to \(PlainNumber.text(room.upperBound))"
        if case .constant(let value) = write.value {
            let raw = value / write.scale
            if !room.contains(raw) {
                reader.add(
                    "\(PlainNumber.text(raw)) does not fit into the register", hint: "it takes \(bounds)", at: "value")
            } else if abs(raw - raw.rounded()) > 1e-6 {
                reader.add(
                    "\(PlainNumber.text(raw)) is no whole number",
                    hint: "the register takes whole numbers, of the size 'scale'",
                    at: "value")
            }
        } else if let allowed = write.allowed,
            !room.contains(allowed.lowerBound / write.scale) || !room.contains(allowed.upperBound / write.scale)
        {
            reader.add(
                "not all of it fits into the register", hint: "it takes \(bounds) units of 'scale'", at: "allowed")
        }
    }

    private func readValue(
        _ reader: inout YAMLReader, _ points: KnownPoints, takesArgument: Bool
    ) -> ProfileWrite.Value {
        let constant = reader.optionalDouble("value", in: -1e12...1e12)
        let point = reader.optionalString("value_of")
        if let point, !points.names.contains(point) {
            issues.add(
                "there is no point '\(point)'", hint: "'value_of' names a point of this profile", at: reader.node)
        }
        if constant != nil, point != nil {
            reader.add("'value' and 'value_of' exclude each other", hint: "remove one of them", at: "value_of")
        }
        if constant == nil, point == nil, !takesArgument {
            issues.add("what should be written?", hint: "add 'value' or 'value_of'", at: reader.node)
        }
        return constant.map { .constant($0) } ?? point.map { .point($0) } ?? .argument
    }
}
