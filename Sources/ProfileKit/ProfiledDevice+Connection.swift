import HubKit
import YAML

/// Whether a connection fits what its profile speaks.
struct ConnectionCheck {
    let connection: DeviceConnection
    let profile: DeviceProfile

    var faults: [DeviceFault] {
        switch (profile.link, connection) {
        case (_, .none):
            [DeviceFault("connection", "the device needs a connection", remedy: "add connection: \(example)")]
        case (.modbus, .modbusTCP), (.modbus, .modbusRTU): []
        case (.mqtt(let topics), .mqtt(let topic)): faults(topic, topics)
        case (.http(let requests), .http(let address)): faults(address, requests)
        default:
            [
                DeviceFault(
                    "connection", "the profile '\(profile.name)' speaks \(speech)",
                    remedy: "write connection: \(example)")
            ]
        }
    }

    private var speech: String {
        switch profile.link {
        case .modbus: "Modbus"
        case .mqtt: "MQTT"
        case .http: "HTTP"
        }
    }

    private var example: String {
        let needed = profile.parameters.filter { $0.fallback == nil }.map { "\($0.name): …" }
        let parameters = needed.isEmpty ? "" : ", parameters: {\(needed.joined(separator: ", "))}"
        return switch profile.link {
        case .modbus: "{host: 192.0.2.7}"
        case .mqtt(let topics) where topics.topic == nil && !profile.usesTopic && !needed.isEmpty:
            "{\(parameters.dropFirst(2))}"
        case .mqtt(let topics): "{topic: \(topics.topic ?? "…")\(parameters)}"
        case .http: "{url: \"http://192.0.2.7\"\(parameters)}"
        }
    }

    private func faults(_ topic: DeviceTopic, _ topics: ProfileTopics) -> [DeviceFault] {
        var faults = parameterFaults(topic.parameters)
        if topic.topic == nil, topics.topic == nil, profile.usesTopic {
            faults.append(
                DeviceFault(
                    "connection.topic", "the profile '\(profile.name)' needs the device's topic",
                    remedy: "add 'topic:' with what the device is called at the broker"))
        }
        return faults
    }

    private func faults(_ address: DeviceAddress, _ requests: ProfileRequests) -> [DeviceFault] {
        var faults = parameterFaults(address.parameters)
        guard !requests.logins.contains(where: { address.fits($0) }) else { return faults }
        let needed = requests.logins.contains { $0.takesToken } ? "token_file" : "username and password_file"
        if requests.logins == [.none] {
            faults.append(
                DeviceFault(
                    "connection", "the profile '\(profile.name)' knows no login",
                    remedy: "remove the user, password or token"))
        } else if requests.logins.contains(where: { $0.takesPassword || $0.takesToken }) {
            faults.append(
                DeviceFault(
                    "connection", "the profile '\(profile.name)' needs another login", remedy: "give \(needed)"))
        }
        return faults
    }

    private func parameterFaults(_ given: [String: String]) -> [DeviceFault] {
        let names = profile.parameters.map(\.name)
        let unknown = given.keys.sorted().filter { !names.contains($0) }.map { name in
            DeviceFault(
                "connection.parameters.\(name)",
                "the profile '\(profile.name)' has no parameter '\(YAMLNode.shown(name))'",
                remedy: NearestWord.advice(for: name, among: names, ifNone: "it has none: remove it"))
        }
        let missing = profile.parameters.filter { $0.fallback == nil && given[$0.name] == nil }.map { parameter in
            DeviceFault(
                "connection.parameters.\(parameter.name)",
                "the profile '\(profile.name)' needs '\(parameter.name)': \(parameter.about)",
                remedy: "add parameters: {\(parameter.name): …} to the connection")
        }
        guard missing.isEmpty else { return unknown + missing }
        if let (one, other, topic) = profile.sharedCommandTopic(for: connection) {
            return unknown + [
                DeviceFault(
                    "connection.parameters.\(other)",
                    "'\(one)' and '\(other)' are one topic: \(YAMLNode.shown(topic))",
                    remedy: "give each what it switches")
            ]
        }
        let filled = profile.filled(for: connection)
        let paths = filled.fieldPoints.compactMap(\.path)
        guard let wrong = paths.first(where: { JSONPath($0) == nil }) else { return unknown }
        return unknown + [
            DeviceFault(
                "connection.parameters", "with these parameters '\(YAMLNode.shown(wrong))' is no path in JSON",
                remedy: "see what the profile '\(profile.name)' says of each")
        ]
    }
}
