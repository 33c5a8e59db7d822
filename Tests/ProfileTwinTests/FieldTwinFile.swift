import Foundation
import HubKit
import Testing
import YAML

/// What a device is known to say in messages or answers, and to take: a file under `etc/twins`.
struct FieldTwinFile: Sendable, CustomTestStringConvertible {
    struct Message: Sendable, Equatable {
        var topic: String
        var payload: String
        var isRetained = false
    }

    struct Step: Sendable {
        var name: String
        /// Messages by topic, or answers by request.
        var changes: [Message]
        var expected: TwinFile.Expected
        var health: DeviceHealth.State
    }

    struct Order: Sendable {
        var command: DeviceCommand
        /// Topics with payloads, or requests with bodies.
        var sent: [String]
    }

    var name: String
    var kind: DeviceKind
    var profile: String
    var options: [String]
    var topic: String?
    var parameters: [String: String]
    var token: String?
    /// Whether it speaks over a broker.
    var isMQTT: Bool
    /// Messages by topic, or answers by request.
    var said: [Message]
    var expected: TwinFile.Expected
    var steps: [Step]
    var orders: [Order]

    var testDescription: String { name }

    /// Whether a file is of messages or answers.
    static func isOne(_ file: URL) throws -> Bool {
        let root = try YAMLNode.parse(String(contentsOf: file, encoding: .utf8), file: file.lastPathComponent)
        return root["messages"] != nil || root["answers"] != nil
    }

    /// Every file, by kind and name.
    static func all() throws -> [FieldTwinFile] {
        try DeviceKind.allCases.flatMap { kind in
            let folder = TwinFile.folder.appendingPathComponent(kind.rawValue)
            let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            return try files.sorted { $0.path < $1.path }.filter { try isOne($0) }.map { try FieldTwinFile($0, kind) }
        }
    }
}

// MARK: - Reading the file

extension FieldTwinFile {
    init(_ file: URL, _ kind: DeviceKind) throws {
        let root = try YAMLNode.parse(String(contentsOf: file, encoding: .utf8), file: file.lastPathComponent)
        let known: Set = [
            "profile", "options", "topic", "parameters", "token", "messages", "answers", "reading", "states", "then",
            "commands",
        ]
        for key in root.keys where !known.contains(key) {
            throw TwinFile.Fault(description: "\(file.path): what is '\(key)'?")
        }
        guard let profile = root["profile"]?.asString else {
            throw TwinFile.Fault(description: "\(file.path) needs 'profile'")
        }
        self.kind = kind
        self.profile = profile
        name = file.deletingPathExtension().lastPathComponent
        options = (root["options"]?.elements ?? []).compactMap(\.asString)
        topic = root["topic"]?.asString
        token = root["token"]?.asString
        parameters = Dictionary(
            (root["parameters"]?.entries ?? []).map { ($0.key, $0.value.asString ?? "") }
        ) { first, _ in first }
        isMQTT = root["messages"] != nil
        said = try Self.messages(root["messages"] ?? root["answers"])
        expected = try TwinFile.Expected(root)
        steps = try (root["then"]?.elements ?? []).map { node in
            guard let name = node["name"]?.asString, let set = node["set"] else {
                throw TwinFile.Fault(description: "\(file.path):\(node.line): a step needs 'name' and 'set'")
            }
            let health = node["health"]?.asString.flatMap { DeviceHealth.State(rawValue: $0) } ?? .ok
            return Step(
                name: name, changes: try Self.messages(set), expected: try TwinFile.Expected(node), health: health)
        }
        orders = try (root["commands"]?.elements ?? []).map { node in
            let messages = (node["messages"]?.elements ?? []).map { message in
                (message.elements ?? []).compactMap(\.asString).joined(separator: " ")
            }
            let requests = (node["requests"]?.elements ?? []).compactMap(\.asString)
            return Order(command: try TwinFile.Order.command(node), sent: messages + requests)
        }
    }

    private static func messages(_ node: YAMLNode?) throws -> [Message] {
        try (node?.entries ?? []).map { entry in
            let payload = entry.value.asString ?? entry.value["payload"]?.asString
            guard let payload else {
                throw TwinFile.Fault(description: "line \(entry.value.line): \(entry.key) needs a text")
            }
            return Message(
                topic: entry.key, payload: payload, isRetained: entry.value["retained"]?.asBool ?? false)
        }
    }
}
