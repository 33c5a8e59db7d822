/// Goes through the bytes of a JSON text once.
struct JSONScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The whole text as one value.
    mutating func document() throws(JSONSyntaxError) -> JSONTree {
        guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else { throw fault("there is a byte order mark; leave it out") }
        guard String(validating: bytes, as: UTF8.self) != nil else { throw fault("the text is not UTF-8") }
        skipBlanks()
        guard index < bytes.count else { throw fault("the body is empty") }
        let tree = try value(depth: 0)
        skipBlanks()
        guard index == bytes.count else { throw fault("something stands behind the value") }
        return tree
    }

    private func fault(_ reason: String) -> JSONSyntaxError {
        let before = bytes[..<min(index, bytes.count)]
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return JSONSyntaxError(
            line: before.count { $0 == 0x0A } + 1, column: before.count - start + 1, reason: reason)
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipBlanks() {
        while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard current == byte else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONTree {
        guard depth <= JSONTree.maximumDepth else {
            throw fault("values are nested more than \(JSONTree.maximumDepth) deep")
        }
        switch current {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try list(depth: depth)
        case UInt8(ascii: "\""):
            _ = try text()
            return .text
        case .some(let byte) where byte == UInt8(ascii: "-") || Self.isDigit(byte): return try number()
        default: return try word()
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONTree {
        index += 1
        var members: [JSONTree.Member] = []
        var keys: Set<String> = []
        skipBlanks()
        if take(UInt8(ascii: "}")) { return .object([]) }
        repeat {
            skipBlanks()
            guard current == UInt8(ascii: "\"") else { throw fault("a key in double quotes is needed here") }
            let key = try text()
            guard keys.insert(key).inserted else { throw fault("the key '\(key)' stands twice in one object") }
            skipBlanks()
            guard take(UInt8(ascii: ":")) else { throw fault("a colon is needed behind a key") }
            skipBlanks()
            members.append(JSONTree.Member(key: key, value: try value(depth: depth + 1)))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "}")) else { throw fault("the object is not closed; ',' or '}' is needed here") }
        return .object(members)
    }

    private mutating func list(depth: Int) throws(JSONSyntaxError) -> JSONTree {
        index += 1
        var elements: [JSONTree] = []
        skipBlanks()
        if take(UInt8(ascii: "]")) { return .list([]) }
        repeat {
            skipBlanks()
            elements.append(try value(depth: depth + 1))
            skipBlanks()
        } while take(UInt8(ascii: ","))
        guard take(UInt8(ascii: "]")) else { throw fault("the list is not closed; ',' or ']' is needed here") }
        return .list(elements)
    }

    private mutating func word() throws(JSONSyntaxError) -> JSONTree {
        for (word, tree) in [("true", JSONTree.flag), ("false", .flag), ("null", .null)]
        where bytes[index...].starts(with: word.utf8) {
            index += word.utf8.count
            return tree
        }
        for word in ["NaN", "nan", "Infinity", "inf"] where bytes[index...].starts(with: word.utf8) {
            throw fault("\(word) is no number in JSON; leave out what is not known")
        }
        throw fault(current == nil ? "the text ends too early" : "a value is needed here")
    }
}

// MARK: - Numbers

extension JSONScanner {
    private mutating func number() throws(JSONSyntaxError) -> JSONTree {
        let start = index
        _ = take(UInt8(ascii: "-"))
        let isZero = current == UInt8(ascii: "0")
        guard digits() > 0 else { throw fault("a digit is needed here; NaN and Infinity are no numbers in JSON") }
        let end = index
        guard !isZero || end - start == (bytes[start] == UInt8(ascii: "-") ? 2 : 1) else {
            index = start
            throw fault("a number does not begin with 0")
        }
        if take(UInt8(ascii: ".")), digits() == 0 { throw fault("a digit is needed behind the point") }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() > 0 else { throw fault("a digit is needed in the exponent") }
        }
        let value = Double(String(decoding: bytes[start..<index], as: UTF8.self)) ?? .infinity
        guard value.isFinite else {
            index = start
            throw fault("the number is too large")
        }
        return .number(value)
    }

    private mutating func digits() -> Int {
        let start = index
        while let byte = current, Self.isDigit(byte) { index += 1 }
        return index - start
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

// MARK: - Texts

extension JSONScanner {
    private mutating func text() throws(JSONSyntaxError) -> String {
        index += 1
        var units: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return String(decoding: units, as: UTF8.self)
            case UInt8(ascii: "\\"):
                index += 1
                units += String(try escaped()).utf8
            case 0..<0x20: throw fault("a control character stands in a text; write it as an escape such as \\n")
            default:
                units.append(byte)
                index += 1
            }
        }
        throw fault("the text is not closed")
    }

    private static let escapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "\""): "\"", UInt8(ascii: "\\"): "\\", UInt8(ascii: "/"): "/", UInt8(ascii: "b"): "\u{8}",
        UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    ]

    private mutating func escaped() throws(JSONSyntaxError) -> Character {
        guard let byte = current else { throw fault("the text is not closed") }
        if let scalar = Self.escapes[byte] {
            index += 1
            return Character(scalar)
        }
        guard take(UInt8(ascii: "u")) else { throw fault("there is no such escape in JSON") }
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        // The first half of a pair; alone, neither half is a character.
        guard first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
            throw fault("half a surrogate pair is no character")
        }
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw fault("half a surrogate pair is no character") }
        return Character(scalar)
    }

    private mutating func hexadecimal() throws(JSONSyntaxError) -> UInt32 {
        let digits = bytes[index...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault("four hexadecimal digits are needed behind \\u") }
        index += 4
        return value
    }
}
