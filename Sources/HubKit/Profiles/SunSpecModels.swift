package import Foundation
package import YAML

/// The layout of SunSpec models: where each value stands within a model, and how it is coded.
///
/// ## File Format
/// `sunspec.yaml` in a folder of profiles: under `models` for each number a `name`, `points` as `NAME: OFFSET TYPE
/// [FACTOR]` (a text as `OFFSET string WORDS`), and for a repeating part `group: {start, words, points}`. Offsets count
/// from the model's identifier, those in a group from the beginning of the group.
public struct SunSpecModels: Sendable, Equatable {
    /// One value of a model.
    public struct Point: Sendable, Equatable {
        /// Words before it.
        public var offset: Int
        /// How its words become a value.
        public var type: RegisterType
        /// The raw number that means "not implemented"; texts are empty then.
        public var unimplemented: UInt64?
        /// The point of the same model with its scale factor.
        public var factor: String?
    }

    /// A part that comes several times, such as the inputs of an inverter.
    public struct Group: Sendable, Equatable {
        /// Words before the first one.
        public var start: Int
        /// The length of each.
        public var words: Int
        /// The values of each, by name.
        public var points: [String: Point]
    }

    /// One model.
    public struct Model: Sendable, Equatable {
        /// What it is called.
        public var name: String
        /// Its values by name.
        public var points: [String: Point]
        /// What repeats behind them.
        public var group: Group?
    }

    /// The models by number.
    public private(set) var models: [Int: Model] = [:]

    /// Only the models of these numbers.
    func only(_ ids: Set<Int>) -> SunSpecModels {
        var few = SunSpecModels()
        few.models = models.filter { ids.contains($0.key) }
        return few
    }

    /// No models.
    public init() {}

    /// Reads a file of models.
    /// - Throws: what is wrong with it, with its place.
    package init(_ file: URL) throws(YAMLError) {
        let root = try YAMLNode.load(path: file.path)
        guard let entries = root["models"]?.entries else {
            throw root.error("a file of SunSpec models needs 'models'", hint: "see the one that comes with Offpeak")
        }
        for entry in entries {
            guard let id = Int(entry.key), let name = entry.value["name"]?.asString else {
                throw entry.value.error("this is no SunSpec model", hint: "such as 103: {name: …, points: {…}}")
            }
            var model = Model(name: name, points: try Self.points(entry.value["points"]))
            if let group = entry.value["group"] {
                guard let start = group["start"]?.asInt, let words = group["words"]?.asInt, start >= 0, words > 0 else {
                    throw group.error("a group needs 'start' and 'words'", hint: "such as {start: 10, words: 20}")
                }
                model.group = Group(start: start, words: words, points: try Self.points(group["points"]))
            }
            models[id] = model
        }
    }

    private static func points(_ node: YAMLNode?) throws(YAMLError) -> [String: Point] {
        var points: [String: Point] = [:]
        for entry in node?.entries ?? [] {
            guard let text = entry.value.asString, let point = Point(text) else {
                throw entry.value.error("this is no SunSpec point", hint: "such as 'W: 14 int16 W_SF'")
            }
            points[entry.key] = point
        }
        return points
    }
}

extension SunSpecModels.Point {
    /// Reads `14 int16 W_SF` or `2 string 16`.
    init?(_ text: String) {
        let parts = text.split(separator: " ").map(String.init)
        guard (2...3).contains(parts.count), let offset = Int(parts[0]), offset >= 0 else { return nil }
        if parts[1] == "string" {
            guard parts.count == 3, let words = Int(parts[2]), (1...64).contains(words) else { return nil }
            self.init(offset: offset, type: .text(words: words))
            return
        }
        guard let coding = Self.codings[parts[1]] else { return nil }
        self.init(
            offset: offset, type: coding.type, unimplemented: coding.unimplemented,
            factor: parts.count == 3 ? parts[2] : nil)
    }

    /// What each type of the standard is on the wire, and what it sends for "not implemented".
    ///
    /// An accumulator of 0 is either that or new: both are no counter that one could use.
    private static let codings: [String: (type: RegisterType, unimplemented: UInt64?)] = [
        "int16": (.i16, 0x8000), "sunssf": (.i16, 0x8000), "uint16": (.u16, 0xFFFF), "count": (.u16, 0xFFFF),
        "enum16": (.u16, 0xFFFF), "bitfield16": (.u16, 0xFFFF), "acc16": (.u16, 0), "int32": (.i32, 0x8000_0000),
        "uint32": (.u32, 0xFFFF_FFFF), "enum32": (.u32, 0xFFFF_FFFF), "bitfield32": (.u32, 0xFFFF_FFFF),
        "acc32": (.u32, 0), "int64": (.i64, 0x8000_0000_0000_0000), "uint64": (.u64, .max), "acc64": (.u64, 0),
        "float32": (.f32, 0x7FC0_0000), "float64": (.f64, 0x7FF8_0000_0000_0000),
    ]
}
