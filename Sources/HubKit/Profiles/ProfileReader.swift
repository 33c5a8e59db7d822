import YAML

/// Reads a profile from its YAML form; every fault is reported with its place, not only the first.
struct ProfileReader {
    let name: String
    let issues: YAMLIssues
    /// What the profile adds to every address.
    var addressOffset = 0
    /// The layout of SunSpec models.
    let models: SunSpecModels
    /// Whether the profile is of a SunSpec device.
    var isSunSpec = false
    /// What carries the values.
    var carrier = Carrier.modbus
    /// The placeholders that texts may have.
    var parameters: Set<String> = []

    init(name: String, issues: YAMLIssues, models: SunSpecModels) {
        self.name = name
        self.issues = issues
        self.models = models
    }

    /// How the registers of a device are found.
    private enum Layout: String, CaseIterable {
        case modbus, sunspec
    }

    func read(_ root: YAMLNode) -> DeviceProfile? {
        guard var reader = YAMLReader(root, issues: issues) else { return nil }
        let kind = reader.choice("kind", DeviceKind.self)
        let vendor = reader.string("vendor")
        let models = strings(reader.optionalSequence("models"))
        let sources = strings(reader.optionalSequence("sources"))
        let roles = readRoles(reader.optionalSequence("roles"), kind)
        let layout = reader.optionalChoice("protocol", Layout.self) ?? .modbus
        let parameters = readParameters(reader.optionalNode("parameters"))
        var body = self
        body.parameters = Set(parameters.map(\.name))
        body.carrier = root["transport"]?.asString.flatMap { Carrier(rawValue: $0) } ?? .modbus
        if body.carrier == .mqtt { body.parameters.insert("topic") }
        let link = body.readLink(&reader)
        let pollSeconds = reader.optionalDouble("poll_seconds", in: 0.1...3600) ?? (body.carrier == .mqtt ? 2 : 10)
        let options = readOptions(reader.optionalNode("options"))
        body.addressOffset = link?.transport?.addressOffset ?? 0
        body.isSunSpec = layout == .sunspec
        let read = body.readBody(&reader, link?.link ?? .modbus, link?.transport)
        reader.finish()
        guard let kind, let vendor, let link else { return nil }
        var profile = DeviceProfile(
            name: name, kind: kind, vendor: vendor, transport: link.transport ?? ProfileTransport(), points: read.points
        )
        profile.link = link.link
        profile.parameters = parameters
        profile.fieldPoints = read.fieldPoints
        profile.models = models
        profile.sources = sources
        profile.roles = roles
        profile.pollSeconds = pollSeconds
        profile.options = options
        profile.sunspecPoints = read.sunspecPoints
        profile.sunspecModels = self.models.only(Set(read.sunspecPoints.flatMap(\.models)))
        profile.sums = read.sums
        profile.states = read.states
        profile.charger = read.charger
        profile.hvac = read.hvac
        profile.battery = read.battery
        profile.commands = read.commands
        profile.watchdog = read.watchdog
        check(profile, at: root)
        return profile
    }

    /// The parts that name registers or points.
    private struct Body {
        var points: [ProfilePoint] = []
        var sunspecPoints: [SunSpecPoint] = []
        var fieldPoints: [FieldPoint] = []
        var sums: [ProfileSum] = []
        var states = ProfileStates()
        var charger: ProfileCharger?
        var hvac: ProfileHVAC?
        var battery: ProfileBattery?
        var commands: [ProfileCommand: [ProfileAction]] = [:]
        var watchdog: ProfileWatchdog?
    }

    private func readBody(
        _ reader: inout YAMLReader, _ link: ProfileLink, _ transport: ProfileTransport?
    ) -> Body {
        var body = Body()
        let node = reader.optionalNode("points")
        if carrier == .modbus {
            body.sunspecPoints = readSunSpecPoints(node)
        } else {
            body.fieldPoints = readFieldPoints(node, of: link)
        }
        (body.points, body.sums) = readPoints(node, at: reader.node, transport, body.sunspecPoints, body.fieldPoints)
        let known = KnownPoints(
            body.points, body.sums, body.sunspecPoints, body.fieldPoints, faulty: node?.entries ?? [])
        body.states = readStates(reader.optionalMapping("states"), points: known)
        body.charger = readCharger(reader.optionalMapping("charger"))
        body.hvac = readHVAC(reader.optionalMapping("hvac"))
        body.battery = readBattery(reader.optionalMapping("battery"))
        body.commands = readCommands(reader.optionalNode("commands"), points: known)
        body.watchdog = readWatchdog(reader.optionalMapping("watchdog"), points: known)
        return body
    }

