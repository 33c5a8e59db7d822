import Foundation

/// A JSON value within a message.
package enum Payload: Sendable, Equatable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number.
    case number(Double)
    /// A string.
    case text(String)
    /// An array.
    case list([Payload])
    /// An object.
    case object([String: Payload])

    /// An object without members.
    package static let empty = Payload.object([:])

    /// The member of an object; nothing where this is none, or the member is absent or `null`.
    package subscript(key: String) -> Payload? {
        guard case .object(let members) = self, let value = members[key], value != .null else { return nil }
        return value
    }

    /// The string, where it is one.
    package var asText: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The elements, where it is an array.
    package var asList: [Payload]? {
        guard case .list(let elements) = self else { return nil }
        return elements
    }

    /// The value as JSON.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Nothing in it can fail: its numbers come from JSON or are made here from finite ones.
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}

extension Payload: Codable {
    /// Reads any JSON value.
    /// - Throws: `DecodingError` for a number beyond a `Double`'s range.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([Payload].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: Payload].self))
        }
    }

    /// Writes the value; a whole number has no decimal point.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value):
            if let whole = Int(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
        case .text(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

extension Payload: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .number(Double(value)) }
    package init(arrayLiteral elements: Payload...) { self = .list(elements) }
    package init(dictionaryLiteral elements: (String, Payload)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
