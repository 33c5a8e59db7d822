/// Reads sets of months or weekdays such as `6-9`, `nov-feb`, `mon-fri, sun`.
package struct CyclicNames {
    /// The names in order; the first three letters are enough.
    let names: [String]
    /// Words that stand for several.
    let words: [String: Set<Int>]

    /// The months, from 1 for January.
    package static let months = CyclicNames(
        names: [
            "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
            "november",
            "december",
        ], words: [:])
    /// The days of the week, from 1 for Monday.
    package static let weekdays = CyclicNames(
        names: ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
        words: ["weekdays": [1, 2, 3, 4, 5], "weekends": [6, 7], "weekend": [6, 7], "daily": [1, 2, 3, 4, 5, 6, 7]])

    /// Numbers from 1, or nil when a part is not understood.
    package func parse(_ text: String) -> Set<Int>? {
        var found: Set<Int> = []
        for part in text.split(separator: ",") {
            guard let set = range(part.filter { $0 != " " }.lowercased()) else { return nil }
            found.formUnion(set)
        }
        return found
    }

    private func range(_ part: String) -> Set<Int>? {
        if let word = words[part] { return word }
        let ends = part.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = ends.first.flatMap(number), let last = ends.last.flatMap(number), ends.count <= 2 else {
            return nil
        }
        // `nov-feb` runs over the end.
        return first <= last ? Set(first...last) : Set(first...names.count).union(1...last)
    }

    private func number(_ text: Substring) -> Int? {
        if let number = Int(text) { return (1...names.count).contains(number) ? number : nil }
        guard text.count >= 3, let index = names.firstIndex(where: { $0.hasPrefix(text) }) else { return nil }
        return index + 1
    }
}
