import Foundation
import HubKit
import YAML

/// How devices are reached.
extension ConfigurationReader {
    /// How a device is reached; the key that is given tells by what.
    func readConnection(_ reader: YAMLReader?) -> DeviceConnection {
        guard let reader else { return .none }
        let keys = reader.node.keys
        if keys.contains("ocpp") { return readOCPP(reader) }
        if keys.contains("url") { return readAddress(reader) }
        if keys.contains("topic") || keys.contains("broker") { return readTopic(reader) }
        // The topics of some devices all come from their parameters.
        if keys.contains("parameters"), !keys.contains("host"), !keys.contains("serial") { return readTopic(reader) }
        return readModbus(reader)
    }

    private func readModbus(_ section: YAMLReader) -> DeviceConnection {
        var reader = section
        defer { reader.finish() }
        let unit = reader.optionalInt("unit", in: 0...255).map { UInt8($0) }
        let serial = text(&reader, "serial")
        let hasHost = reader.optionalNode("host") != nil
        if reader.node["serial"] != nil {
            if hasHost {
                issues.add(
                    "a device is reached at a host or on a serial line, not both", hint: "remove one of the two",
                    at: reader.node.keyNode("host") ?? reader.node)
            }
            if let serial, !serial.hasPrefix("/") {
                reader.add(
                    "'\(YAMLNode.shown(serial))' is no path of a device", hint: "write it such as /dev/ttyUSB0",
                    at: "serial")
            }
            return .modbusRTU(
                path: serial ?? "", baud: reader.optionalInt("baud", in: 300...115_200),
                framing: text(&reader, "framing"), unit: unit)
        }
        let host = host(&reader, "host", isRequired: hasHost)
        let port = reader.optionalInt("port", in: 1...65535).map { UInt16($0) }
        if !hasHost, !reader.node.isIncomplete {
            issues.add(
                "a connection needs a host, a serial line, a topic, an address or a charger's name for OCPP",
                hint:
                    "such as {host: 192.0.2.7}, {serial: /dev/ttyUSB0}, {topic: …}, {url: \"http://192.0.2.7\"} or {ocpp: garage}",
                at: reader.node)
        }
        return .modbusTCP(host: host ?? "", port: port, unit: unit)
    }

    /// A charger that connects to the hub.
    private func readOCPP(_ section: YAMLReader) -> DeviceConnection {
        var reader = section
        defer { reader.finish() }
        for key in ["host", "serial", "url", "topic"] where reader.optionalNode(key) != nil {
            reader.add(
                "a charger of OCPP connects to the hub, not the hub to it", hint: "remove '\(key):' or 'ocpp:'", at: key
            )
        }
        var connection = OCPPConnection(chargePoint: text(&reader, "ocpp") ?? "")
        connection.password = secret(&reader, "password")
        connection.connector = reader.optionalInt("connector", in: 1...100) ?? 1
        connection.startsRemotely = reader.optionalBool("remote_start") ?? true
        return .ocpp(connection)
    }

    private func readTopic(_ section: YAMLReader) -> DeviceConnection {
        var reader = section
        defer { reader.finish() }
        var topic = DeviceTopic(text(&reader, "topic"))
        if let name = topic.topic,
            name.contains("#") || name.contains("+") || name.hasPrefix("/") || name.hasSuffix("/")
        {
            reader.add(
                "'\(YAMLNode.shown(name))' can't be a device's topic", hint: "leave out # and +, and / at either end",
                at: "topic")
        }
        let tls = readBrokerTLS(&reader)
        topic.usesTLS = tls.isUsed
        (topic.authorityFile, topic.certificateFile, topic.keyFile) = (
            tls.authorityFile, tls.certificateFile, tls.keyFile
        )
        if let broker = text(&reader, "broker") {
            let parts = broker.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let port = parts.count == 2 ? UInt16(parts[1]) : topic.usesTLS ? 8883 : 1883
            if let (what, remedy) = HostName.fault(parts[0]) {
                reader.add("'\(YAMLNode.shown(parts[0]))' \(what)", hint: remedy, at: "broker")
            } else if let port, port > 0 {
                topic.host = parts[0]
                topic.port = port
            } else {
                reader.add(
                    "'\(YAMLNode.shown(broker))' is no broker", hint: "such as 192.0.2.7 or 192.0.2.7:1883",
                    at: "broker")
            }
        }
        topic.user = text(&reader, "username")
        topic.password = secret(&reader, "password")
        if topic.host == nil, reader.node["broker"] == nil, topic.user != nil || topic.password != nil {
            reader.add(
                "the hub's own broker has its user under 'mqtt:'", hint: "remove it here, or add 'broker:'",
                at: reader.node["username"] == nil ? "password" : "username")
        }
        if topic.host == nil, reader.node["broker"] == nil,
            let key = ["tls", "ca_file", "certificate_file", "key_file"].first(where: { reader.node[$0] != nil })
        {
            reader.add(
                "the hub's own broker has its TLS under 'mqtt:'", hint: "remove it here, or add 'broker:'", at: key)
        }
        topic.parameters = readParameters(&reader)
        return .mqtt(topic)
    }

