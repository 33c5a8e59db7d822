/// One import in a source file.
struct Import: Equatable {
    let module: String
    /// Counted from 1.
    let line: Int
    let isTestable: Bool
}

extension SourceText {
    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor",
    ]
    private static let modifiers: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]

    /// Every import, whatever its attributes, access level and kind.
    var imports: [Import] {
        lines.enumerated().flatMap { number, line in
            line.code.split(separator: ";").compactMap { Self.parseImport($0, line: number + 1) }
        }
    }

    private static func parseImport(_ statement: Substring, line: Int) -> Import? {
        var words = statement.split { $0 == " " || $0 == "\t" }[...]
        var isTestable = false
        while let word = words.first, word.hasPrefix("@") || modifiers.contains(word) {
            isTestable = isTestable || word == "@testable"
            words.removeFirst()
        }
        guard words.first == "import", words.count >= 2 else { return nil }
        words.removeFirst()
        if let word = words.first, kinds.contains(word) { words.removeFirst() }
        guard let path = words.first, let module = path.split(separator: ".").first else { return nil }
        return Import(module: module.filter { $0 != "`" }, line: line, isTestable: isTestable)
    }
}
