package import Foundation
import YAML

/// Where a text is no JSON, and why.
package struct JSONSyntaxFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// The column in characters, from 1.
    package let column: Int
    /// What is wrong there.
    package let what: String

    /// `LINE:COLUMN: what`.
    package var description: String { "\(line):\(column): \(what)" }
}

/// JSON that a person wrote, looked over before it is decoded.
package enum JSONText {
    /// Looks for the first place that is no JSON, which a decoder does not tell.
    /// - Throws: `JSONSyntaxFault`.
    package static func check(_ data: Data) throws(JSONSyntaxFault) {
        _ = try read(Array(data))
    }

    /// The only value of a text, with the place of every part.
    /// - Throws: `JSONSyntaxFault`.
    static func read(_ bytes: [UInt8]) throws(JSONSyntaxFault) -> LocatedJSON {
        var scanner = JSONScanner(bytes)
        do throws(JSONScanner.Fault) {
            return try scanner.document()
        } catch {
            let place = place(of: error.offset, in: bytes)
            throw JSONSyntaxFault(line: place.line, column: place.column, what: error.what)
        }
    }

    /// Line and column of a byte, both from 1; a column is a character.
    static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        let before = bytes.prefix(offset)
        let line = before.count { $0 == 0x0A } + 1
        let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return (line, bytes[start..<before.endIndex].count { $0 & 0xC0 != 0x80 } + 1)
    }
}

extension LocatedJSON {
    /// The first key that an object has twice, anywhere in the document: a decoder takes one of the two without a word.
    ///
    /// - Parameter path: the path of this value, empty for the whole document.
    /// - Returns: the path such as `slots[3].value`, and the byte where the second value begins.
    func repeatedKey(path: String = "") -> (path: String, offset: Int)? {
        switch content {
        case .object(let entries):
            var known: Set<String> = []
            for entry in entries {
                let name = entry.key.count > 40 ? entry.key.prefix(40) + "…" : entry.key[...]
                let place = path.isEmpty ? String(name) : "\(path).\(name)"
                guard known.insert(entry.key).inserted else { return (place, entry.value.offset) }
                if let found = entry.value.repeatedKey(path: place) { return found }
            }
            return nil
        case .list(let elements):
            return elements.enumerated().lazy.compactMap { $1.repeatedKey(path: "\(path)[\($0)]") }.first
        default: return nil
        }
    }

    /// Which keys a document may have, and those of the objects in it.
    indirect enum Keys {
        /// An object with these keys and no other.
        case object([String: Keys])
        case list(Keys)
        /// Whatever the decoder takes.
        case anything
    }

    /// The first key that is not known: its path, and the known one that was probably meant.
    func unknownKey(_ keys: Keys, path: String = "$") -> (path: String, advice: String)? {
        switch (keys, content) {
        case (.object(let known), .object(let entries)):
            for entry in entries {
                let place = "\(path).\(entry.key.count > 40 ? entry.key.prefix(40) + "…" : entry.key[...])"
                guard let inner = known[entry.key] else {
                    return (place, NearestWord.advice(for: entry.key, among: known.keys.sorted(), ifNone: "remove it"))
                }
                if let found = entry.value.unknownKey(inner, path: place) { return found }
            }
            return nil
        case (.list(let keys), .list(let elements)):
            return elements.enumerated().lazy.compactMap { $1.unknownKey(keys, path: "\(path)[\($0)]") }.first
        default: return nil
        }
    }
}
