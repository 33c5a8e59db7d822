import Testing
import YAML

/// A small generator with a fixed seed, so that a failure comes back.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

@Suite struct MutationTests {
    private static let valid = """
        %YAML 1.2
        ---
        # a home
        name: &n "Home \\u26A1"
        copy: *n
        devices:
          - {id: ev, unit: 0xFF, scale: -1.5e3, text: 'it''s'}
          - id: meter
            unit: 1
            note: |
              two
              lines
            fold: >-
              one
              line
        ? odd
        : [~, true, .inf, !!str 5]
        """

    private static let pieces: [[UInt8]] =
        [
            [0], [9], [10], [13], [0xFF], [0xC3], [0xC2, 0x85], [0xE2, 0x80, 0xA8], [0xEF, 0xBB, 0xBF],
        ]
        + [
            "&a ", "*a", "- ", "? ", ": ", "{", "}", "[", "]", "'", "\"", "|", ">", "!", "!!int ", "%", "@", "---\n",
            "\\", "<<: ",
        ]
        .map { Array($0.utf8) }

    private func mutated(_ random: inout SplitMix) -> [UInt8] {
        var bytes = Array(Self.valid.utf8)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: place)
            default: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...30, using: &random)))
            }
            if bytes.isEmpty { bytes = [0x61] }
        }
        return bytes
    }

    private func visit(_ node: YAMLNode, _ issues: YAMLIssues) -> Int {
        #expect(node.line >= 1 && node.column >= 1)
        _ = (node.asString, node.asInt, node.asDouble, node.asBool, node.path, node.summary)
        if var reader = YAMLReader(node, issues: issues) {
            _ = (reader.string("name"), reader.int("unit"), reader.optionalDouble("scale"), reader.bool("id"))
            reader.finish()
        }
        let below = node.elements ?? node.entries?.map(\.value) ?? []
        return below.reduce(1) { $0 + visit($1, issues) }
    }

    @Test(arguments: 0..<8)
    func randomChangesGiveATreeOrAnErrorAndNeverTrap(seed: Int) throws {
        struct Device: Decodable { let id: String, unit: Int8, scale: Float? }
        struct Home: Decodable { let name: String, copy: String?, devices: [Device] }
        var random = SplitMix(state: UInt64(seed))
        var (trees, errors) = (0, 0)
        for _ in 0..<500 {
            let bytes = mutated(&random)
            do throws(YAMLError) {
                let root = try YAMLNode.parse(bytes: bytes, file: "m")
                trees += 1
                let issues = YAMLIssues()
                #expect(visit(root, issues) >= 1)
                _ = try YAMLDecoder(rejectsUnknownKeys: true).decode(Home.self, from: root)
            } catch {
                errors += 1
                #expect(error.line >= 1 && error.column >= 1)
                #expect(error.description.hasPrefix("m:\(error.line):\(error.column): error: "))
                #expect(!error.message.isEmpty)
            }
        }
        #expect(trees > 20)
        #expect(errors > 20)
    }
}
