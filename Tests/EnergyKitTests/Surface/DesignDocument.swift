import Foundation

/// The code block of the project's design that lists Apple's surface, where the design is at hand.
///
/// It is written for readers: several declarations a line, comments that hold conformances, and one type described as
/// like another.
struct DesignDocument {
    /// Its declarations.
    let entries: [OutlineEntry]

    /// Reads the document.
    /// - Returns: `nil` where there is none.
    init?() throws {
        var folder = AppleSurface.file("")
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent("shared/design/energykit.md")
            guard FileManager.default.fileExists(atPath: candidate.path) else { continue }
            let text = try String(contentsOf: candidate, encoding: .utf8)
            guard let start = text.range(of: "```swift\n"),
                let end = text.range(of: "\n```", range: start.upperBound..<text.endIndex)
            else { return nil }
            var reader = BlockReader(text[start.upperBound..<end.lowerBound])
            entries = reader.read()
            return
        }
        return nil
    }
}

/// Reads declarations out of a block of Swift-like text.
private struct BlockReader {
    private var code: [Character] = []
    private var comments: [String] = []
    private var lineOf: [Int] = []
    private var entries: [OutlineEntry] = []
    private var scope: [String] = []
    private var statement = ""
    private var depth = 0
    /// The declarations of types that others are said to be like, by their full name.
    private static let alike = ["ElectricHVACLoadEvent.Session": "ElectricVehicleLoadEvent.Session"]

    init(_ text: Substring) {
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            var bare = line.components(separatedBy: "//")[0]
            while let open = bare.range(of: "/*"), let close = bare.range(of: "*/") {
                bare.removeSubrange(open.lowerBound..<close.upperBound)
            }
            comments.append(line.components(separatedBy: "//").dropFirst().joined(separator: "//"))
            code += Array(bare) + ["\n"]
            lineOf += Array(repeating: number, count: bare.count + 1)
        }
    }

    mutating func read() -> [OutlineEntry] {
        var index = 0
        while index < code.count {
            let character = code[index]
            switch character {
            case "(": depth += 1
            case ")": depth -= 1
            default: break
            }
            switch character {
            case "{": index = open(at: index)
            case "}": close(index)
            case ";" where depth == 0: flush(index)
            case "\n" where depth == 0 && !goesOn(after: index): flush(index)
            default: statement.append(character == "\n" ? " " : character)
            }
            index += 1
        }
        return entries
    }

    /// An accessor block is part of its declaration; any other brace begins a type's members.
    private mutating func open(at index: Int) -> Int {
        let rest = code[index...].prefix(16)
        if let end = rest.firstIndex(of: "}"), String(code[index...end]).contains("get") {
            statement += String(code[index...end])
            return end
        }
        let header = Declaration.tidy(statement)
        entries.append(OutlineEntry(scope: scope, text: header, comment: comments[lineOf[index]]))
        scope.append(Declaration.name(of: header))
        statement = ""
        return index
    }

    private mutating func close(_ index: Int) {
        flush(index)
        let path = scope.joined(separator: ".")
        if let model = Self.alike[path] {
            let members = entries.filter { ($0.scope.joined(separator: ".") + ".").hasPrefix(model + ".") }
            let count = model.split(separator: ".").count
            entries += members.map {
                OutlineEntry(scope: scope + $0.scope.dropFirst(count), text: $0.text, comment: $0.comment)
            }
        }
        scope.removeLast()
    }

    private func goesOn(after index: Int) -> Bool {
        if Declaration.tidy(statement).hasSuffix(",") { return true }
        let next = String(code[index...].drop { $0.isWhitespace }.prefix(6))
        return !Declaration.tidy(statement).isEmpty && (next.hasPrefix("where ") || next.hasPrefix("->"))
    }

    private mutating func flush(_ index: Int) {
        let text = Declaration.tidy(statement)
        statement = ""
        guard !text.isEmpty else { return }
        for part in Self.split(text) {
            entries.append(OutlineEntry(scope: scope, text: part, comment: comments[lineOf[index]]))
        }
    }

    /// `case a, b` and `var a, b: T` as one declaration each.
    private static func split(_ text: String) -> [String] {
        let word = text.prefix { $0 != " " }
        let rest = text.dropFirst(word.count + 1)
        switch word {
        case "case" where !rest.contains("("): return rest.components(separatedBy: ", ").map { "case \($0)" }
        case "case": return rest.components(separatedBy: "), ").map { "case \($0)" }
        case "var":
            let parts = rest.components(separatedBy: ": ")
            return parts[0].components(separatedBy: ", ").map {
                "var \($0): \(parts.dropFirst().joined(separator: ": "))"
            }
        default: return [text]
        }
    }
}