    private func readAddress(_ section: YAMLReader) -> DeviceConnection {
        var reader = section
        defer { reader.finish() }
        let url = text(&reader, "url", isRequired: true)
        var address = DeviceAddress(url ?? "http://localhost")
        if let url {
            let rest = ["http://", "https://"].first { url.hasPrefix($0) }.map { url.dropFirst($0.count) }
            if rest?.isEmpty ?? true || url.contains(where: { " ?#".contains($0) }) {
                reader.add(
                    "'\(YAMLNode.shown(url))' is no address of a device", hint: "such as http://192.0.2.7", at: "url")
            } else if rest?.contains("@") == true {
                reader.add(
                    "the address holds a user", hint: "write it as 'username' with 'password_file'", at: "url")
            }
        }
        address.user = text(&reader, "username")
        address.password = namedSecret(&reader, "password")
        address.token = namedSecret(&reader, "token")
        if address.user != nil, address.password == nil, reader.node["password_file"] == nil {
            reader.add("a user needs a password", hint: "add 'password_file'", at: "username")
        }
        if address.password != nil, address.token != nil {
            reader.add("there is a password too", hint: "keep one of token and password", at: "token_file")
        }
        address.pinnedKey = readPin(&reader, isHTTPS: url?.hasPrefix("https://") ?? true)
        address.parameters = readParameters(&reader)
        return .http(address)
    }

    /// A secret; where it is named but can't be read, a stand-in keeps the faults of others that need it away.
    private func namedSecret(_ reader: inout YAMLReader, _ key: String) -> String? {
        let isNamed = [key, key + "_file"].contains { reader.node[$0] != nil }
        return secret(&reader, key) ?? (isNamed ? "" : nil)
    }

    /// The key of a device with a certificate of its own.
    private func readPin(_ reader: inout YAMLReader, isHTTPS: Bool) -> String? {
        guard let pin = text(&reader, "public_key") else { return nil }
        let hash = pin.hasPrefix("sha256//") ? Data(base64Encoded: String(pin.dropFirst(8))) : nil
        if hash?.count != 32 {
            reader.add(
                "'\(YAMLNode.shown(pin))' is no public key",
                hint: "write sha256// and the Base64 of its SHA-256; docs/configuration.md shows how to get it",
                at: "public_key")
        } else if !isHTTPS {
            reader.add("a public key is for https", hint: "remove it, or write https:// in 'url'", at: "public_key")
        }
        return pin
    }

    /// What the profile's placeholders stand for.
    private func readParameters(_ reader: inout YAMLReader) -> [String: String] {
        guard let node = reader.optionalNode("parameters"), !node.isNull else { return [:] }
        guard let entries = node.entries else {
            issues.add("'parameters' should be a mapping", hint: "such as {channel: 0}", at: node)
            return [:]
        }
        var parameters: [String: String] = [:]
        for entry in entries {
            let text =
                entry.value.asString ?? entry.value.asInt.map(String.init) ?? entry.value.asDouble.map(YAMLNode.plain)
                ?? entry.value.asBool.map { $0 ? "true" : "false" }
            guard let text else {
                issues.add("a parameter is a single value", hint: "put it in quotes", at: entry.value)
                continue
            }
            parameters[entry.key] = text
        }
        return parameters
    }
}
