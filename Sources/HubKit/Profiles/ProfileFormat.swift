/// The keys of a profile as data: the tables of `docs/profiles.md` and the JSON schema are made from it, and a test holds
/// it against what the reader takes.
package enum ProfileFormat {
    /// What a key takes.
    package indirect enum Value: Sendable {
        case text, flag, anything
        case integer(ClosedRange<Int>)
        case number(ClosedRange<Double>)
        /// A number, or a fraction such as `1/256`.
        case factor
        /// A whole number of the device, or one in quotes with `0x`.
        case raw
        /// A lowest and a highest number.
        case range
        /// One bit, or the lowest and the highest.
        case bits
        /// Codes with their meaning.
        case codes
        case choice([String])
        case list(Value)
        /// One, or a list of them.
        case some(Value)
        /// A mapping with the keys of another section.
        case section(String)
        /// One or more, each with the keys of one of these sections.
        case steps([String])
        /// A mapping of free names to texts.
        case texts
        /// A mapping of free names to one of these sections.
        case named([String])
        /// Points with what they are compared to.
        case conditions
    }

    /// One key.
    package struct Key: Sendable {
        /// Its name.
        package var name: String
        /// What it takes.
        package var value: Value
        /// What it takes, in words.
        package var words: String
        /// What holds without it; `needed` where nothing does.
        package var fallback: String
        /// What it means.
        package var meaning: String

        init(_ name: String, _ value: Value, _ words: String, _ fallback: String, _ meaning: String) {
            self.name = name
            self.value = value
            self.words = words
            self.fallback = fallback
            self.meaning = meaning
        }
    }

    /// The keys of one mapping.
    package struct Section: Sendable {
        /// Its name in the schema.
        package var name: String
        /// The keys, in the order of the document.
        package var keys: [Key]

        init(_ name: String, _ keys: Key...) {
            self.name = name
            self.keys = keys
        }

        /// The table of the document.
        package var table: String {
            let rows = keys.map { "| `\($0.name)` | \($0.words) | \($0.fallback) | \($0.meaning) |" }
            return (["| key | type | default | meaning |", "|---|---|---|---|"] + rows).joined(separator: "\n")
        }
    }

    /// The section of this name.
    package static func section(_ name: String) -> Section? { sections.first { $0.name == name } }

    /// All tables, each under the name of its section.
    package static var reference: String {
        sections.map { "### \($0.name)\n\n\($0.table)\n" }.joined(separator: "\n")
    }
}
