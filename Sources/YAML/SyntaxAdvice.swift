/// What a person can do about a message of libyaml.
enum SyntaxAdvice {
    /// A hint for the problem `what` at `mark`; there is always one.
    static func hint(for what: String, at mark: YAMLMark, in source: YAMLSource) -> String {
        if isTab(what, at: mark, in: source) { return "indent with spaces, not tabs" }
        if isQuoteTrouble(what), let line = lineWithOpenQuote(before: mark, in: source) {
            return "close the quotes on line \(line)"
        }
        return advice.first { what.contains($0.problem) }?.hint
            ?? "look at this line and the one above it, and put values with special characters in quotes"
    }

    private static let advice: [(problem: String, hint: String)] = [
        ("mapping values are not allowed", "check the indentation, or put a value that contains ': ' in quotes"),
        ("mapping keys are not allowed", "check the indentation, or put a value that begins with '?' in quotes"),
        ("could not find expected ':'", "put ': ' after the key, or check the indentation"),
        ("did not find expected key", "check that this line begins in the same column as its neighbours"),
        ("did not find expected '-'", "check that each '- ' of the list begins in the same column"),
        ("did not find expected ',' or", "put a comma between the values, or close the bracket"),
        ("did not find expected node content", "write a value here, or close the bracket"),
        ("found unexpected ':'", "put the value in quotes"),
        ("unexpected end of stream", "close the quotes"),
        ("unexpected document indicator", "close the quotes above this line"),
        ("cannot start any token", "put the value in quotes"),
        ("unknown escape", "use single quotes, or write \\\\ for a backslash"),
        ("hexdecimal number", "use single quotes, or write \\\\ for a backslash"),
        ("Unicode character escape", "write the character itself"),
        ("undefined tag handle", "remove the tag"),
        ("tag", "remove the tag, or put a value that begins with '!' in quotes"),
        ("did not find expected <document start>", "put the whole file into one mapping"),
        ("block sequence entries are not allowed", "begin the list on a line of its own"),
        ("block mapping entries", "begin the mapping on a line of its own"),
        ("alphabetic or numeric character", "put a value that begins with '*' or '&' in quotes"),
        ("comment or line break", "leave only a comment behind the value, or put the whole value in quotes"),
        ("indentation indicator", "write | or > alone"),
        ("directive", "remove the line that begins with %, or put the value in quotes"),
        ("YAML document", "remove the line that begins with %YAML"),
    ]

    /// Whether a tab is what libyaml stumbles over.
    static func isTab(_ what: String, at mark: YAMLMark, in source: YAMLSource) -> Bool {
        isAfterTab(mark, in: source) || what.contains("tab character")
    }

    private static func isAfterTab(_ mark: YAMLMark, in source: YAMLSource) -> Bool {
        guard let text = source.text(ofLine: mark.line)?.unicodeScalars else { return false }
        return text.prefix { $0 == " " || $0 == "\t" }.contains("\t")
    }

    private static func isQuoteTrouble(_ what: String) -> Bool {
        [
            "expected key", "expected ':'", "comment or line break", "expected ',' or", "mapping values",
            "unexpected ':'",
        ]
        .contains { what.contains($0) }
    }

    /// The nearest of the last lines with an odd number of double quotes: a quote that is closed by the next one's
    /// opening makes trouble only there.
    private static func lineWithOpenQuote(before mark: YAMLMark, in source: YAMLSource) -> Int? {
        for line in stride(from: mark.line, through: max(1, mark.line - 10), by: -1) {
            guard let text = source.text(ofLine: line)?.utf8 else { continue }
            var count = 0
            var isEscaped = false
            for byte in text {
                if byte == UInt8(ascii: "\""), !isEscaped { count += 1 }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            }
            if count % 2 == 1 { return line }
        }
        return nil
    }
}
