import Foundation

/// A public surface as a set of facts, each a line of text, so that two surfaces can be compared and the difference read.
struct Surface: Equatable {
    /// `Container | declaration` for each declaration.
    var declarations: Set<String> = []
    /// `Type: Protocol` for each conformance, implied ones too; with a `where` for one of a type from elsewhere.
    var conformances: Set<String> = []

    /// Adds a type with the protocols that its declaration names.
    mutating func addType(_ declaration: String, in scope: [String], conformsTo protocols: [String]) {
        declarations.insert("\(scope.joined(separator: ".")) | \(declaration)")
        let name = Declaration.name(of: declaration)
        let path = (scope + [name]).joined(separator: ".")
        for name in Self.closure(of: protocols) { conformances.insert("\(path): \(name)") }
    }

    /// Adds a member.
    mutating func addMember(_ declaration: String, in scope: [String]) {
        declarations.insert("\(scope.joined(separator: ".")) | \(declaration)")
    }

    /// Adds the conformance of a type from elsewhere.
    mutating func addExtension(of name: String, conformsTo protocols: [String], where clause: String?) {
        for other in protocols {
            conformances.insert("\(name): \(other)" + (clause.map { " where \($0)" } ?? ""))
        }
    }

    /// What a conformance brings with it; a raw type counts as one.
    private static let implied: [String: [String]] = [
        "Codable": ["Decodable", "Encodable"], "Hashable": ["Equatable"], "Error": ["Sendable"],
        "LocalizedError": ["Error"], "Actor": ["Sendable"], "String": ["RawRepresentable"],
        "OptionSet": ["RawRepresentable", "SetAlgebra", "ExpressibleByArrayLiteral"], "SetAlgebra": ["Equatable"],
        "ElectricalLoadEventProtocol": ["Decodable", "Encodable", "Identifiable", "Sendable"],
    ]

    /// All protocols that the given ones come to.
    static func closure(of protocols: [String]) -> Set<String> {
        var found: Set<String> = []
        var open = protocols
        while let next = open.popLast() {
            guard found.insert(next).inserted else { continue }
            open += implied[next] ?? []
        }
        return found.subtracting(["Codable", "String"])
    }
}

/// The parts of a declaration's text.
enum Declaration {
    /// One space between words, none before a colon.
    static func tidy(_ text: some StringProtocol) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ").replacingOccurrences(of: " :", with: ":")
            .replacingOccurrences(of: "( ", with: "(").replacingOccurrences(of: "@discardableResult ", with: "")
    }

    /// The keyword that makes it a type, a protocol or an extension; `nil` for a member.
    static func typeKeyword(of declaration: String) -> Substring? {
        let words = declaration.split(separator: " ").prefix(2)
        return words.first { ["struct", "enum", "class", "actor", "protocol", "extension"].contains($0) }
    }

    /// The name of the type that it declares, without generic parameters.
    static func name(of declaration: String) -> String {
        let words = declaration.split(separator: " ")
        let name = words.first {
            !["final", "open", "struct", "enum", "class", "actor", "protocol", "extension"].contains($0)
        }
        return String((name ?? "").prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." })
    }

    /// A type's declaration without its protocols, and those.
    static func splitType(_ text: String) -> (declaration: String, protocols: [String], clause: String?) {
        let parts = text.components(separatedBy: " where ")
        let head = parts[0].components(separatedBy: ": ")
        let protocols = head.count > 1 ? head[1].components(separatedBy: ", ") : []
        let clause = parts.count > 1 ? parts[1] : nil
        let declaration = head[0].trimmingCharacters(in: .whitespaces)
        return (declaration, protocols.map { $0.trimmingCharacters(in: .whitespaces) }, clause)
    }

    /// Writes out the types in a member's declaration that are named from where it stands.
    /// - Parameters:
    ///   - text: the declaration.
    ///   - scope: the types around it, outermost first.
    ///   - types: the full names of all types.
    static func resolve(_ text: String, in scope: [String], types: Set<String>) -> String {
        guard !text.hasPrefix("typealias") else { return text }
        var resolved = ""
        var word = ""
        func flush() {
            resolved += word.first?.isUppercase == true && resolved.last != "." ? full(word, scope, types) : word
            word = ""
        }
        for character in text {
            if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
            } else {
                flush()
                resolved.append(character)
            }
        }
        flush()
        return resolved
    }

    private static func full(_ name: String, _ scope: [String], _ types: Set<String>) -> String {
        for count in stride(from: scope.count, through: 0, by: -1) {
            let candidate = (scope.prefix(count) + [name]).joined(separator: ".")
            if types.contains(candidate) { return candidate }
        }
        return name
    }
}
