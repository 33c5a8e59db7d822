import Foundation
import YAML

/// What the program says about itself.
enum Help {
    /// One option of a subcommand.
    struct Option: Sendable {
        var name: String
        /// What stands for its value; nil for a flag.
        var value: String?
        /// What it does, with the unit and what holds without it.
        var text: String
        /// Whether it has to be given.
        var isRequired: Bool

        /// Names an option.
        init(_ name: String, _ value: String?, _ text: String, isRequired: Bool = false) {
            self.isRequired = isRequired
            self.name = name
            self.value = value
            self.text = text
        }

        var shown: String { "--\(name)" + (value.map { " \($0)" } ?? "") }
    }

    /// One subcommand.
    struct Command: Sendable {
        var name: String
        /// The whole line of usage, where it is not simply arguments and options.
        var usage: String?
        /// The arguments that are no options.
        var arguments = ""
        var summary: String
        var options: [Option] = []
        var details: [String] = []
        var examples: [String] = []

        /// The help text, at most 80 characters wide.
        var text: String {
            var parts = [usageLines.joined(separator: "\n"), TextWrap.lines(summary).joined(separator: "\n")]
            if !options.isEmpty {
                let column = min(24, (options.map(\.shown.count).max() ?? 0) + 4)
                parts.append(
                    "options (in brackets what holds without them):\n"
                        + options.map { TextWrap.entry("  " + $0.shown, $0.text, column: column) }.joined(
                            separator: "\n"))
            }
            if !details.isEmpty { parts.append(details.flatMap { TextWrap.lines($0) }.joined(separator: "\n")) }
            if !examples.isEmpty { parts.append((["examples:"] + examples.map { "  \($0)" }).joined(separator: "\n")) }
            return parts.joined(separator: "\n\n")
        }

        private var usageLines: [String] {
            let head = "usage: offpeak \(name)"
            if let usage { return TextWrap.lines("usage: offpeak \(usage)", indent: head.count + 1) }
            // The parts of one option stay together.
            let words =
                [arguments]
                + options.map { $0.isRequired ? $0.shown : "[\($0.shown)]" }.map {
                    $0.replacingOccurrences(of: " ", with: "\u{A0}")
                }
            return TextWrap.lines(([head] + words).joined(separator: " "), indent: head.count + 1)
                .map { $0.replacingOccurrences(of: "\u{A0}", with: " ") }
        }
    }

    /// The subcommand of this name.
    static func command(_ name: String) -> Command? { commands.first { $0.name == name } }

    /// All subcommands, one line each.
    static var overview: String {
        let column = (commands.map(\.name.count).max() ?? 0) + 4
        let lines = commands.map { TextWrap.entry("  " + $0.name, $0.summary, column: column) }
        return
            (["usage: offpeak SUBCOMMAND [OPTION…]", ""] + lines + [
                "", "'offpeak SUBCOMMAND --help' shows the options, 'offpeak --version' the version.",
                "Exit status: 0 success, 1 failed while running, 2 wrong usage or configuration,",
                "3 refused for good, 75 try again later.",
            ]).joined(separator: "\n")
    }

    /// The subcommands that were probably meant, as the end of a sentence.
    static func hint(for word: String) -> String {
        if word.hasPrefix("-") {
            return NearestWord.match(word, among: ["--help", "--version"]).map { "did you mean \($0)?" }
                ?? "options stand behind a subcommand; 'offpeak help' lists what there is"
        }
        let known = commands.map(\.name) + ["help", "version"]
        return NearestWord.match(word, among: known).map { "did you mean '\($0)'?" }
            ?? "'offpeak help' lists what there is"
    }
}
