/// One value as written, and what the core schema of YAML 1.2 makes of it.
package struct YAMLScalar: Sendable, Hashable {
    /// How the value was written.
    package enum Style: Sendable {
        case plain, singleQuoted, doubleQuoted, literal, folded
    }

    /// What the value is.
    package enum Kind: Sendable {
        case null, bool, integer, float, text
    }

    /// The characters, with quotes and escapes undone.
    package let text: String
    /// How it was written.
    package let style: Style
    /// The explicit tag, such as `tag:yaml.org,2002:str`, if one was written.
    package let tag: String?
    /// What it is: anything not plain is text, unless a tag says otherwise.
    package let kind: Kind

    /// Resolves a scalar.
    /// - Returns: nil if the tag is unknown, or the text is none of the tag's.
    init?(text: String, style: Style, tag: String?) {
        self.text = text
        self.style = style
        self.tag = tag
        let plain = Self.coreKind(of: text)
        switch tag {
        case nil: kind = style == .plain ? plain : .text
        case "!", "tag:yaml.org,2002:str": kind = .text
        case "tag:yaml.org,2002:null" where plain == .null: kind = .null
        case "tag:yaml.org,2002:bool" where plain == .bool: kind = .bool
        case "tag:yaml.org,2002:int" where plain == .integer: kind = .integer
        case "tag:yaml.org,2002:float" where plain == .float || plain == .integer: kind = .float
        default: return nil
        }
    }

    /// A plain scalar of a known kind.
    init(text: String, plain kind: Kind) {
        self.text = text
        style = .plain
        tag = nil
        self.kind = kind
    }

    /// The kind of a plain scalar by the core schema, YAML 1.2.2 section 10.3.2.
    static func coreKind(of text: String) -> Kind {
        switch text {
        case "", "~", "null", "Null", "NULL": .null
        case "true", "True", "TRUE", "false", "False", "FALSE": .bool
        default: isInteger(text) ? .integer : isFloat(text) ? .float : .text
        }
    }

    private static func isInteger(_ text: String) -> Bool {
        if text.hasPrefix("0x") { return text.utf8.count > 2 && text.utf8.dropFirst(2).allSatisfy(isHexDigit) }
        if text.hasPrefix("0o") { return text.utf8.count > 2 && text.utf8.dropFirst(2).allSatisfy { (48...55) ~= $0 } }
        let digits = unsigned(text)
        return !digits.isEmpty && digits.allSatisfy(isDigit)
    }

    private static func isFloat(_ text: String) -> Bool {
        if [".nan", ".NaN", ".NAN"].contains(text) { return true }
        var rest = unsigned(text)
        if [".inf", ".Inf", ".INF"].contains(String(rest)) { return true }
        let whole = rest.prefix(while: isDigit)
        rest = rest.dropFirst(whole.count)
        var fraction = rest.prefix(0)
        if rest.first == UInt8(ascii: ".") {
            fraction = rest.dropFirst().prefix(while: isDigit)
            rest = rest.dropFirst(1 + fraction.count)
        }
        guard !whole.isEmpty || !fraction.isEmpty else { return false }
        guard let exponent = rest.first else { return true }
        guard exponent == UInt8(ascii: "e") || exponent == UInt8(ascii: "E") else { return false }
        let digits = unsigned(Substring(rest.dropFirst()))
        return !digits.isEmpty && digits.allSatisfy(isDigit)
    }

    private static func unsigned(_ text: some StringProtocol) -> Substring.UTF8View {
        let text = Substring(text)
        return text.hasPrefix("-") || text.hasPrefix("+") ? text.utf8.dropFirst() : text.utf8
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57) ~= byte }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (65...70) ~= byte || (97...102) ~= byte
    }

    /// The value as an integer of type `T`, or nil if it is none or does not fit.
    func integer<T: FixedWidthInteger>(as type: T.Type) -> T? {
        guard kind == .integer else { return nil }
        if text.hasPrefix("0x") { return T(text.dropFirst(2), radix: 16) }
        if text.hasPrefix("0o") { return T(text.dropFirst(2), radix: 8) }
        return T(text)
    }

    /// The value as a number, infinities and not-a-number included, or nil if it is no number.
    var double: Double? {
        guard kind == .float || kind == .integer else { return nil }
        switch text.lowercased() {
        case ".nan": return .nan
        case ".inf", "+.inf": return .infinity
        case "-.inf": return -.infinity
        default: break
        }
        if text.hasPrefix("0x") { return UInt64(text.dropFirst(2), radix: 16).map { Double($0) } }
        if text.hasPrefix("0o") { return UInt64(text.dropFirst(2), radix: 8).map { Double($0) } }
        return Double(text)
    }
}
