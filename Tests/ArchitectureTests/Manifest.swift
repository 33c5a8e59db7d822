import Foundation

/// The targets of `Package.swift`, read from its text: running the package manager inside a test takes too long.
///
/// It knows the calls `room`, `driver`, `example`, `tests`, `system` and the package manager's own target functions, each with the
/// name as a literal.
struct Manifest {
    struct Target: Equatable {
        let function: String
        let name: String
        let dependencies: [String]
    }

    let targets: [Target]
    /// Whether it names a package from elsewhere.
    let hasForeignPackages: Bool

    init(_ text: String) {
        let code = Self.withoutComments(text)
        let calls =
            #/(?<function>\b(?:room|driver|example|tests|system)|\.(?:target|executableTarget|testTarget|systemLibrary))\(/#
        targets = code.matches(of: calls).compactMap { match in
            Self.target(String(match.output.function), arguments: Self.arguments(code[match.range.upperBound...]))
        }
        hasForeignPackages = code.contains(#/\.package\(\s*(url|path|name|id):/#)
    }

    private static func withoutComments(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in line.range(of: "//").map { line[..<$0.lowerBound] } ?? line }
            .joined(separator: "\n")
    }

    /// The text up to the parenthesis that closes the call.
    private static func arguments(_ text: Substring) -> Substring {
        var depth = 1
        let end = text.firstIndex { character in
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            return depth == 0
        }
        return text[..<(end ?? text.endIndex)]
    }

    private static func literals(_ text: Substring) -> [String] {
        text.matches(of: #/"([^"]*)"/#).map { String($0.output.1) }
    }

    private static func target(_ function: String, arguments: Substring) -> Target? {
        if function.hasPrefix(".") {
            guard let name = arguments.firstMatch(of: #/^\s*name:\s*"([^"]*)"/#) else { return nil }
            let list = arguments.firstMatch(of: #/dependencies:\s*\[([^\]]*)\]/#)
            return Target(
                function: function, name: String(name.output.1), dependencies: literals(list?.output.1 ?? ""))
        }
        // A definition has a parameter where a call has a literal.
        guard arguments.firstMatch(of: #/^\s*"/#) != nil, let name = literals(arguments).first else { return nil }
        let dependencies = function == "system" ? [] : Array(literals(arguments).dropFirst())
        return Target(function: function, name: name, dependencies: dependencies)
    }
}
