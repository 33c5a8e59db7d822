/// Text with placeholders such as `{topic}` or `{value}`.
///
/// A placeholder is a name of small letters, digits and `_` in braces with nothing else between them, so that JSON keeps
/// its own braces: `{"current": {value}}`.
public struct TextTemplate: Sendable, Equatable {
    private enum Piece: Sendable, Equatable {
        case text(String)
        case name(String)
    }

    private let pieces: [Piece]

    /// Reads a text.
    public init(_ text: String) {
        var pieces: [Piece] = []
        var plain = ""
        var rest = text[...]
        while let first = rest.first {
            if first == "{", let name = Self.name(rest.dropFirst()) {
                if !plain.isEmpty { pieces.append(.text(plain)) }
                plain = ""
                pieces.append(.name(name))
                rest = rest.dropFirst(name.count + 2)
            } else {
                plain.append(first)
                rest = rest.dropFirst()
            }
        }
        if !plain.isEmpty { pieces.append(.text(plain)) }
        self.pieces = pieces
    }

    private static func name(_ text: Substring) -> String? {
        let name = text.prefix { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "_") }
        guard let first = name.first, first.isLetter, text.dropFirst(name.count).first == "}" else { return nil }
        return String(name)
    }

    /// The placeholders, in their order.
    public var names: [String] {
        pieces.compactMap { if case .name(let name) = $0 { name } else { nil } }
    }

    /// The text with what is known put in; other placeholders stay.
    public func filled(_ values: [String: String]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .name(let name): values[name] ?? "{\(name)}"
            }
        }.joined()
    }
}
