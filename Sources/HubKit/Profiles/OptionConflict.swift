import YAML

/// Two options of a profile that change one key in different ways, so that only one of them can hold.
struct OptionConflict {
    /// The options.
    let options: (String, String)
    /// The key, such as `points.power.scale`.
    let key: String

    /// Finds the first.
    /// - Parameters:
    ///   - options: what a person chose.
    ///   - root: the profile's file.
    init?(among options: [String], of root: YAMLNode) {
        let changes = options.compactMap { name in root["options"]?[name]?["change"].map { (name, $0) } }
        for (index, one) in changes.enumerated() {
            for other in changes.dropFirst(index + 1) where other.0 != one.0 {
                guard let keys = Self.difference(one.1, other.1) else { continue }
                self.options = (one.0, other.0)
                key = keys.joined(separator: ".")
                return
            }
        }
        return nil
    }

    /// The keys that lead to what both have and have otherwise.
    private static func difference(_ one: YAMLNode, _ other: YAMLNode) -> [String]? {
        guard let entries = one.entries, other.entries != nil else { return isAlike(one, other) ? nil : [] }
        for entry in entries {
            guard let second = other[entry.key], let keys = difference(entry.value, second) else { continue }
            return [entry.key] + keys
        }
        return nil
    }

    private static func isAlike(_ one: YAMLNode, _ other: YAMLNode) -> Bool {
        if let first = one.scalar, let second = other.scalar {
            return first.kind == second.kind && first.text == second.text
        }
        if let first = one.elements, let second = other.elements {
            return first.count == second.count && zip(first, second).allSatisfy { isAlike($0, $1) }
        }
        guard one.entries != nil, Set(one.keys) == Set(other.keys) else { return false }
        return difference(one, other) == nil
    }
}
