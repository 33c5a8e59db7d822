import Testing
import YAML

@Suite struct OverlayTests {
    private static func node(_ text: String) throws -> YAMLNode { try YAMLNode.parse(text, file: "f.yaml") }

    @Test func mappingsAreMergedAndTheRestIsReplaced() throws {
        let base = try Self.node("a: {x: 1, y: [1, 2]}\nb: 2\n")
        let merged = base.overlaid(with: try Self.node("a: {y: [3], z: 4}\nc: {d: 5}\n"))
        #expect(merged.keys == ["a", "b", "c"])
        #expect(merged["a"]?.keys == ["x", "y", "z"])
        #expect(merged["a"]?["x"]?.asInt == 1)
        #expect(merged["a"]?["y"]?.elements?.map(\.asInt) == [3])
        #expect(merged["b"]?.asInt == 2 && merged["c"]?["d"]?.asInt == 5)
        #expect(base["a"]?["z"] == nil)
    }

    @Test func aScalarTakesThePlaceOfAMappingAndTheOtherWayRound() throws {
        let base = try Self.node("a: {x: 1}\nb: 2\n")
        let merged = base.overlaid(with: try Self.node("a: 1\nb: {x: 1}\n"))
        #expect(merged["a"]?.asInt == 1 && merged["b"]?["x"]?.asInt == 1)
    }

    @Test func eachValueKeepsItsPlace() throws {
        let base = try Self.node("a:\n  x: 1\n  y: 2\n")
        let merged = base.overlaid(with: try Self.node("\n\n\na: {y: 3}\n"))
        #expect(merged["a"]?["x"]?.line == 2)
        #expect(merged["a"]?["y"]?.line == 4 && merged["a"]?["y"]?.path == "a.y")
    }
}
