import Foundation
import HubKit
import MQTT
import YAML

/// Where the hub listens, and the broker it speaks to.
extension ConfigurationReader {
    func readHTTP(_ reader: YAMLReader?) -> HTTPConfiguration {
        var http = HTTPConfiguration()
        guard var reader else { return http }
        defer { reader.finish() }
        if let listen = text(&reader, "listen"), let place = place(listen, reader) {
            (http.host, http.port) = place
        }
        http.tls = readListener(reader.optionalMapping("tls"))
        if let tls = http.tls, tls.host == http.host, tls.port == http.port, tls.port != 0 {
            reader.add("port \(tls.port) is taken by 'listen'", hint: "such as 0.0.0.0:8485", at: "tls")
        }
        if let socket = path(&reader, "socket") {
            http.socketPath = socket.path
            checkSocket(socket, reader)
        }
        http.protectsReading = reader.optionalBool("protect_reading") ?? false
        http.submissionsPerMinute = reader.optionalInt("submissions_per_minute", in: 1...6_000) ?? 60
        return http
    }

    private func readListener(_ reader: YAMLReader?) -> EncryptedListener? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let listen = text(&reader, "listen") ?? "0.0.0.0:8485"
        let certificate = pem(&reader, "certificate_file", of: "CERTIFICATE")
        let key = pem(&reader, "key_file", of: "PRIVATE KEY")
        guard let place = place(listen, reader), let certificate, let key else { return nil }
        return EncryptedListener(host: place.host, port: place.port, certificateFile: certificate, keyFile: key)
    }

    /// The path of a file that holds something in PEM.
    private func pem(_ reader: inout YAMLReader, _ key: String, of label: String) -> String? {
        guard let path = path(&reader, key, isRequired: true)?.path else { return nil }
        guard let content = FileManager.default.contents(atPath: path) else {
            reader.add("there is no file \(path) that can be read", hint: "name the file in PEM", at: key)
            return path
        }
        let text = String(decoding: content.prefix(1 << 20), as: UTF8.self)
        // Keys have the name of their kind before the words, such as EC PRIVATE KEY.
        let isThere = text.split(separator: "\n").contains {
            $0.hasPrefix("-----BEGIN ") && $0.contains("\(label)-----")
        }
        if !isThere {
            reader.add(
                "\(path) holds no \(label.lowercased()) in PEM", hint: "it has a line -----BEGIN \(label)-----", at: key
            )
        }
        return path
    }

    private func place(_ listen: String, _ reader: YAMLReader) -> (host: String, port: UInt16)? {
        let parts = listen.split(separator: ":", omittingEmptySubsequences: false)
        guard let last = parts.last, let port = UInt16(last), parts.count >= 2 else {
            reader.add(
                "'\(YAMLNode.shown(listen))' is not an address and a port", hint: "such as 127.0.0.1:8484",
                at: "listen")
            return nil
        }
        let host = parts.dropLast().joined(separator: ":").trimmingCharacters(in: ["[", "]"])
        if host.isEmpty {
            reader.add(
                "'\(YAMLNode.shown(listen))' has no address before the port",
                hint: "such as 127.0.0.1:\(port), or 0.0.0.0:\(port) for the whole network", at: "listen")
        } else if let (what, remedy) = HostName.fault(host) {
            reader.add("'\(YAMLNode.shown(host))' \(what)", hint: remedy, at: "listen")
        }
        return (host, port)
    }

    private func checkSocket(_ socket: URL, _ reader: YAMLReader) {
        // The kernel keeps the path in 108 bytes, its end included.
        if socket.path.utf8.count > 107 {
            reader.add(
                "the path has \(socket.path.utf8.count) bytes", hint: "a unix socket's path has at most 107",
                at: "socket")
        }
        let folder = socket.deletingLastPathComponent()
        if FileManager.default.kind(of: folder) != .typeDirectory {
            reader.add("there is no folder \(folder.path)", hint: "create it, or choose another path", at: "socket")
        }
    }

    func readMQTT(_ reader: YAMLReader?) -> MQTTConfiguration? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let host = host(&reader, "host", isRequired: true)
        let tls = readBrokerTLS(&reader)
        let port = reader.optionalInt("port", in: 1...65535) ?? (tls.isUsed ? 8883 : 1883)
        let user = text(&reader, "user")
        let password = secret(&reader, "password")
        if password != nil, user == nil, reader.optionalNode("user") == nil {
            reader.add("a password needs a user", hint: "add 'user:'", at: "password")
        }
        let base = topic(&reader, "base") ?? "offpeak"
        let prefix = topic(&reader, "discovery_prefix") ?? "homeassistant"
        let isAnnounced = reader.optionalBool("home_assistant") ?? true
        let fallbacks = readFallbacks(&reader)
        let keepsSession = reader.optionalBool("persistent_session") ?? false
        let clientID = clientID(&reader)
        // A stand-in keeps the faults of others that need a broker away.
        var mqtt = MQTTConfiguration(
            host: host ?? "localhost", port: UInt16(port), user: user, password: password, base: base,
            homeAssistantPrefix: isAnnounced ? prefix : nil, tls: tls)
        mqtt.fallbacks = fallbacks
        mqtt.keepsSession = keepsSession
        // Made from the base topic, which no two hubs at one broker share.
        mqtt.clientID = clientID ?? (keepsSession ? "offpeak-\(base.replacing("/", with: "-"))" : nil)
        return mqtt
    }

    private func clientID(_ reader: inout YAMLReader) -> String? {
        guard let id = text(&reader, "client_id") else { return nil }
        if id.wholeMatch(of: #/[A-Za-z0-9_-]{1,64}/#) == nil {
            reader.add(
                "'\(YAMLNode.shown(id))' can't be a client's name",
                hint: "use letters, digits, - and _, at most 64; brokers have to take 23", at: "client_id")
        }
        return id
    }

    /// Other brokers of the same cluster; a host alone has the port of the first.
    private func readFallbacks(_ reader: inout YAMLReader) -> [String] {
        guard let node = reader.optionalNode("fallback_hosts"), !node.isNull else { return [] }
        return (node.elements ?? [node]).compactMap { node -> String? in
            guard let text = node.scalar?.text, let place = MQTTPlace(text), HostName.fault(place.host) == nil else {
                issues.add(
                    "'\(YAMLNode.shown(node.scalar?.text ?? ""))' is no broker",
                    hint: "such as 192.0.2.6 or \"192.0.2.6:1884\"", at: node)
                return nil
            }
            return text
        }
    }

    /// The path to a value in the JSON of a topic that another key names.
    func path(of topic: String, _ reader: inout YAMLReader, _ key: String) -> String? {
        guard let path = text(&reader, key) else { return nil }
        if JSONPath(path) == nil {
            reader.add("'\(YAMLNode.shown(path))' is no path", hint: "such as battery.level", at: key)
        } else if reader.node[topic] == nil {
            reader.add("a path is for a topic", hint: "add '\(topic)'", at: key)
        }
        return path
    }

    func topic(_ reader: inout YAMLReader, _ key: String) -> String? {
        guard let topic = text(&reader, key) else { return nil }
        let what = key == "base" ? "a base topic" : "a topic"
        if let remedy = Self.remedy(for: topic) {
            reader.add("'\(YAMLNode.shown(topic))' can't be \(what)", hint: remedy, at: key)
        }
        return topic
    }

    /// What mends a text that can't be a topic; nothing for one that can.
    static func remedy(for topic: String) -> String? {
        if topic.contains("#") || topic.contains("+") { return "leave out # and +" }
        let isWrong =
            topic.isEmpty || topic.hasPrefix("/") || topic.hasSuffix("/") || topic.hasPrefix("$")
            || topic.utf8.count > 200
        return isWrong ? "use at most 200 letters, no / at either end and no $ before them" : nil
    }
}
