/// A JSON value and where it stands, for a person who has to mend it.
struct LocatedJSON {
    enum Content {
        case null
        case boolean
        case number(Double)
        case text(String)
        case list([LocatedJSON])
        case object([(key: String, value: LocatedJSON)])
    }

    let content: Content
    /// The byte it begins at.
    let offset: Int

    /// The value of a key, nil where this is no object or has no such key.
    subscript(key: String) -> LocatedJSON? {
        guard case .object(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// The text, where it is one.
    var text: String? {
        if case .text(let text) = content { text } else { nil }
    }

    /// The number, where it is one.
    var number: Double? {
        if case .number(let number) = content { number } else { nil }
    }

    /// What it is, in words.
    var noun: String {
        switch content {
        case .null: "null"
        case .boolean: "true or false"
        case .number: "a number"
        case .text: "a text"
        case .list: "a list"
        case .object: "an object"
        }
    }
}

/// Reads JSON by RFC 8259 and remembers every place.
struct JSONScanner {
    /// Why a text is no JSON.
    struct Fault: Error {
        let offset: Int
        let what: String
    }

    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The only value of the text.
    mutating func document() throws(Fault) -> LocatedJSON {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        let value = try value(depth: 0)
        skipSpace()
        guard position == bytes.count else { throw fault("more text follows the end of the value") }
        return value
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func fault(_ what: String) -> Fault {
        Fault(offset: position, what: position >= bytes.count ? "the file ends too early: \(what)" : what)
    }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value(depth: Int) throws(Fault) -> LocatedJSON {
        skipSpace()
        let start = position
        guard depth < 32 else { throw fault("lists and objects are nested too deep") }
        let content: LocatedJSON.Content
        switch next {
        case UInt8(ascii: "{"): content = .object(try object(depth: depth))
        case UInt8(ascii: "["): content = .list(try list(depth: depth))
        case UInt8(ascii: "\""): content = .text(try text())
        default: content = try word()
        }
        return LocatedJSON(content: content, offset: start)
    }

    private mutating func object(depth: Int) throws(Fault) -> [(key: String, value: LocatedJSON)] {
        position += 1
        var entries: [(key: String, value: LocatedJSON)] = []
        if take(UInt8(ascii: "}")) { return entries }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw fault("a key in double quotes is expected here") }
            let key = try text()
            guard take(UInt8(ascii: ":")) else { throw fault("':' is expected here") }
            entries.append((key, try value(depth: depth + 1)))
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw fault("',' or '}' is expected here") }
        return entries
    }

    private mutating func list(depth: Int) throws(Fault) -> [LocatedJSON] {
        position += 1
        var elements: [LocatedJSON] = []
        if take(UInt8(ascii: "]")) { return elements }
        repeat { elements.append(try value(depth: depth + 1)) } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw fault("',' or ']' is expected here") }
        return elements
    }

    private mutating func text() throws(Fault) -> String {
        position += 1
        let start = position
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw fault("the text that began before is not closed") }
            position += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        guard next != nil else { throw fault("a text is not closed") }
        position += 1
        // Escapes play no part in what a series says; a text with one is compared as it is written.
        return String(decoding: bytes[start..<position - 1], as: UTF8.self)
    }

    private mutating func word() throws(Fault) -> LocatedJSON.Content {
        let start = position
        while let byte = next, !Self.ends.contains(byte) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        switch word {
        case "null": return .null
        case "true", "false": return .boolean
        default: break
        }
        let isNumber = word.utf8.allSatisfy {
            (0x30...0x39).contains($0) || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains($0)
        }
        if isNumber, let first = word.utf8.first, (0x30...0x39).contains(first) || first == 0x2D,
            let number = Double(word)
        {
            return .number(number)
        }
        position = start
        throw fault(word.isEmpty ? "a value is expected here" : "'\(word.prefix(40))' is no JSON value")
    }

    private static let ends: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D, 0x22, 0x2C, 0x3A, 0x5B, 0x5D, 0x7B, 0x7D]
}
