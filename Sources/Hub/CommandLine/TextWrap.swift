import Foundation

/// Text in lines that a terminal has room for.
enum TextWrap {
    /// The usual width of a terminal in characters.
    static let usualWidth = 80

    /// Breaks a text at blanks.
    /// - Parameters:
    ///   - width: the longest line in characters; a word longer than that stays whole.
    ///   - indent: blanks before every line but the first.
    static func lines(_ text: String, width: Int = usualWidth, indent: Int = 0) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.isEmpty {
                line = (lines.isEmpty ? "" : margin) + word
            } else if line.count + 1 + word.count <= width {
                line += " " + word
            } else {
                lines.append(line)
                line = margin + word
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }

    /// A name in a column of its own, and text beside it in as many lines as it needs.
    static func entry(_ name: String, _ text: String, column: Int, width: Int = usualWidth) -> String {
        let head = name.padding(toLength: max(column - 2, name.count), withPad: " ", startingAt: 0) + "  "
        let rest = lines(text, width: width - column)
        let margin = String(repeating: " ", count: column)
        guard name.count > column - 2 else { return head + rest.joined(separator: "\n" + margin) }
        return name + rest.map { "\n" + margin + $0 }.joined()
    }
}
