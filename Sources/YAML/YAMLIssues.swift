/// Collects every error of one check of a file, so that a person sees them all at once.
///
/// ## Thread Safety
/// One collector belongs to one check; it is not shared between threads.
package final class YAMLIssues {
    /// The errors in the order of the file.
    package private(set) var errors: [YAMLError] = []

    /// Makes an empty collection.
    package init() {}

    /// Adds an error at `node`.
    package func add(_ message: String, hint: String?, at node: YAMLNode) {
        add(node.error(message, hint: hint))
    }

    /// Adds an error; it takes its place by file, line and column.
    package func add(_ error: YAMLError) {
        let place = errors.lastIndex { ($0.file, $0.line, $0.column) <= (error.file, error.line, error.column) }
        errors.insert(error, at: place.map { $0 + 1 } ?? 0)
    }
}
