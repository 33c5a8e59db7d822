import Foundation
import Testing

@testable import HubKit

/// A small repeatable generator.
private struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

/// How JSON is looked over before it is decoded.
@Suite struct JSONTreeTests {
    @Test(arguments: [
        "{}", "[]", " [1, -2.5e+3, 0, -0, 0.5] ", "{\"a\": {\"b\": [true, false, null]}}",
        "\"\\u00e9\\uD83D\\uDE00\\n\"",
        "{\"\\u0061\": 1, \"b\": \"é🙂\"}", "1e308",
    ])
    func jsonIsRead(text: String) throws {
        _ = try JSONTree(Array(text.utf8))
        // Foundation's decoder agrees that it is JSON.
        _ = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
    }

    @Test(
        arguments: [
            ("", 1, 1, "empty"), ("  \n ", 2, 2, "empty"), ("{", 1, 2, "key"), ("[1,", 1, 4, "ends too early"),
            ("[1 2]", 1, 4, "']'"), ("{\"a\":1,}", 1, 8, "key"), ("{a:1}", 1, 2, "double quotes"),
            ("{\"a\" 1}", 1, 6, "colon"), ("{\"a\":1\n,\"a\":2}", 2, 5, "'a' stands twice"),
            ("{\"a\":1,\"\\u0061\":2}", 1, 16, "'a' stands twice"), ("[NaN]", 1, 2, "NaN"),
            ("[Infinity]", 1, 2, "Infinity"), ("[-Infinity]", 1, 3, "digit"), ("[01]", 1, 2, "0"),
            ("[1.]", 1, 4, "point"), ("[1e]", 1, 4, "exponent"), ("[.5]", 1, 2, "value"),
            ("[1e999]", 1, 2, "too large"),
            ("[-1e999]", 1, 2, "too large"), ("\"a", 1, 3, "not closed"), ("\"a\nb\"", 1, 3, "control"),
            ("\"\\x\"", 1, 3, "escape"), ("\"\\u12g4\"", 1, 4, "four"), ("\"\\uD800\"", 1, 8, "surrogate"),
            ("\"\\uDC00\"", 1, 8, "surrogate"), ("\"\\uD800\\u0041\"", 1, 14, "surrogate"), ("1 2", 1, 3, "behind"),
            ("tru", 1, 1, "value"), ("'a'", 1, 1, "value"), ("\u{FEFF}{}", 1, 1, "byte order mark"),
        ] as [(String, Int, Int, String)])
    func whatIsNoJSONIsNamedByItsPlace(text: String, line: Int, column: Int, word: String) throws {
        let error = try #require(throws: JSONSyntaxError.self) { _ = try JSONTree(Array(text.utf8)) }
        #expect(error.line == line && error.column == column && error.reason.contains(word), "\(error)")
    }

    @Test(arguments: [[0xFF], [0x22, 0xC3, 0x28, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] as [[UInt8]])
    func onlyUTF8IsRead(bytes: [UInt8]) throws {
        let error = try #require(throws: JSONSyntaxError.self) { _ = try JSONTree(bytes) }
        #expect(error.reason.contains("UTF-8"))
    }

    @Test(arguments: ["[", "{\"a\":"]) func deepNestingEndsInTime(open: String) throws {
        let deepest = String(repeating: open, count: JSONTree.maximumDepth) + "0"
        let closed = deepest + String(repeating: open == "[" ? "]" : "}", count: JSONTree.maximumDepth)
        _ = try JSONTree(Array(closed.utf8))
        let error = try #require(throws: JSONSyntaxError.self) {
            _ = try JSONTree(Array(String(repeating: open, count: 200_000).utf8))
        }
        #expect(error.reason.contains("32 deep"))
    }

    @Test func arbitraryBytesNeverTrap() {
        var random = Xorshift(state: 4_711)
        let seed = Array("{\"a\":[1,-2.5e3,\"x\\u00e9\\n\",true,null,{\"b\":{}}]}".utf8)
        for _ in 0..<20_000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let isRead = (try? JSONTree(bytes)) != nil
            let isJSON = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
            // Foundation reads more than JSON; what we read, it reads too.
            #expect(!isRead || isJSON, "\(bytes)")
        }
    }

    @Test(
        arguments: [
            ("{\"mod\":\"off\"}", "unknown key 'mod'; did you mean 'mode'?"),
            ("{\"mode\":\"off\",\"x\":1}", "unknown key 'x'; known here: mode"),
            ("{\"mode\":3}", "mode: a text is needed here, not a number"), ("[]", "an object with mode is needed here"),
            ("3", "an object with mode is needed here, not a number"),
        ]) func aShapeNamesWhatDoesNotFit(text: String, words: String) throws
    {
        let tree = try JSONTree(Array(text.utf8))
        let fault = try #require(throws: JSONShape.Fault.self) { try JSONShape.mode.check(tree) }
        #expect(fault.description.contains(words), "\(fault)")
    }
}
