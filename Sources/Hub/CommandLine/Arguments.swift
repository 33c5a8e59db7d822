import YAML

/// The arguments of one subcommand: options with values, flags and what is left.
package struct Arguments {
    /// Wrong usage, to be said with exit status 2.
    package struct Misuse: Error, CustomStringConvertible {
        package let description: String
    }

    private var options: [String: String] = [:]
    private var flags: Set<String> = []
    /// What is neither option nor flag, in order.
    package private(set) var rest: [String] = []

    /// Reads arguments by the options that the help of a subcommand lists.
    init(_ arguments: [String], for command: String) throws(Misuse) {
        let options = Help.command(command)?.options ?? []
        try self.init(
            arguments, options: options.filter { $0.value != nil }.map(\.name),
            flags: options.filter { $0.value == nil }.map(\.name))
    }

    /// Reads arguments.
    /// - Parameters:
    ///   - arguments: what stands after the subcommand; behind `--` nothing is an option.
    ///   - options: the names that take a value, without dashes.
    ///   - flags: the names that take none.
    /// - Throws: `Misuse` naming the argument that is not known, stands twice, or lacks its value.
    package init(_ arguments: [String], options known: [String], flags knownFlags: [String] = []) throws(Misuse) {
        var left = arguments[...]
        while let argument = left.popFirst() {
            if argument == "--" {
                rest += left
                return
            }
            guard argument.hasPrefix("-"), argument.count > 1, Double(argument) == nil else {
                rest.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = String(parts[0].drop { $0 == "-" })
            guard parts[0].hasPrefix("--"), known.contains(name) || knownFlags.contains(name) else {
                throw Self.unknown(parts[0], known + knownFlags)
            }
            guard options[name] == nil, !flags.contains(name) else {
                throw Misuse(description: "--\(name) stands twice; give it once")
            }
            if knownFlags.contains(name) {
                guard parts.count == 1 else { throw Misuse(description: "--\(name) takes no value") }
                flags.insert(name)
            } else {
                options[name] = try Self.value(of: name, parts, &left)
            }
        }
    }

    private static func value(
        of name: String, _ parts: [String], _ left: inout ArraySlice<String>
    ) throws(Misuse) -> String {
        if parts.count == 2 { return try filled(parts[1], name) }
        // An option where its value should be means that the value was forgotten.
        guard let value = left.first, !value.hasPrefix("--") else {
            throw Misuse(description: "--\(name) needs a value")
        }
        left.removeFirst()
        return try filled(value, name)
    }

    /// An empty text is mostly a variable of a script that is not set; as a path it would be the present folder.
    private static func filled(_ value: String, _ name: String) throws(Misuse) -> String {
        guard !value.isEmpty else {
            throw Misuse(description: "the value of --\(name) is empty; leave it out, or give one")
        }
        return value
    }

    private static func unknown(_ argument: String, _ known: [String]) -> Misuse {
        let all = known.sorted().map { "--\($0)" }
        let hint =
            NearestWord.match(argument, among: all).map { "did you mean \($0)?" }
            ?? (all.isEmpty ? "there are no options" : "there are \(all.joined(separator: ", "))")
        return Misuse(description: "\(argument) is not known here; \(hint)")
    }

    /// The value of an option.
    package subscript(name: String) -> String? { options[name] }

    /// Whether a flag is given.
    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The value of an option as a number within a range.
    /// - Throws: `Misuse` when it is not one.
    package func number(_ name: String, in range: ClosedRange<Double>) throws(Misuse) -> Double? {
        guard let text = options[name] else { return nil }
        guard let value = Double(text), value.isFinite, range.contains(value) else {
            let bounds = [range.lowerBound, range.upperBound].map { plain($0) }
            throw Misuse(description: "--\(name) is a number from \(bounds[0]) to \(bounds[1]), not '\(text)'")
        }
        return value
    }

    /// The value of an option as a whole number within a range.
    /// - Throws: `Misuse` when it is not one.
    package func whole(_ name: String, in range: ClosedRange<Int>) throws(Misuse) -> Int? {
        guard let text = options[name] else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw Misuse(
                description:
                    "--\(name) is a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return value
    }

    /// The value of an option out of a few words; the first where none is given.
    /// - Throws: `Misuse` when it is none of them.
    package func choice(_ name: String, _ known: [String]) throws(Misuse) -> String {
        guard let text = options[name] else { return known[0] }
        guard known.contains(text) else {
            let words = known.dropLast().joined(separator: ", ") + " or " + known[known.count - 1]
            throw Misuse(description: "--\(name) is \(words), not '\(text)'")
        }
        return text
    }

    /// The one argument that has to be there.
    /// - Throws: `Misuse` when there is none, or more.
    package func only(_ what: String) throws(Misuse) -> String {
        guard let first = rest.first else { throw Misuse(description: "\(what) is missing") }
        guard rest.count == 1 else { throw Misuse(description: "there is more than one argument; \(what) is enough") }
        guard !first.isEmpty else { throw Misuse(description: "\(what) is empty") }
        return first
    }

    /// - Throws: `Misuse` when something is left over.
    package func none() throws(Misuse) {
        if let first = rest.first { throw Misuse(description: "'\(first)' is not expected here") }
    }
}

/// A number without a decimal point where it needs none.
func plain(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? String(Int(number)) : String(number)
}
