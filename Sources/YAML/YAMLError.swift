/// A place in a YAML file, counted from 1 as editors do.
package struct YAMLMark: Sendable, Hashable, Comparable {
    /// The line; the first is 1.
    package let line: Int
    /// The column in characters; the first is 1.
    package let column: Int

    /// Makes a place.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Whether `left` stands before `right` in the file.
    package static func < (left: YAMLMark, right: YAMLMark) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// What is wrong in a YAML file, where, and how to mend it.
package struct YAMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// How grave it is.
    package enum Severity: String, Sendable {
        /// The file can't be used like this.
        case error
        /// It can, but a person should look at it.
        case warning
    }

    /// The file's name as the caller gave it.
    package let file: String
    /// The line, from 1; also 1 if the file could not be read at all.
    package let line: Int
    /// The column in characters, from 1; also 1 if the file could not be read at all.
    package let column: Int
    /// The way from the root to the value, such as `devices[2].connection.host`; empty at the root.
    package let path: String
    /// What is wrong.
    package let message: String
    /// How to mend it.
    package let hint: String?
    /// The line of the file with a caret under the column, if there is such a line.
    package let excerpt: String?
    /// How grave it is.
    package let severity: Severity

    /// Makes an error from its parts.
    package init(
        file: String, line: Int = 1, column: Int = 1, path: String = "", message: String, hint: String?,
        excerpt: String? = nil, severity: Severity = .error
    ) {
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.message = message
        self.hint = hint
        self.excerpt = excerpt
        self.severity = severity
    }

    /// The same as a warning.
    package var asWarning: YAMLError {
        YAMLError(
            file: file, line: line, column: column, path: path, message: message, hint: hint, excerpt: excerpt,
            severity: .warning)
    }

    /// `FILE:LINE:COLUMN: error: PATH: what; how to mend it`, on one line.
    package var description: String {
        let subject = path.isEmpty ? "" : "\(path): "
        let advice = hint.map { "; \($0)" } ?? ""
        return "\(file):\(line):\(column): \(severity.rawValue): \(subject)\(message)\(advice)"
    }

    /// Whether it stands before another: by file, line and column.
    package func isBefore(_ other: YAMLError) -> Bool {
        (file, line, column) < (other.file, other.line, other.column)
    }

    /// The description, then the line of the file with a caret under the column.
    package var detailedDescription: String {
        excerpt.map { "\(description)\n\($0)" } ?? description
    }
}

/// How much a YAML document may hold before it is refused.
package struct YAMLLimits: Sendable {
    /// The largest document in bytes.
    package var bytes: Int
    /// The deepest nesting of sequences and mappings, with aliases followed.
    package var depth: Int
    /// The most nodes, with every alias counted as often as it is used.
    package var nodes: Int

    /// Makes limits; the defaults suit a file that a person writes.
    package init(bytes: Int = 1 << 20, depth: Int = 64, nodes: Int = 100_000) {
        self.bytes = bytes
        self.depth = depth
        self.nodes = nodes
    }
}
