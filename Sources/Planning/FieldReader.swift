import YAML

/// Reads members of one JSON object by name and notes each fault with its path instead of stopping at the first.
struct FieldReader {
    /// Where the object stands, such as `vehicles[0]`; empty for the document.
    let path: String

    /// Everything found wrong so far, in reading order.
    private(set) var faults: [ProblemFault] = []

    private let members: [String: JSONValue]
    /// Every member that was asked for, whether it is there or not.
    private var asked: Set<String> = []

    /// Reads from an object; anything else is one fault and has no members.
    init(_ value: JSONValue, path: String) {
        self.path = path
        guard case .object(let members) = value else {
            self.members = [:]
            faults = [ProblemFault(path.isEmpty ? "$" : path, "is \(value.kindName)", remedy: "write an object {…}")]
            return
        }
        self.members = members
    }

    /// The path of a member.
    func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// Whether the member is there and not null.
    mutating func has(_ name: String) -> Bool { value(name) != nil }

    /// Notes every member that nobody asked for; to be called when all has been read.
    ///
    /// A member that is missing because its name was misspelled is one fault, not two.
    /// - Parameter others: members that may stand there and mean nothing to a planner.
    mutating func refuseUnknown(besides others: [String] = []) {
        let known = asked.union(others)
        for name in members.keys.sorted() where !known.contains(name) {
            // One that does not stand there yet was more likely meant.
            let meant = NearestWord.match(name, among: known.subtracting(members.keys).sorted())
            let near = meant ?? NearestWord.match(name, among: known.intersection(members.keys).sorted())
            let shown = name.count > 40 ? name.prefix(40) + "…" : name[...]
            if let followUp = meant.map(place) {
                faults.removeAll { $0.path == followUp && $0.problem == Self.missing }
            }
            faults.append(
                ProblemFault(
                    place(String(shown)), "is not known here",
                    remedy: near.map { "did you mean '\($0)'\(meant == nil ? ", which stands here too" : "")?" }
                        ?? "known here: \(known.sorted().joined(separator: ", "))"))
        }
    }

    private static let missing = "is missing"

    /// Notes a fault at a member.
    mutating func fault(_ name: String, _ problem: String, remedy: String) {
        faults.append(ProblemFault(place(name), problem, remedy: remedy))
    }

    /// Takes over what another reader found.
    mutating func add(_ others: [ProblemFault]) { faults += others }

    /// The member as it stands; `nil` if it is absent or null.
    mutating func value(_ name: String) -> JSONValue? {
        asked.insert(name)
        return switch members[name] {
        case nil, .null: nil
        case .some(let value): value
        }
    }

    /// A number that must be there; 0 after a fault, which makes the whole reading fail anyway.
    mutating func number(_ name: String, _ meaning: String) -> Double {
        guard let value = value(name) else {
            fault(name, Self.missing, remedy: "give \(meaning)")
            return 0
        }
        return checked(value, name, meaning) ?? 0
    }

    /// A number that may be absent.
    mutating func optionalNumber(_ name: String, _ meaning: String) -> Double? {
        value(name).flatMap { checked($0, name, meaning) }
    }

    /// A flag that may be absent, which is `false`.
    mutating func flag(_ name: String) -> Bool {
        switch value(name) {
        case nil: return false
        case .bool(let flag): return flag
        case .some(let other):
            fault(name, "is \(other.kindName)", remedy: "write true or false")
            return false
        }
    }

    /// Text that must be there and not empty.
    mutating func text(_ name: String, _ meaning: String) -> String {
        guard case .string(let text) = value(name), !text.isEmpty else {
            fault(name, value(name).map { "is \($0.kindName)" } ?? Self.missing, remedy: "give \(meaning) as text")
            return ""
        }
        return text
    }

    /// A time in UTC that must be there, as seconds since 1970.
    mutating func time(_ name: String) -> Int {
        let remedy = "write a time with its offset and whole seconds, such as 2026-01-31T18:00:00Z"
        guard let value = value(name) else {
            fault(name, Self.missing, remedy: remedy)
            return 0
        }
        guard case .string(let text) = value, let seconds = UTCText.seconds(text) else {
            if case .string(let text) = value {
                fault(name, "\"\(text)\" is not a time", remedy: remedy)
            } else {
                fault(name, "is \(value.kindName)", remedy: remedy)
            }
            return 0
        }
        return seconds
    }

    /// A list that must be there; empty after a fault.
    mutating func list(_ name: String, _ meaning: String) -> [JSONValue] {
        guard case .array(let elements) = value(name) else {
            fault(
                name, value(name).map { "is \($0.kindName)" } ?? Self.missing, remedy: "give \(meaning) as a list […]")
            return []
        }
        return elements
    }

    private mutating func checked(_ value: JSONValue, _ name: String, _ meaning: String) -> Double? {
        guard case .number(let number) = value, number.isFinite, abs(number) <= 1e9 else {
            if case .number(let number) = value {
                fault(name, "\(number) is out of range", remedy: "give \(meaning)")
            } else {
                fault(name, "is \(value.kindName)", remedy: "give \(meaning) as a number")
            }
            return nil
        }
        return number
    }
}
