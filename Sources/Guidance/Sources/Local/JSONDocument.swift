import Foundation

/// Any JSON value, to be looked into by paths.
enum JSONDocument: Decodable, Sendable, Equatable {
    case object([String: JSONDocument])
    case list([JSONDocument])
    case text(String)
    case number(Double)
    case truth(Bool)
    case null

    init(from decoder: any Decoder) throws {
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

    /// The value at a path such as `data.prices[0].value`; an empty path is the value itself, nil when there is none.
    func value(at path: String) -> JSONDocument? {
        var current = self
        for step in Self.steps(of: path) {
            switch (current, step) {
            case (.object(let members), .name(let name)):
                guard let next = members[name] else { return nil }
                current = next
            case (.list(let items), .index(let index)):
                guard items.indices.contains(index) else { return nil }
                current = items[index]
            default: return nil
            }
        }
        return current
    }

    /// A text at a path.
    func text(at path: String) -> String? {
        if case .text(let text) = value(at: path) { return text }
        return nil
    }

    private enum Step {
        case name(String)
        case index(Int)
    }

    private static func steps(of path: String) -> [Step] {
        let plain = path.hasPrefix("$.") ? String(path.dropFirst(2)) : path == "$" ? "" : path
        return plain.split(whereSeparator: { ".[".contains($0) }).map { part in
            if part.hasSuffix("]"), let index = Int(part.dropLast()) { return .index(index) }
            return .name(String(part))
        }
    }
}
