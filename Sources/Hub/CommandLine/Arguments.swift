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

    /// Reads arguments.
    /// - Parameters:
    ///   - arguments: what stands after the subcommand.
    ///   - options: the names that take a value, without dashes.
    ///   - flags: the names that take none.
    /// - Throws: `Misuse` naming the argument that is not known, or lacks its value.
    package init(_ arguments: [String], options known: [String], flags knownFlags: [String] = []) throws(Misuse) {
        var index = 0
        while index < arguments.count {
            let argument = arguments[index]
            index += 1
            guard argument.hasPrefix("--"), argument.count > 2 else {
                rest.append(argument)
                continue
            }
            let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
            let name = parts[0]
            if knownFlags.contains(name), parts.count == 1 {
                flags.insert(name)
            } else if known.contains(name) {
                if parts.count == 2 {
                    options[name] = parts[1]
                } else {
                    guard index < arguments.count else { throw Misuse(description: "--\(name) needs a value") }
                    options[name] = arguments[index]
                    index += 1
                }
            } else {
                let all = (known + knownFlags).sorted().map { "--\($0)" }.joined(separator: ", ")
                throw Misuse(
                    description: "--\(name) is not known here; "
                        + (all.isEmpty ? "there are no options" : "there are \(all)"))
            }
        }
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
            throw Misuse(
                description: "--\(name) is a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return value
    }

    /// The one argument that has to be there.
    /// - Throws: `Misuse` when there is none, or more.
    package func only(_ what: String) throws(Misuse) -> String {
        guard let first = rest.first else { throw Misuse(description: "\(what) is missing") }
        guard rest.count == 1 else { throw Misuse(description: "there is more than one argument; \(what) is enough") }
        return first
    }

    /// - Throws: `Misuse` when something is left over.
    package func none() throws(Misuse) {
        if let first = rest.first { throw Misuse(description: "'\(first)' is not expected here") }
    }
}