    private func strings(_ nodes: [YAMLNode]?) -> [String] {
        (nodes ?? []).compactMap { node in
            if node.asString == nil { issues.add("this should be text", hint: "put it in quotes", at: node) }
            return node.asString
        }
    }

    private func readRoles(_ nodes: [YAMLNode]?, _ kind: DeviceKind?) -> [MeterRole] {
        guard let nodes else { return MeterRole.allCases }
        if let first = nodes.first, kind != .meter {
            issues.add("only a meter has roles", hint: "remove 'roles'", at: first)
        }
        return nodes.compactMap { choice($0, MeterRole.self, "a role of a meter") }
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ node: YAMLNode, _ type: Choice.Type, _ what: String
    ) -> Choice? {
        if let choice = node.asString.flatMap({ Choice(rawValue: $0) }) { return choice }
        let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        issues.add("this is not \(what)", hint: "one of \(known)", at: node)
        return nil
    }

    func readTransport(_ reader: YAMLReader?) -> ProfileTransport? {
        guard var reader else { return nil }
        defer { reader.finish() }
        var transport = ProfileTransport()
        if let port = reader.optionalInt("port", in: 1...65_535) { transport.port = UInt16(port) }
        if let unit = reader.optionalInt("unit", in: 0...255) { transport.unit = UInt8(unit) }
        if let lines = reader.optionalSequence("over") {
            transport.lines = lines.compactMap { choice($0, ProfileLine.self, "what carries Modbus") }
        }
        if let baud = reader.optionalInt("baud", in: 300...115_200) { transport.baud = baud }
        if let framing = readFraming(&reader) { transport.framing = framing }
        let delays = 0...10_000
        if let delay = reader.optionalInt("request_delay_ms", in: delays) { transport.requestDelayMilliseconds = delay }
        if let delay = reader.optionalInt("connect_delay_ms", in: delays) { transport.connectDelayMilliseconds = delay }
        if let time = reader.optionalInt("timeout_ms", in: 50...10_000) { transport.timeoutMilliseconds = time }
        if let count = reader.optionalInt("maximum_registers", in: 1...125) { transport.maximumRegisters = count }
        if let gap = reader.optionalInt("maximum_gap", in: 0...124) { transport.maximumGap = gap }
        if let offset = reader.optionalInt("address_offset", in: -65_535...65_535) { transport.addressOffset = offset }
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

    private func readOptions(_ node: YAMLNode?) -> [ProfileOption] {
        guard let node else { return [] }
        guard let entries = node.entries else {
            issues.add(
                "'options' should be a mapping of names to changes",
                hint: "such as {swapped_words: {about: \"…\", change: {…}}}", at: node)
            return []
        }
        return entries.compactMap { entry in
            guard var reader = YAMLReader(entry.value, issues: issues) else { return nil }
            defer { reader.finish() }
            let about = reader.string("about")
            let change = reader.requiredNode("change")
            if let change, change.entries == nil {
                issues.add(
                    "'change' should be a mapping of keys of this profile", hint: "such as {modbus: {unit: 2}}",
                    at: change)
            }
            return about.map { ProfileOption(name: entry.key, about: $0) }
        }
    }
}

/// What the states, commands and watchdog of a profile may name.
struct KnownPoints {
    private let points: [String: ProfilePoint]
    private let fields: [String: FieldPoint]
    /// Points that are there and can't be read from the file: what names them is not at fault as well.
    let faulty: Set<String>
    let names: Set<String>

    /// Gathers what may be named.
    /// - Parameter entries: what stands in the file, so that what could not be read is known too.
    init(
        _ points: [ProfilePoint], _ sums: [ProfileSum], _ sunspecPoints: [SunSpecPoint], _ fieldPoints: [FieldPoint],
        faulty entries: [(key: String, value: YAMLNode)]
    ) {
        let points = points + sunspecPoints.map(\.template) + fieldPoints.map(\.template)
        fields = Dictionary(fieldPoints.map { ($0.template.name, $0) }) { first, _ in first }
        self.points = Dictionary(points.map { ($0.name, $0) }) { first, _ in first }
        let sound = Set(points.map(\.name)).union(sums.map(\.name))
        faulty = Set(entries.map(\.key)).subtracting(sound)
        names = sound.union(faulty)
    }

    func isText(_ name: String) -> Bool { points[name]?.isText ?? false }

    /// The names of the codes that a point sends, where it has any.
    func codes(_ name: String) -> [String] {
        if let field = fields[name] { return field.codes.values.compactMap(\.text).sorted() }
        guard let point = points[name] else { return [] }
        return point.values.sorted { $0.key < $1.key }.compactMap(\.value.text)
    }
}
