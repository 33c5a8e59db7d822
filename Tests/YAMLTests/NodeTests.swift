import Testing
import YAML

@Suite struct NodeTests {
    private let text = """
        # home
        http: {port: 8080}
        devices:
          - id: meter
          - id: ev
            connection:
              host: 127.0.0.1
              "unit.id": 3
        """

    @Test func everyNodeKnowsItsPlaceAndPath() throws {
        let root = try YAMLNode.parse(text, file: "home.yaml")
        let host = try #require(root["devices"]?[1]?["connection"]?["host"])
        #expect(host.asString == "127.0.0.1")
        #expect(host.path == "devices[1].connection.host")
        #expect(host.mark == YAMLMark(line: 7, column: 13))
        #expect(host.file == "home.yaml")
        let unit = try #require(root["devices"]?[1]?["connection"]?["unit.id"])
        #expect(unit.path == "devices[1].connection[\"unit.id\"]")
        #expect(root["http"]?["port"]?.mark == YAMLMark(line: 2, column: 14))
        #expect(root["devices"]?.keyNode("id") == nil)
        #expect(root.keyNode("devices")?.mark == YAMLMark(line: 3, column: 1))
    }

    @Test func keysKeepTheOrderOfTheFile() throws {
        let root = try YAMLNode.parse("z: 1\na: 2\nm: 3\n", file: "t")
        #expect(root.keys == ["z", "a", "m"])
        #expect(root.entries?.map(\.value.asInt) == [1, 2, 3])
    }

    @Test func columnsCountCharactersNotBytes() throws {
        let root = try YAMLNode.parse("{é⚡: x, b: y}", file: "t")
        #expect(root["b"]?.mark == YAMLMark(line: 1, column: 12))
    }

    @Test(arguments: ["", "\n\n", "# only a comment\n", "---\n", "---\n...\n", "\u{FEFF}"])
    func anEmptyDocumentIsNull(text: String) throws {
        let root = try YAMLNode.parse(text, file: "t")
        #expect(root.isNull)
        #expect(root.path.isEmpty)
    }

    @Test func aByteOrderMarkDoesNotShiftColumns() throws {
        let root = try YAMLNode.parse("\u{FEFF}a: 1", file: "t")
        #expect(root["a"]?.mark == YAMLMark(line: 1, column: 4))
    }

    @Test func windowsLineEndsAreLineEnds() throws {
        let root = try YAMLNode.parse("a: 1\r\nb: two\r\n", file: "t")
        #expect(root["b"]?.asString == "two")
        #expect(root["b"]?.line == 2)
    }

    @Test func anAliasHasThePathOfItsUseAndThePlaceOfItsAnchor() throws {
        let root = try YAMLNode.parse("one: &x {limit: 16}\ntwo: *x\nlist: [*x]\n", file: "t")
        let limit = try #require(root["list"]?[0]?["limit"])
        #expect(limit.asInt == 16)
        #expect(limit.path == "list[0].limit")
        #expect(limit.line == 1)
        #expect(root["two"]?["limit"]?.asInt == 16)
    }

    @Test func aLaterAnchorOfTheSameNameWins() throws {
        let root = try YAMLNode.parse("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", file: "t")
        #expect(root["b"]?.asInt == 1)
        #expect(root["d"]?.asInt == 2)
    }

    @Test func wrongShapesGiveNilAndNeverTrap() throws {
        let root = try YAMLNode.parse("a: [1]\n", file: "t")
        #expect(root[0] == nil)
        #expect(root["a"]?[1] == nil)
        #expect(root["a"]?[-1] == nil)
        #expect(root["a"]?["b"] == nil)
        #expect(root["a"]?.entries == nil)
        #expect(root.elements == nil)
        #expect(root.asString == nil)
    }
}
