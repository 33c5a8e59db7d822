extension StringProtocol {
    /// The text as it may stand in a line for people, wherever it came from: what a terminal would obey or hide is written
    /// as an escape, and what is too long is cut.
    /// - Parameter longest: in Unicode scalars.
    package func shown(_ longest: Int) -> String {
        var line = String.UnicodeScalarView()
        var left = longest
        for scalar in unicodeScalars {
            guard left > 0 else { return String(line) + "…" }
            left -= 1
            guard scalar != "\t" else {
                line.append(" ")
                continue
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                line.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
            default: line.append(scalar)
            }
        }
        return String(line)
    }
}
