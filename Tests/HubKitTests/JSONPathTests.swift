import HubKit
import Testing

/// The way to a value in what a device says.
@Suite struct JSONPathTests {
    private static let document = JSONDocument(
        bytes: Array(
            #"{"a": {"b": [1, {"c": true}]}, "flow temp. (R1)": 34.5, "m": [{"t": "x", "n": 1}, {"t": "net", "n": 2, "v": -11.5}], "z": null}"#
                .utf8))

    @Test(
        arguments: [
            ("a.b[0]", .number(1)), ("$.a.b[1].c", .truth(true)), ("[\"flow temp. (R1)\"]", .number(34.5)),
            ("['flow temp. (R1)']", .number(34.5)), ("m[t=net].v", .number(-11.5)), ("m[t=net,n=2].v", .number(-11.5)),
            ("a.b[#1]", .number(1)), ("a.b[#2].c", .truth(true)), ("a.b[#3]", nil), ("z", .null), ("a.b[2]", nil),
            ("a.x", nil), ("m[t=none].v", nil), ("m[t=net,n=1].v", nil), ("a[t=x]", nil),
        ] as [(String, JSONDocument?)])
    func leadsToTheValue(path: String, value: JSONDocument?) throws {
        #expect(try #require(Self.document).value(at: path) == value)
    }

    @Test(arguments: ["", "$"]) func nothingIsTheDocumentItself(path: String) throws {
        #expect(try #require(Self.document).value(at: path) == Self.document)
    }

    @Test(arguments: ["a[", "a[]", "a[-1]", "a[x]", "a[#0]", "a[#]", "a[#x]", "a[\"b]", "a[t=1,b]"])
    func whatIsNoPathIsNone(text: String) {
        #expect(JSONPath(text) == nil)
    }

    @Test(arguments: ["", "{", "{\"a\":}", "{\"a\":1", "<html>", "NaN", "{\"a\":NaN}", "[1,2"])
    func halfADocumentIsNone(text: String) {
        #expect(JSONDocument(bytes: Array(text.utf8)) == nil)
    }
}

/// Placeholders beside the braces of JSON.
@Suite struct TextTemplateTests {
    @Test func onlyNamesInBracesArePlaceholders() {
        let template = TextTemplate(#"{"current": {value}, "of": "{topic}/x", "{Big}": {}, "{2}": {a b}}"#)
        #expect(template.names == ["value", "topic"])
        #expect(
            template.filled(["value": "16", "topic": "box"])
                == #"{"current": 16, "of": "box/x", "{Big}": {}, "{2}": {a b}}"#)
    }

    @Test func whatIsNotKnownStays() {
        #expect(TextTemplate("{topic}/{value}").filled(["topic": "{value}"]) == "{value}/{value}")
        #expect(TextTemplate("a{").names == [] && TextTemplate("a{").filled([:]) == "a{")
    }
}
