package import Foundation

/// Any JSON, for tests that look at an answer's shape rather than decode it with the hub's own types.
package enum JSONValue: Sendable, Equatable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads a value.
    /// - Throws: `DecodingError` when it is no JSON.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Reads text; nil where it is no JSON.
    package init?(text: String) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) else { return nil }
        self = value
    }

    /// A member of an object; `.null` where there is none.
    package subscript(_ key: String) -> JSONValue { object[key] ?? .null }
    /// An element of an array; `.null` where there is none.
    package subscript(_ index: Int) -> JSONValue { array.indices.contains(index) ? array[index] : .null }

    /// The members of an object; empty for anything else.
    package var object: [String: JSONValue] { if case .object(let value) = self { value } else { [:] } }
    /// The elements of an array; empty for anything else.
    package var array: [JSONValue] { if case .array(let value) = self { value } else { [] } }
    /// The text, where it is text.
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The number, where it is one.
    package var number: Double? { if case .number(let value) = self { value } else { nil } }
    /// The boolean, where it is one.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The time that a text stands for, where it is one.
    package var date: Date? {
        string.flatMap { text in
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
            return try? Date(text, strategy: style)
        }
    }
}
