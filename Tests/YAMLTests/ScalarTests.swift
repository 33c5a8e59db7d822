import Testing
import YAML

@Suite struct ScalarTests {
    @Test(arguments: [
        ("~", YAMLScalar.Kind.null), ("null", .null), ("Null", .null), ("NULL", .null), ("", .null),
        ("nULL", .text), ("true", .bool), ("FALSE", .bool), ("True", .bool), ("tRUE", .text),
        ("no", .text), ("on", .text), ("yes", .text), ("Off", .text), ("y", .text),
        ("0", .integer), ("-17", .integer), ("+5", .integer), ("007", .integer), ("0x1F", .integer),
        ("0o17", .integer), ("0x", .text), ("0xG", .text), ("0o8", .text), ("1_000", .text), ("-0x1F", .text),
        ("0b1", .text), ("1.5", .float), (".5", .float), ("1.", .float), ("-1.5e-3", .float), ("1e3", .float),
        ("1e", .text), ("e1", .text), (".", .text), ("-", .text), ("+", .text), ("1.2.3", .text), ("127.0.0.1", .text),
        (".inf", .float), ("-.Inf", .float), ("+.INF", .float), (".nan", .float), (".NaN", .float), ("-.nan", .text),
        ("nan", .text), ("inf", .text), ("12:30", .text), ("2026-01-01", .text), ("5A", .text), ("١", .text),
    ])
    func resolvesPlainScalarsByTheCoreSchema(text: String, kind: YAMLScalar.Kind) throws {
        // Inside a flow sequence a lone "-" or "" would not be a scalar.
        let node = try YAMLNode.parse(text == "-" || text == "" ? "!!str \"\(text)\"" : "[\(text)]", file: "t")
        if text == "-" || text == "" {
            #expect(node.scalar?.kind == .text)
        } else {
            #expect(node[0]?.scalar?.kind == kind)
        }
    }

    @Test(arguments: ["'true'", "\"5\"", "'~'", "\"\"", "|\n  5\n", ">-\n  1.5\n", "!!str 5", "! 5"])
    func quotedBlockAndTaggedScalarsAreText(source: String) throws {
        let node = try YAMLNode.parse("a: \(source)", file: "t")
        #expect(node["a"]?.scalar?.kind == .text)
        #expect(node["a"]?.asString != nil)
    }

    @Test(arguments: [
        ("0x1F", 31), ("0o17", 15), ("+5", 5), ("007", 7), ("9223372036854775807", Int.max),
        ("-9223372036854775808", Int.min),
    ])
    func readsIntegers(text: String, value: Int) throws {
        #expect(try YAMLNode.parse(text, file: "t").asInt == value)
    }

    @Test(arguments: ["9223372036854775808", "1.0", "\"5\"", "five", "", "[5]"])
    func refusesWhatIsNoFittingInteger(text: String) throws {
        #expect(try YAMLNode.parse(text, file: "t").asInt == nil)
    }

    @Test(arguments: [
        ("1.", 1), (".5", 0.5), ("-1.5e-3", -0.0015), ("12", 12), ("0x10", 16), ("0o10", 8), (".inf", Double.infinity),
        ("-.inf", -.infinity), ("+.INF", .infinity), ("9223372036854775808", 9_223_372_036_854_775_808),
    ])
    func readsNumbers(text: String, value: Double) throws {
        #expect(try YAMLNode.parse(text, file: "t").asDouble == value)
    }

    @Test func readsNotANumber() throws {
        #expect(try YAMLNode.parse(".nan", file: "t").asDouble?.isNaN == true)
    }

    @Test(arguments: [("true", true), ("False", false), ("yes", nil), ("'true'", nil), ("1", nil)])
    func readsBooleans(text: String, value: Bool?) throws {
        #expect(try YAMLNode.parse(text, file: "t").asBool == value)
    }

    @Test func keepsEscapesEmojiAndNulInText() throws {
        let node = try YAMLNode.parse(#"["a\0b", "⚡️", "\u26A1", 'it''s']"#, file: "t")
        #expect(node.elements?.map(\.asString) == ["a\0b", "⚡️", "⚡", "it's"])
    }
}
