import Foundation

/// The text of an XML document, looked over before the parser sees it.
///
/// Foundation's parser ends the program at a name or a comment that is not valid UTF-8, and follows whatever encoding a document
/// declares. So it is given UTF-8 without a declaration and nothing else.
enum XMLText {
    /// A document as UTF-8, without its declaration.
    ///
    /// Read are UTF-8, US-ASCII and ISO-8859-1.
    /// - Throws: `PayloadError` for another encoding, bytes that are not of the declared one, characters that XML 1.0 does not have
    ///   (https://www.w3.org/TR/xml/#charsets), a DOCTYPE, and a page of HTML.
    static func normalized(_ bytes: Data) throws(PayloadError) -> Data {
        let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let (encoding, declarationLength) = try declaration(body)
        let text = try text(body.dropFirst(declarationLength), encoding)
        try look(at: text)
        return Data(text.utf8)
    }

    /// The encoding that a document declares, and how many bytes the declaration takes.
    private static func declaration(_ body: Data) throws(PayloadError) -> (encoding: String?, length: Int) {
        guard body.starts(with: Array("<?xml".utf8)), let next = body.dropFirst(5).first, isSpace(next) else {
            return (nil, 0)
        }
        let head = String(decoding: body.prefix(1024), as: UTF8.self)
        guard let end = head.range(of: "?>") else { throw .malformed("the XML declaration does not end") }
        let words = head[..<end.lowerBound]
        guard words.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw .malformed("the XML declaration holds a character that is no ASCII")
        }
        let length = words.utf8.count + 2
        guard let key = words.range(of: "encoding") else { return (nil, length) }
        // encoding = "UTF-8", or the same in single quotes.
        let value = words[key.upperBound...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = value.first, "\"'".contains(quote), let close = value.dropFirst().firstIndex(of: quote) else {
            throw .malformed("the encoding in the XML declaration is not in quotes")
        }
        return (String(value[..<close].dropFirst()), length)
    }

    private static func text(_ body: Data, _ encoding: String?) throws(PayloadError) -> String {
        switch encoding?.lowercased() {
        case nil, "utf-8", "utf8":
            guard let text = String(validating: body, as: UTF8.self) else {
                throw .malformed("line \(line(ofFault: body)) is not UTF-8")
            }
            return text
        case "us-ascii", "ascii":
            guard let text = String(validating: body, as: UTF8.self), text.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw .malformed("the document says that it is US-ASCII, but is not")
            }
            return text
        case "iso-8859-1", "iso8859-1", "latin1":
            // A byte of ISO-8859-1 is the code point of its character.
            var text = String.UnicodeScalarView()
            text.append(contentsOf: body.lazy.map { Unicode.Scalar($0) })
            return String(text)
        case let other?: throw .malformed("the encoding '\(other.prefix(40))' is not read here")
        }
    }

    /// Refuses what is text but no document that a provider of figures sends.
    private static func look(at text: String) throws(PayloadError) {
        var line = 1
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x0A: line += 1
            case 0x09, 0x0D: continue
            case 0..<0x20, 0xFFFE, 0xFFFF: throw .malformed("line \(line) holds a control character")
            default: continue
            }
        }
        let start = text.drop(while: \.isWhitespace).prefix(14).lowercased()
        guard !start.hasPrefix("<!doctype html"), !start.hasPrefix("<html") else {
            throw .malformed("it is a page of HTML, not XML")
        }
        // Entities of a DOCTYPE can make a short document a long one; no provider uses them.
        guard text.range(of: "<!doctype", options: .caseInsensitive) == nil else {
            throw .malformed("it has a DOCTYPE")
        }
    }

    /// The line of the first byte that is not part of a UTF-8 character.
    private static func line(ofFault body: Data) -> Int {
        var line = 1
        var decoder = UTF8()
        var bytes = body.makeIterator()
        while true {
            switch decoder.decode(&bytes) {
            case .scalarValue("\n"): line += 1
            case .scalarValue: continue
            case .emptyInput, .error: return line
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
