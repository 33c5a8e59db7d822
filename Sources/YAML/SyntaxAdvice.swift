/// What a person can do about a message of libyaml.
enum SyntaxAdvice {
    /// A hint for the problem `what` at `mark`.
    static func hint(for what: String, at mark: YAMLMark, in source: YAMLSource) -> String? {
        if isAfterTab(mark, in: source) { return "indent with spaces, not tabs" }
        return advice.first { what.contains($0.problem) }?.hint
    }

    private static let advice: [(problem: String, hint: String)] = [
        ("mapping values are not allowed", "check the indentation, or put a value that contains ': ' in quotes"),
        ("could not find expected ':'", "put ': ' after the key, or check the indentation"),
        ("did not find expected key", "check that this line begins in the same column as its neighbours"),
        ("did not find expected '-'", "check that each '- ' of the list begins in the same column"),
        ("did not find expected ',' or", "put a comma between the values, or close the bracket"),
        ("unexpected end of stream", "close the quotes"),
        ("cannot start any token", "put the value in quotes"),
        ("unknown escape", "use single quotes, or write \\\\ for a backslash"),
        ("undefined tag handle", "remove the tag"),
        ("did not find expected <document start>", "put the whole file into one mapping"),
        ("block sequence entries are not allowed", "begin the list on a line of its own"),
        ("block mapping entries", "begin the mapping on a line of its own"),
    ]

    private static func isAfterTab(_ mark: YAMLMark, in source: YAMLSource) -> Bool {
        guard let text = source.text(ofLine: mark.line)?.unicodeScalars else { return false }
        return text.prefix { $0 == " " || $0 == "\t" }.contains("\t")
    }
}
