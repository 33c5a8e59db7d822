/// JSON as it was sent, to be looked over before it is decoded: Foundation's decoder takes unknown keys, the same key
/// twice and any depth without a word.
package indirect enum JSONTree: Sendable, Equatable {
    /// An object's members, in the order they were sent.
    case object([Member])
    case list([JSONTree])
    case number(Double)
    /// A text; what it says is left to the decoder.
    case text
    case flag
    case null

    /// One member of an object.
    package struct Member: Sendable, Equatable {
        package var key: String
        package var value: JSONTree
    }

    /// The value of an object's member, or nil where it has none of this key, or is no object.
    package subscript(key: String) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// What it is, with its article.
    package var kind: String {
        switch self {
        case .object: "an object"
        case .list: "a list"
        case .number: "a number"
        case .text: "a text"
        case .flag: "true or false"
        case .null: "null"
        }
    }
}

/// Why a text is no JSON, and where.
package struct JSONSyntaxError: Error, Equatable, CustomStringConvertible {
    /// From 1.
    package let line: Int
    /// In bytes, from 1.
    package let column: Int
    /// What is wrong there.
    package let reason: String

    /// Place and reason.
    package var description: String { "line \(line), column \(column): \(reason)" }
}

extension JSONTree {
    /// The deepest nesting that is read; what the hub takes needs four levels.
    package static let maximumDepth = 32

    /// Reads JSON (RFC 8259), and nothing beside it.
    /// - Throws: `JSONSyntaxError` at the first byte that is wrong.
    package init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes)
        self = try scanner.document()
    }
}
