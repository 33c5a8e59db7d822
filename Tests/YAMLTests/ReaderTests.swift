import Testing
import YAML

enum Mode: String, CaseIterable, Codable {
    case eco, solar, boost
}

@Suite struct ReaderTests {
    private func reader(_ text: String, _ issues: YAMLIssues) throws -> YAMLReader {
        try #require(YAMLReader(try YAMLNode.parse(text, file: "c.yaml"), issues: issues))
    }

    @Test func readsEveryKindOfValue() throws {
        let issues = YAMLIssues()
        var reader = try reader(
            """
            name: Hall
            port: 502
            factor: 0.5
            whole: 3
            on: true
            mode: solar
            list: [1, 2]
            map: {a: 1}
            nothing: ~
            """, issues)
        #expect(reader.string("name") == "Hall")
        #expect(reader.int("port", in: 1...65_535) == 502)
        #expect(reader.double("factor") == 0.5)
        #expect(reader.optionalDouble("whole", in: 0...3) == 3)
        #expect(reader.bool("on") == true)
        #expect(reader.choice("mode", Mode.self) == .solar)
        #expect(reader.sequence("list")?.map(\.asInt) == [1, 2])
        let mapping = reader.mapping("map")
        var map = try #require(mapping)
        #expect(map.int("a") == 1)
        map.finish()
        #expect(reader.optionalString("nothing") == nil)
        #expect(reader.optionalInt("absent") == nil)
        #expect(reader.optionalMapping("absent") == nil)
        #expect(reader.optionalSequence("nothing") == nil)
        #expect(reader.optionalChoice("absent", Mode.self) == nil)
        #expect(reader.optionalBool("absent") == nil)
        #expect(reader.optionalNode("nothing")?.isNull == true)
        reader.finish()
        #expect(issues.errors.isEmpty)
    }

    @Test func collectsEveryErrorInTheOrderOfTheFile() throws {
        let issues = YAMLIssues()
        var reader = try reader(
            """
            name: 5
            pottr: 502
            factor: .nan
            on: yes
            mode: sollar
            list: {}
            map: 3
            unit: 300
            ratio: 1.5
            empty:
            """, issues)
        #expect(reader.string("name") == nil)
        #expect(reader.int("port") == nil)
        #expect(reader.double("factor") == nil)
        #expect(reader.bool("on") == nil)
        #expect(reader.choice("mode", Mode.self) == nil)
        #expect(reader.sequence("list") == nil)
        #expect(reader.mapping("map") == nil)
        #expect(reader.int("unit", in: 1...247) == nil)
        #expect(reader.optionalDouble("ratio", in: 0...1) == nil)
        #expect(reader.string("empty") == nil)
        reader.finish()
        #expect(
            issues.errors.map(\.description) == [
                "c.yaml:1:1: error: missing key 'port'; add a line 'port: …'",
                "c.yaml:1:7: error: name: expected text, found the whole number 5; put it in quotes: \"5\"",
                "c.yaml:2:1: error: pottr: unknown key 'pottr'; did you mean 'port'?",
                "c.yaml:3:9: error: factor: expected a finite number, found the number .nan; write a plain number",
                "c.yaml:4:5: error: on: expected true or false, found the text 'yes'; write true or false",
                "c.yaml:5:7: error: mode: unknown value 'sollar'; did you mean 'solar'? Known: eco, solar, boost",
                "c.yaml:6:7: error: list: expected a list, found a mapping; "
                    + "write each element on a line that begins with '- '",
                "c.yaml:7:6: error: map: expected a mapping, found the whole number 3; "
                    + "write lines such as 'key: value' below it",
                "c.yaml:8:7: error: unit: 300 is out of range; write a whole number from 1 to 247",
                "c.yaml:9:8: error: ratio: 1.5 is out of range; write a number from 0 to 1",
                "c.yaml:10:7: error: empty: key 'empty' has no value; write one after the colon",
            ])
    }

    @Test func theRootMustBeAMapping() throws {
        let issues = YAMLIssues()
        #expect(YAMLReader(try YAMLNode.parse("", file: "c.yaml"), issues: issues) == nil)
        #expect(issues.errors.first?.message == "expected a mapping, found nothing")
    }

    @Test func anUnknownKeyUnlikeAnyListsTheKnownOnes() throws {
        let issues = YAMLIssues()
        var reader = try reader("elephant: 1\n", issues)
        _ = reader.optionalInt("port")
        _ = reader.optionalString("host")
        reader.finish()
        #expect(issues.errors.first?.hint == "known here: host, port")
    }

    @Test(arguments: [
        ("pottr", "port"), ("prot", "port"), ("Port", "port"), ("export_wats", "export_watts"),
        ("timezone", "time_zone"),
    ])
    func suggestsTheNearestKey(written: String, meant: String) throws {
        let issues = YAMLIssues()
        var reader = try reader("\(written): 1\n", issues)
        for key in ["port", "host", "export_watts", "time_zone"] { _ = reader.optionalNode(key) }
        reader.finish()
        #expect(issues.errors.first?.hint == "did you mean '\(meant)'?")
    }
}
