/// Collects every error of one check, so that a person sees them all at once.
///
/// Each is kept once, in the order of the files. So that a file full of nonsense can't fill the memory, at most 1000
/// are kept; `leftOut` counts the rest.
///
/// ## Thread Safety
/// One collector belongs to one check; it is not shared between threads.
package final class YAMLIssues {
    /// Errors and warnings in the order of the files.
    package private(set) var all: [YAMLError] = []
    /// Those that are not kept, because there are too many.
    package private(set) var leftOut = 0
    private var known: Set<YAMLError> = []
    private static let most = 1000

    /// Makes an empty collection.
    package init() {}

    /// What is wrong, in the order of the files.
    package var errors: [YAMLError] { all.filter { $0.severity == .error } }

    /// Adds an error at `node`.
    package func add(_ message: String, hint: String?, at node: YAMLNode) {
        add(node.error(message, hint: hint))
    }

    /// Adds a warning at `node`.
    package func warn(_ message: String, hint: String?, at node: YAMLNode) {
        add(node.error(message, hint: hint).asWarning)
    }

    /// Adds an error; it takes its place by file, line and column.
    package func add(_ error: YAMLError) {
        guard known.count < Self.most else {
            leftOut += 1
            return
        }
        guard known.insert(error).inserted else { return }
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if error.isBefore(all[middle]) { high = middle } else { low = middle + 1 }
        }
        all.insert(error, at: low)
    }

    /// Adds all that another collection holds.
    package func add(all other: YAMLIssues) {
        for error in other.all { add(error) }
        leftOut += other.leftOut
    }

    /// Whether something is wrong already with the value at `path`, or below it.
    package func hasError(at path: String, in file: String) -> Bool {
        all.contains { error in
            guard error.severity == .error, error.file == file, error.path.hasPrefix(path) else { return false }
            let rest = error.path.dropFirst(path.count)
            return rest.isEmpty || rest.first == "." || rest.first == "["
        }
    }
}
