/// The way to a value in a JSON document.
///
/// ## File Format
/// Names with points between them, indexes from 0 or with a `#` from 1, names in quotes where they hold points or
/// brackets, and conditions on the members of a list's objects: `data.prices[0].value`, `chargers[#1].power`,
/// `["flow temp."].value`, `meters[type=net,unit=W].now`. `$.` may stand before it; nothing, or `$`, is the document
/// itself.
package struct JSONPath: Sendable, Equatable {
    /// What an object of a list must have.
    struct Condition: Sendable, Equatable {
        var name: String
        var value: String
    }

    enum Step: Sendable, Equatable {
        case name(String)
        case index(Int)
        /// The first object of a list with all of these.
        case having([Condition])
    }

    let steps: [Step]

    /// Reads a path; nil where it is none.
    package init?(_ text: String) {
        var rest = text[...]
        if rest.hasPrefix("$.") || rest.hasPrefix("$[") { rest = rest.dropFirst() } else if rest == "$" { rest = "" }
        var steps: [Step] = []
        while let first = rest.first {
            switch first {
            case ".": rest = rest.dropFirst()
            case "[":
                guard let (step, after) = Self.bracket(rest.dropFirst()) else { return nil }
                steps.append(step)
                rest = after
            default:
                let name = rest.prefix { $0 != "." && $0 != "[" }
                steps.append(.name(String(name)))
                rest = rest.dropFirst(name.count)
            }
        }
        self.steps = steps
    }

    /// What stands between brackets, and what follows them.
    private static func bracket(_ text: Substring) -> (step: Step, rest: Substring)? {
        if let quote = text.first, quote == "\"" || quote == "'" {
            let name = text.dropFirst().prefix { $0 != quote }
            let rest = text.dropFirst(name.count + 1)
            guard rest.hasPrefix("\(quote)]") else { return nil }
            return (.name(String(name)), rest.dropFirst(2))
        }
        let inner = text.prefix { $0 != "]" }
        let rest = text.dropFirst(inner.count)
        guard rest.first == "]", !inner.isEmpty else { return nil }
        if inner.first == "#" {
            guard let place = Int(inner.dropFirst()), place >= 1 else { return nil }
            return (.index(place - 1), rest.dropFirst())
        }
        if let index = Int(inner) { return index >= 0 ? (.index(index), rest.dropFirst()) : nil }
        let conditions = inner.split(separator: ",").compactMap { part -> Condition? in
            let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
            return sides.count == 2 ? Condition(name: sides[0], value: sides[1]) : nil
        }
        guard !conditions.isEmpty, conditions.count == inner.split(separator: ",").count else { return nil }
        return (.having(conditions), rest.dropFirst())
    }
}
