import YAML

/// Which keys JSON may have, and of which kind their values are.
///
/// What is missing is left to the decoder; a shape finds what the decoder would not.
package indirect enum JSONShape: Sendable {
    case number, text, flag
    /// A number without a fraction.
    case whole
    /// An object with these keys and no other.
    case object([String: JSONShape])
    case list(JSONShape)
    /// Whatever the decoder takes.
    case anything
    /// A shape that goes by what else is there.
    case depending(@Sendable (JSONTree) -> JSONShape)

    /// What does not fit.
    package struct Fault: Error, Equatable, CustomStringConvertible {
        /// The place in the outermost list, from 0, where there is one.
        package var index: Int?
        /// The way of keys and places to the value.
        package var path: String
        /// What is wrong there, and how to mend it.
        package var reason: String

        /// Path and reason.
        package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }
    }

    /// - Throws: the first thing that does not fit.
    package func check(_ tree: JSONTree) throws(Fault) {
        try check(tree, Fault(path: "", reason: ""))
    }

    private func check(_ tree: JSONTree, _ place: Fault) throws(Fault) {
        switch (self, tree) {
        case (.anything, _), (.number, .number), (.text, .text), (.flag, .flag), (_, .null): return
        case (.whole, .number(let value)) where value == value.rounded() && abs(value) <= 0x1p53: return
        case (.whole, .number): throw place.saying("a whole number is needed here")
        case (.depending(let choose), _): try choose(tree).check(tree, place)
        case (.object(let known), .object(let members)):
            for member in members {
                var inner = place
                inner.path += (place.path.isEmpty ? "" : ".") + member.key
                guard let shape = known[member.key] else { throw Self.unknown(member.key, known.keys.sorted(), place) }
                try shape.check(member.value, inner)
            }
        case (.list(let shape), .list(let elements)):
            for (index, element) in elements.enumerated() {
                var inner = place
                inner.path += "[\(index)]"
                if place.path.isEmpty { inner.index = index }
                try shape.check(element, inner)
            }
        default: throw place.saying("\(expected) is needed here, not \(tree.kind)")
        }
    }

    private static func unknown(_ key: String, _ known: [String], _ place: Fault) -> Fault {
        // A key may be as long as the body.
        let shown = key.count > 40 ? key.prefix(40) + "…" : key[...]
        let mended = NearestWord.match(key, among: known).map { "did you mean '\($0)'?" }
        return place.saying(
            "unknown key '\(shown)'; \(mended ?? (known.isEmpty ? "leave it out" : "known here: \(known.joined(separator: ", "))"))"
        )
    }

    private var expected: String {
        switch self {
        case .number: "a number"
        case .whole: "a whole number"
        case .text: "a text"
        case .flag: "true or false"
        case .object(let known): "an object with \(known.keys.sorted().joined(separator: ", "))"
        case .list: "a list"
        case .anything, .depending: "something else"
        }
    }
}

extension JSONShape.Fault {
    fileprivate func saying(_ reason: String) -> Self {
        var fault = self
        fault.reason = reason
        return fault
    }
}
