package import Foundation
import Guidance
import HubKit
import YAML

/// Reads `offpeak.yaml`; every fault of the file is reported with its place and what to do about it.
package struct ConfigurationReader {
    let file: URL
    let environment: [String: String]
    let issues = YAMLIssues()

    /// Reads a file.
    /// - Parameters:
    ///   - file: the configuration.
    ///   - environment: where `${NAME}` comes from.
    /// - Throws: `ConfigurationFaults` with every fault.
    package static func read(
        _ file: URL, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(ConfigurationFaults) -> HubConfiguration {
        let root: YAMLNode
        do {
            root = try YAMLNode.load(path: file.path)
        } catch {
            throw ConfigurationFaults([error.description])
        }
        let reader = ConfigurationReader(file: file, environment: environment)
        let configuration = reader.read(root)
        guard reader.issues.errors.isEmpty, let configuration else {
            throw ConfigurationFaults(reader.issues.errors.map(\.description))
        }
        return configuration
    }

    private func read(_ root: YAMLNode) -> HubConfiguration? {
        guard var reader = YAMLReader(root, issues: issues) else { return nil }
        let data = path(&reader, "data")
        if data == nil { _ = reader.string("data") }
        var configuration = HubConfiguration(dataFolder: data ?? URL(fileURLWithPath: "/nonexistent"))
        configuration.http = readHTTP(reader.optionalMapping("http"))
        configuration.mqtt = readMQTT(reader.optionalMapping("mqtt"))
        configuration.venues = readVenues(reader.optionalSequence("venues"), at: root)
        let circuits = readCircuits(reader.optionalSequence("circuits"))
        configuration.devices = readDevices(
            reader.optionalSequence("devices"), venues: configuration.venues, circuits: circuits)
        configuration.profileFolder = path(&reader, "profiles")
        readSinks(reader.optionalMapping("sinks"), into: &configuration)
        reader.finish()
        return data == nil ? nil : configuration
    }

    private func readHTTP(_ reader: YAMLReader?) -> HTTPConfiguration {
        var http = HTTPConfiguration()
        guard var reader else { return http }
        defer { reader.finish() }
        if let listen = text(&reader, "listen") {
            let parts = listen.split(separator: ":", omittingEmptySubsequences: false)
            if let last = parts.last, let port = UInt16(last), parts.count >= 2 {
                http.host = parts.dropLast().joined(separator: ":").trimmingCharacters(in: ["[", "]"])
                http.port = port
            } else {
                issues.add(
                    "'\(listen)' is not an address and a port", hint: "such as 127.0.0.1:8484",
                    at: reader.node["listen"] ?? reader.node)
            }
        }
        http.socketPath = readSocket(&reader)
        http.protectsReading = reader.optionalBool("protect_reading") ?? false
        http.submissionsPerMinute = reader.optionalInt("submissions_per_minute", in: 1...6_000) ?? 60
        return http
    }

    /// The system takes no longer path for a socket.
    private func readSocket(_ reader: inout YAMLReader) -> String? {
        guard let path = path(&reader, "socket")?.path else { return nil }
        if path.utf8.count > 107 {
            issues.add(
                "a socket's path has at most 107 bytes, this one has \(path.utf8.count)",
                hint: "choose a shorter one, such as /run/offpeak/http.sock",
                at: reader.node["socket"] ?? reader.node)
        }
        return path
    }

    private func readMQTT(_ reader: YAMLReader?) -> MQTTConfiguration? {
        guard var reader else { return nil }
        defer { reader.finish() }
        let host = text(&reader, "host") ?? reader.string("host")
        let port = reader.optionalInt("port", in: 1...65535) ?? 1883
        let user = text(&reader, "user")
        let password = secret(&reader, "password")
        let base = text(&reader, "base") ?? "offpeak"
        if base.contains("#") || base.contains("+") || base.isEmpty {
            issues.add(
                "'\(base)' can't be a base topic", hint: "leave out # and +", at: reader.node["base"] ?? reader.node)
        }
        return host.map { MQTTConfiguration(host: $0, port: UInt16(port), user: user, password: password, base: base) }
    }

    private func readCircuits(_ nodes: [YAMLNode]?) -> [String: Double] {
        var circuits: [String: Double] = [:]
        for node in nodes ?? [] {
            guard var reader = YAMLReader(node, issues: issues) else { continue }
            let name = reader.string("name")
            let amps = reader.double("amps", in: 1...1000)
            reader.finish()
            guard let name, let amps else { continue }
            if circuits[name] != nil { issues.add("two circuits are called '\(name)'", hint: "rename one", at: node) }
            circuits[name] = amps
        }
        return circuits
    }

    private func readSinks(_ reader: YAMLReader?, into configuration: inout HubConfiguration) {
        guard var reader else { return }
        configuration.sendsEventsToMQTT = reader.optionalBool("mqtt") ?? false
        if configuration.sendsEventsToMQTT, configuration.mqtt == nil {
            issues.add("the MQTT sink needs a broker", hint: "add mqtt: {host: 127.0.0.1}", at: reader.node)
        }
        reader.finish()
    }

    // MARK: - Scalars

    /// Text in which `${NAME}` stands for a variable of the environment.
    func text(_ reader: inout YAMLReader, _ key: String) -> String? {
        guard let raw = reader.optionalString(key) else { return nil }
        guard raw.contains("${") else { return raw }
        var result = raw
        for match in raw.matches(of: #/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/#) {
            let name = String(match.output.1)
            guard let value = environment[name] else {
                issues.add(
                    "the environment has no variable '\(name)'", hint: "set it, or write the value here",
                    at: reader.node[key] ?? reader.node)
                continue
            }
            result = result.replacingOccurrences(of: "${\(name)}", with: value)
        }
        return result
    }

    /// A path; relative ones start at the configuration's own folder.
    func path(_ reader: inout YAMLReader, _ key: String) -> URL? {
        text(&reader, key).map { URL(fileURLWithPath: $0, relativeTo: file.deletingLastPathComponent()).absoluteURL }
    }

    /// A secret: from `KEY_file`, or from `KEY` where it comes from the environment.
    func secret(_ reader: inout YAMLReader, _ key: String) -> String? {
        let fileKey = key + "_file"
        let direct = text(&reader, key)
        guard let path = path(&reader, fileKey) else { return direct }
        guard let content = try? String(contentsOf: path, encoding: .utf8) else {
            issues.add(
                "\(path.path) can't be read", hint: "create it with mode 0600 and the \(key) in it",
                at: reader.node[fileKey] ?? reader.node)
            return nil
        }
        return content.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

/// Everything that is wrong with a configuration, a line each.
package struct ConfigurationFaults: Error, CustomStringConvertible {
    /// `FILE:LINE:COLUMN: error: what; remedy`.
    package let lines: [String]

    /// Makes a list of faults.
    package init(_ lines: [String]) { self.lines = lines }

    package var description: String { lines.joined(separator: "\n") }
}
