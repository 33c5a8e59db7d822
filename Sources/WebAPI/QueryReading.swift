import EnergyKit
import Foundation
import WebServer

/// Values of the query, each with what it may be.
extension HTTPRequest {
    /// One of a few words; the first where none is given.
    func choice(_ name: String, _ known: [String]) throws -> String {
        guard let text = query(name) else { return known[0] }
        guard known.contains(text) else {
            let words = known.dropLast().joined(separator: ", ") + " or " + known[known.count - 1]
            throw Problem.badRequest("\(name) is \(words), not '\(HTTPRequest.shown(text))'")
        }
        return text
    }

    /// A time, or nil where none is given.
    func time(_ name: String) throws -> Date? {
        guard let text = query(name), !text.isEmpty else { return nil }
        // A plus sign that was not percent-encoded arrives as a space.
        guard let date = EnergyKitJSON.date(from: text.replacingOccurrences(of: " ", with: "+")) else {
            throw Problem.badRequest("\(name) is a time such as 2026-03-29T00:00:00Z, not '\(HTTPRequest.shown(text))'")
        }
        return date
    }

    /// A time that has to be given.
    func requiredTime(_ name: String) throws -> Date {
        guard let date = try time(name) else {
            throw Problem.badRequest("\(name) is missing: a time such as 2026-03-29T00:00:00Z")
        }
        return date
    }

    /// A number, or nil where none is given.
    func number(_ name: String) throws -> Double? {
        guard let text = query(name) else { return nil }
        guard let value = Double(text), value.isFinite else {
            throw Problem.badRequest("\(name) is a number, not '\(HTTPRequest.shown(text))'")
        }
        return value
    }

    /// A whole number, or `standard` where none is given.
    func count(_ name: String, in range: ClosedRange<Int>, standard: Int) throws -> Int {
        guard let text = query(name) else { return standard }
        guard let value = Int(text), range.contains(value) else {
            throw Problem.badRequest(
                "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound), not '\(HTTPRequest.shown(text))'"
            )
        }
        return value
    }

    /// The start of a text that a client sent, to be shown.
    static func shown(_ text: String) -> String {
        text.count > 60 ? text.prefix(60) + "…" : text
    }
}
