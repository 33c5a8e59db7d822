import Testing
import YAML

/// A document that must be refused, the place, and words of the message and the hint.
struct BadDocument: Sendable, CustomTestStringConvertible {
    let text: String
    let line: Int
    let column: Int
    let message: String
    let hint: String

    init(_ text: String, _ line: Int, _ column: Int, _ message: String, _ hint: String) {
        self.text = text
        self.line = line
        self.column = column
        self.message = message
        self.hint = hint
    }

    var testDescription: String { text.debugDescription }
}

@Suite struct SyntaxErrorTests {
    static let documents = [
        BadDocument("a: 1\n\tb: 2\n", 2, 1, "", "spaces, not tabs"),
        BadDocument("a:\n  b: 1\n\t c: 2\n", 3, 1, "", "spaces, not tabs"),
        BadDocument("a: b: c\n", 1, 5, "mapping values are not allowed", "quotes"),
        BadDocument("a: 1\na: 2\n", 2, 1, "key 'a' stands here again", "first is on line 1"),
        BadDocument("x:\n  \"k\": 1\n  k: 2\n", 3, 3, "key 'k' stands here again", "first is on line 2"),
        BadDocument("a: *x\n", 1, 4, "alias '*x' has no anchor", "quotes"),
        BadDocument("a: &x [*x]\n", 1, 8, "inside its own anchor", "write the value out"),
        BadDocument("a: 'open\nb: 2\n", 1, 4, "the quote that opens here", "close the quotes"),
        BadDocument("a: [1, 2\nb: 3\n", 1, 4, "the '[' that opens here", "comma"),
        BadDocument("a: @home\n", 1, 4, "cannot start any token", "quotes"),
        BadDocument("a: \"\\q\"\n", 1, 5, "unknown escape", "single quotes"),
        BadDocument("a: 1\n---\nb: 2\n", 2, 1, "second document", "one document"),
        BadDocument("? [a]\n: 1\n", 1, 3, "a key is a list", "plain word"),
        BadDocument("a: &d {x: 1}\nb:\n  <<: *d\n", 3, 3, "merge keys", "alias"),
        BadDocument("pin: !secret door\n", 1, 6, "tag '!secret'", "remove the tag"),
        BadDocument("n: !!int five\n", 1, 4, "tag '!!int'", "remove the tag"),
        BadDocument("n: !!map [1]\n", 1, 4, "tag '!!map'", "remove the tag"),
        BadDocument("a: 1\nb\nc: 2\n", 3, 1, "could not find expected ':'", "after the key"),
        BadDocument("a: x\0y\n", 1, 5, "control characters", "remove this character"),
        BadDocument("- 1\nb: 2\n", 2, 1, "did not find expected '-'", "same column"),
    ]

    @Test(arguments: documents)
    func saysWhereAndWhat(document: BadDocument) throws {
        let error = try #require(throws: YAMLError.self) { try YAMLNode.parse(document.text, file: "home.yaml") }
        #expect(error.line == document.line)
        #expect(error.column == document.column)
        #expect(error.message.contains(document.message))
        #expect(error.hint?.contains(document.hint) == true)
        #expect(error.description.hasPrefix("home.yaml:\(document.line):\(document.column): error: "))
    }

    @Test(
        arguments: [
            ([0x61, 0x3A, 0x20, 0xFF], 1, 4), ([0x61, 0x3A, 0x20, 0x31, 0x0A, 0x62, 0xC3], 2, 2), ([0xC0, 0x80], 1, 1),
            ([0x61, 0x0A, 0xED, 0xA0, 0x80], 2, 1),
        ] as [([UInt8], Int, Int)])
    func invalidUTF8IsAnErrorWithItsPlace(bytes: [UInt8], line: Int, column: Int) throws {
        let error = try #require(throws: YAMLError.self) { try YAMLNode.parse(bytes: bytes, file: "t") }
        #expect(error.message.contains("not UTF-8"))
        #expect((error.line, error.column) == (line, column))
    }

    @Test func anErrorShowsTheLineWithACaret() throws {
        let error = try #require(throws: YAMLError.self) { try YAMLNode.parse("ok: 1\nbad: é b: c\n", file: "f") }
        #expect(error.excerpt == "bad: é b: c\n        ^")
        #expect(error.detailedDescription.hasSuffix(error.excerpt ?? "?"))
    }

    @Test func aLongLineIsCutAroundTheColumn() throws {
        let line = String(repeating: "x", count: 900) + ": @" + String(repeating: "y", count: 900)
        let error = try #require(throws: YAMLError.self) { try YAMLNode.parse(line, file: "f") }
        #expect(error.column == 903)
        let parts = try #require(error.excerpt?.split(separator: "\n"))
        #expect(parts.allSatisfy { $0.count <= 120 })
        #expect(Array(parts[0])[parts[1].count - 1] == "@")
    }

    @Test func anAliasBombIsAnError() throws {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...12 {
            let uses = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            text += "a\(level): &a\(level) [\(uses)]\n"
        }
        let error = try #require(throws: YAMLError.self) { try YAMLNode.parse(text, file: "t") }
        #expect(error.message.contains("more than 100000 values"))
    }

    @Test(arguments: [
        String(repeating: "[", count: 65), String(repeating: "[", count: 50_000),
        (0..<65).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
        "a: &a \(String(repeating: "[", count: 40))\(String(repeating: "]", count: 40))\nb: "
            + "\(String(repeating: "[", count: 30))*a\(String(repeating: "]", count: 30))\n",
    ])
    func deepNestingIsAnError(text: String) throws {
        let error = try #require(throws: YAMLError.self) { try YAMLNode.parse(text, file: "t") }
        #expect(error.message.contains("more than 64 deep"))
    }

    @Test func nestingUpToTheLimitIsRead() throws {
        let text = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try YAMLNode.parse(text, file: "t").shape == .sequence)
    }

    @Test func aDocumentAboveTheSizeLimitIsAnError() throws {
        let limits = YAMLLimits(bytes: 10)
        #expect(throws: YAMLError.self) { try YAMLNode.parse("a: 12345678", file: "t", limits: limits) }
        #expect(try YAMLNode.parse("a: 1234567", file: "t", limits: limits)["a"]?.asInt == 1_234_567)
    }

    @Test func aMissingFileSaysSo() throws {
        let error = try #require(throws: YAMLError.self) { try YAMLNode.load(path: "/nonexistent/home.yaml") }
        #expect(error.description.hasPrefix("/nonexistent/home.yaml:1:1: error: the file cannot be read: No such file"))
    }

    @Test func aFolderIsNoFile() throws {
        let error = try #require(throws: YAMLError.self) { try YAMLNode.load(path: "/") }
        #expect(error.message == "this is a folder")
    }
}
