/// Finds the word that was probably meant.
package enum NearestWord {
    /// The candidate with the fewest edits from `word`, if they are few.
    ///
    /// One edit in a word of up to three letters, two from four letters on, a third of a longer word.
    package static func match(_ word: String, among candidates: some Sequence<String>) -> String? {
        let allowed = word.count < 4 ? 1 : max(2, word.count / 3)
        var best: (word: String, distance: Int)?
        for candidate in candidates where candidate != word {
            let distance = distance(word.lowercased(), candidate.lowercased())
            if distance <= allowed, distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// Insertions, deletions, replacements and swaps of neighbours from `first` to `second` (optimal string alignment).
    static func distance(_ first: String, _ second: String) -> Int {
        let (a, b) = (Array(first), Array(second))
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        // A key that long is no slip of the finger, and the table would grow with the product of the lengths.
        guard a.count <= 64, b.count <= 64 else { return .max }
        var before = [Int](repeating: 0, count: b.count + 1)
        var above = Array(0...b.count)
        for i in 1...a.count {
            var row = [i]
            for j in 1...b.count {
                var cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { cost = min(cost, before[j - 2] + 1) }
                row.append(cost)
            }
            (before, above) = (above, row)
        }
        return above[b.count]
    }
}

extension NearestWord {
    /// What to say of a word that is none of those known: the nearest one, and the others while they are few.
    /// - Parameters:
    ///   - word: what was written.
    ///   - known: what could have been written; repeats are left out.
    ///   - none: what to say where nothing is known.
    package static func advice(for word: String, among known: [String], ifNone none: String) -> String {
        var seen: Set<String> = []
        let known = known.filter { !$0.isEmpty && seen.insert($0).inserted }
        guard !known.isEmpty else { return none }
        let nearest = match(word, among: known).map { "did you mean '\(YAMLNode.shown($0))'?" }
        let list = known.prefix(12).map(YAMLNode.shown).joined(separator: ", ")
        let whole = known.count > 12 ? "\(list) and \(known.count - 12) more" : list
        return nearest.map { "\($0) Known: \(whole)" } ?? "use one of \(whole)"
    }
}
