extension YAMLNode {
    /// The text of a text scalar, or nil; a plain number or boolean is not text.
    package var asString: String? { try? text() }
    /// The value of a whole number that fits, or nil.
    package var asInt: Int? { try? integer(Int.self) }
    /// The value of a number, whole or not, or nil; infinities and not-a-number are values here.
    package var asDouble: Double? { try? number() }
    /// The value of `true` or `false`, or nil; `yes` and `on` are text in YAML 1.2.
    package var asBool: Bool? { try? boolean() }

    /// The text of a text scalar.
    /// - Throws: an error at this node if it is anything else.
    package func text() throws(YAMLError) -> String {
        if let scalar, scalar.kind == .text { return scalar.text }
        throw mismatch("text", hint: quotingHint ?? "write one text")
    }

    /// The value of a whole number.
    /// - Throws: an error at this node if it is anything else or does not fit `type`.
    package func integer<T: FixedWidthInteger>(_ type: T.Type) throws(YAMLError) -> T {
        guard let scalar, scalar.kind == .integer else {
            throw mismatch("a whole number", hint: numberHint ?? "write a whole number")
        }
        if let value = scalar.integer(as: type) { return value }
        throw error(
            "\(Self.shown(scalar.text)) is out of range", hint: "write a whole number from \(T.min) to \(T.max)")
    }

    /// The value of a number; infinities and not-a-number are values here.
    /// - Throws: an error at this node if it is anything else.
    package func number() throws(YAMLError) -> Double {
        if let value = scalar?.double { return value }
        throw mismatch("a number", hint: numberHint ?? "write a number")
    }

    /// The value of `true` or `false`.
    /// - Throws: an error at this node if it is anything else.
    package func boolean() throws(YAMLError) -> Bool {
        if let scalar, scalar.kind == .bool { return scalar.text.lowercased() == "true" }
        let isQuoted = scalar.map { $0.style != .plain && YAMLScalar.coreKind(of: $0.text) == .bool } ?? false
        throw mismatch("true or false", hint: isQuoted ? "remove the quotes" : "write true or false")
    }

    /// What the node is, in words, with its value if that is short.
    package var summary: String {
        guard let scalar else { return shape == .sequence ? "a list" : "a mapping" }
        return switch scalar.kind {
        case .null: scalar.text.isEmpty ? "nothing" : "nothing (\(scalar.text))"
        case .bool: "the boolean \(scalar.text)"
        case .integer: "the whole number \(Self.shown(scalar.text))"
        case .float: "the number \(Self.shown(scalar.text))"
        case .text: "the text '\(Self.shown(scalar.text))'"
        }
    }

    /// An error that names what was expected and what is there.
    func mismatch(_ expected: String, hint: String?) -> YAMLError {
        error("expected \(expected), found \(summary)", hint: hint)
    }

    private var quotingHint: String? {
        guard let scalar, scalar.kind != .null else { return nil }
        return "put it in quotes: \"\(Self.shown(scalar.text))\""
    }

    private var numberHint: String? {
        guard let scalar, scalar.kind == .text else { return nil }
        let kind = YAMLScalar.coreKind(of: scalar.text)
        return kind == .integer || kind == .float ? "remove the quotes" : nil
    }

    /// `text` on one line, without what could change a terminal, and cut to a length that an error can carry.
    package static func shown(_ text: String) -> String {
        let plain = text.unicodeScalars.prefix(200).map { scalar -> Unicode.Scalar in
            if Character(scalar).isNewline { return " " }
            return isInvisible(scalar) ? "\u{FFFD}" : scalar
        }
        let line = String(String.UnicodeScalarView(plain))
        return line.count > 40 ? "\(line.prefix(39))…" : line
    }

    /// Control characters, and those that turn the direction of writing.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }

    /// A number as people write it: without `.0`.
    package static func plain(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }
}
