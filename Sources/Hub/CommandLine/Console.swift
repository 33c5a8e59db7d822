import Foundation

/// What the program says: answers to standard output, everything else to standard error.
enum Console {
    /// A line of the answer.
    static func out(_ text: String) {
        write(text, to: STDOUT_FILENO)
    }

    /// A line about what went wrong or goes on.
    static func error(_ text: String) {
        write(text, to: STDERR_FILENO)
    }

    /// Writes a line, and lets it go where it can't be written: nobody reads it then.
    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array((text + "\n").utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            start += count
        }
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
