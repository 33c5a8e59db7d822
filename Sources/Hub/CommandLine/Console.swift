import Foundation

/// What the program says: answers to standard output, everything else to standard error.
enum Console {
    /// A line of the answer.
    static func out(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// A line about what went wrong or goes on.
    static func error(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// A value as JSON with sorted keys.
    static func json(_ value: some Encodable, with encoder: JSONEncoder) throws {
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        out(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Rows under headings, in columns as wide as they need to be.
    static func table(_ headings: [String], _ rows: [[String]]) {
        let widths = headings.indices.map { column in
            ([headings] + rows).map { $0[column].count }.max() ?? 0
        }
        for row in [headings] + rows {
            let cells = zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
            out(cells.joined(separator: "  ").replacingOccurrences(of: " +$", with: "", options: .regularExpression))
        }
    }
}
