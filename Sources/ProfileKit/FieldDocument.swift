import Foundation
import HubKit

/// A message or an answer as it came, read once.
struct FieldDocument: Sendable {
    /// More than any device has to say at once; a longer one is not looked into.
    static let maximumBytes = 256 << 10

    /// What came, as text; only the beginning of one that is too long.
    let text: String
    /// The document, where it is JSON.
    let json: JSONDocument?
    /// When it was said, in the hub's time.
    var at: Date
    /// How many bytes it has.
    let count: Int

    /// Reads what came.
    init(_ bytes: [UInt8], at: Date) {
        count = bytes.count
        self.at = at
        let isTooLong = bytes.count > Self.maximumBytes
        text = String(decoding: isTooLong ? bytes.prefix(200) : bytes[...], as: UTF8.self)
        json = isTooLong ? nil : JSONDocument(bytes: bytes)
    }

    /// What is wrong with it, where a value inside it is looked for; nothing where it is JSON.
    var fault: String? {
        if json != nil { return nil }
        if count > Self.maximumBytes { return "has \(count) bytes, which is more than a device has to say" }
        return count == 0 ? "is empty" : "is no JSON"
    }

    /// The value at a path; without one the whole payload, which need not be JSON.
    func value(at path: JSONPath?) -> JSONDocument? {
        guard let path else {
            if count > Self.maximumBytes { return nil }
            let plain = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if case .text(let inner)? = json { return .text(inner) }
            return .text(plain)
        }
        return json?.value(at: path)
    }
}
