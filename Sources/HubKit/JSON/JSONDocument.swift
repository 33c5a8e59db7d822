import Foundation

/// Any JSON value, to be looked into by paths.
package enum JSONDocument: Decodable, Sendable, Equatable {
    case object([String: JSONDocument])
    case list([JSONDocument])
    case text(String)
    case number(Double)
    case truth(Bool)
    case null

    /// Reads a value.
    /// - Throws: `DecodingError` when it is no JSON.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let truth = try? container.decode(Bool.self) {
            self = .truth(truth)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([JSONDocument].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: JSONDocument].self))
        }
    }

    /// Reads bytes; nil where they are no JSON.
    package init?(bytes: [UInt8]) {
        guard let value = try? JSONDecoder().decode(JSONDocument.self, from: Data(bytes)) else { return nil }
        self = value
    }

    /// The value at a path such as `data.prices[0].value`; an empty path is the value itself, nil when there is none.
    package func value(at path: String) -> JSONDocument? { JSONPath(path).flatMap { value(at: $0) } }

    /// The value at a path; nil when there is none.
    package func value(at path: JSONPath) -> JSONDocument? {
        var current = self
        for step in path.steps {
            switch (current, step) {
            case (.object(let members), .name(let name)):
                guard let next = members[name] else { return nil }
                current = next
            case (.list(let items), .index(let index)):
                guard items.indices.contains(index) else { return nil }
                current = items[index]
            case (.list(let items), .having(let conditions)):
                guard let next = items.first(where: { $0.has(conditions) }) else { return nil }
                current = next
            default: return nil
            }
        }
        return current
    }

    private func has(_ conditions: [JSONPath.Condition]) -> Bool {
        guard case .object(let members) = self else { return false }
        return conditions.allSatisfy { members[$0.name]?.plainText == $0.value }
    }

    /// A text at a path.
    package func text(at path: String) -> String? {
        if case .text(let text) = value(at: path) { return text }
        return nil
    }

    /// A single value as a person writes it: a text as it is, `21.5`, `true`, `null`; nil for lists and objects.
    package var plainText: String? {
        switch self {
        case .text(let text): text
        case .number(let number): JSONDocument.plain(number)
        case .truth(let truth): truth ? "true" : "false"
        case .null: "null"
        case .list, .object: nil
        }
    }

    /// A number as a person writes it: whole numbers without a point, and never an exponent below 1e15.
    package static func plain(_ number: Double) -> String {
        if number == number.rounded(), abs(number) < 1e15 { return String(Int64(number)) }
        return "\(number)"
    }
}
