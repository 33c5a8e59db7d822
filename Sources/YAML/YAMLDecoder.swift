/// Decodes `Decodable` types from YAML; every error says where and what.
package struct YAMLDecoder {
    /// Whether a key that the type never asked for is an error.
    package var rejectsUnknownKeys: Bool
    /// Values for the types' own `init(from:)`.
    package var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// How much the document may hold.
    package var limits = YAMLLimits()

    /// Makes a decoder.
    package init(rejectsUnknownKeys: Bool = false) {
        self.rejectsUnknownKeys = rejectsUnknownKeys
    }

    /// Decodes the only document of `text`.
    /// - Parameter file: the name that errors carry.
    package func decode<T: Decodable>(_ type: T.Type, from text: String, file: String) throws(YAMLError) -> T {
        try decode(type, from: try YAMLNode.parse(text, file: file, limits: limits))
    }

    /// Decodes a node and all below it.
    package func decode<T: Decodable>(_ type: T.Type, from node: YAMLNode) throws(YAMLError) -> T {
        let log = AskedKeys()
        let decoder = NodeDecoder(node: node, codingPath: [], userInfo: userInfo, log: log)
        let value = try decoder.value(type)
        if rejectsUnknownKeys, let error = log.firstUnknownKey() { throw error }
        return value
    }
}

/// Remembers which keys of which mapping a type asked for.
final class AskedKeys {
    private var mappings: [String: (node: YAMLNode, keys: Set<String>)] = [:]

    /// Notes that `node` is read by key.
    func open(_ node: YAMLNode) {
        if mappings[node.path] == nil { mappings[node.path] = (node, []) }
    }

    /// Notes that `key` of `node` was asked for.
    func ask(_ key: String, of node: YAMLNode) {
        mappings[node.path, default: (node, [])].keys.insert(key)
    }

    /// The keys of `node` that nobody asked for yet.
    func unasked(of node: YAMLNode) -> [String] {
        let asked = mappings[node.path]?.keys ?? []
        return node.keys.filter { !asked.contains($0) }
    }

    /// An error at the first key of the file that nobody asked for.
    func firstUnknownKey() -> YAMLError? {
        let issues = YAMLIssues()
        for (node, asked) in mappings.values {
            for key in unasked(of: node) {
                let nearest = NearestWord.match(key, among: asked.sorted()).map { "did you mean '\($0)'?" }
                let known = asked.isEmpty ? "remove it" : "known here: \(asked.sorted().joined(separator: ", "))"
                issues.add(
                    "unknown key '\(YAMLNode.shown(key))'", hint: nearest ?? known, at: node.keyNode(key) ?? node)
            }
        }
        return issues.errors.first
    }
}

/// The `Decoder` at one node.
struct NodeDecoder: Decoder {
    let node: YAMLNode
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any]
    let log: AskedKeys

    init(node: YAMLNode, codingPath: [any CodingKey], userInfo: [CodingUserInfoKey: Any], log: AskedKeys) {
        self.node = node
        self.codingPath = codingPath
        self.userInfo = userInfo
        self.log = log
    }

    /// The decoder of a value below this one.
    func below(_ node: YAMLNode, _ key: any CodingKey) -> NodeDecoder {
        NodeDecoder(node: node, codingPath: codingPath + [key], userInfo: userInfo, log: log)
    }

    /// Decodes `type` here and gives every error this node's place, unless it has one already.
    func value<T: Decodable>(_ type: T.Type) throws(YAMLError) -> T {
        do {
            return try T(from: self)
        } catch let error as YAMLError {
            throw error
        } catch let error as DecodingError {
            throw located(error, decoding: type)
        } catch {
            throw node.error("\(error)", hint: nil)
        }
    }

    private func located(_ error: DecodingError, decoding type: Any.Type) -> YAMLError {
        if let choices = Self.rawValues(of: type), let scalar = node.scalar {
            return node.unknownChoice(scalar.text, of: choices)
        }
        return switch error {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            node.error(context.debugDescription, hint: nil)
        @unknown default: node.error("\(error)", hint: nil)
        }
    }

    private static func rawValues(of type: Any.Type) -> [String]? {
        func list<T: RawRepresentable & CaseIterable>(_ type: T.Type) -> [String] {
            type.allCases.map { "\($0.rawValue)" }
        }
        guard let type = type as? any (RawRepresentable & CaseIterable).Type else { return nil }
        return list(type)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard node.shape == .mapping else { throw node.mismatch("a mapping", hint: nil) }
        log.open(node)
        return KeyedDecodingContainer(MappingContainer(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = node.elements else { throw node.mismatch("a list", hint: nil) }
        return SequenceContainer(decoder: self, elements: elements)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        ScalarContainer(decoder: self)
    }
}
