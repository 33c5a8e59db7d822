import Foundation

extension ProfileFormat {
    /// The JSON schema (draft 2020-12) of a profile, for editors and other programs.
    package static var schema: String {
        var definitions: [String: Schema] = [:]
        for section in sections { definitions[section.name] = section.schema }
        let root = sections.first?.schema ?? Schema()
        root.schema = "https://json-schema.org/draft/2020-12/schema"
        root.title = "Offpeak device profile"
        root.definitions = definitions
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(root)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// The part of JSON Schema that is needed here.
    final class Schema: Encodable {
        var schema: String?
        var title: String?
        var type: String?
        var pattern: String?
        var description: String?
        var reference: String?
        var minimum: Double?
        var maximum: Double?
        var minItems: Int?
        var maxItems: Int?
        var choices: [String]?
        var items: Schema?
        var anyOf: [Schema]?
        var properties: [String: Schema]?
        var required: [String]?
        var additional: Additional?
        var definitions: [String: Schema]?

        init(_ type: String? = nil) { self.type = type }

        enum CodingKeys: String, CodingKey {
            case schema = "$schema"
            case reference = "$ref"
            case choices = "enum"
            case definitions = "$defs"
            case additional = "additionalProperties"
            case title, type, pattern, description, minimum, maximum, minItems, maxItems, items, anyOf, properties
            case required
        }
    }

    /// What other properties an object may have.
    enum Additional: Encodable {
        case none
        case like(Schema)

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .none: try container.encode(false)
            case .like(let schema): try container.encode(schema)
            }
        }
    }
}

extension ProfileFormat.Section {
    fileprivate var schema: ProfileFormat.Schema {
        let schema = ProfileFormat.Schema("object")
        schema.properties = Dictionary(
            keys.map { key in
                let value = key.value.schema
                value.description = key.meaning
                return (key.name, value)
            }, uniquingKeysWith: { first, _ in first })
        let needed = keys.filter { $0.fallback == "needed" }.map(\.name)
        schema.required = needed.isEmpty ? nil : needed
        schema.additional = ProfileFormat.Additional.none
        return schema
    }
}

extension ProfileFormat.Value {
    fileprivate typealias Schema = ProfileFormat.Schema

    fileprivate var schema: Schema {
        switch self {
        case .text: Schema("string")
        case .flag: Schema("boolean")
        case .anything: Schema()
        case .integer(let range): Self.number("integer", Double(range.lowerBound), Double(range.upperBound))
        case .number(let range): Self.number("number", range.lowerBound, range.upperBound)
        case .factor: Self.any(Schema("number"), Self.text("^ *-?[0-9.]+ */ *[0-9.]+ *$"))
        case .raw: Self.any(Self.number("integer", 0, nil), Self.text("^0x[0-9A-Fa-f]{1,16}$"))
        case .range: Self.list(Schema("number"), 2...2)
        case .bits:
            Self.any(Self.number("integer", 0, 63), Self.list(Self.number("integer", 0, 63), 2...2))
        case .codes: Self.object(Self.any(Schema("number"), Schema("string")))
        case .choice(let names): Self.choice(names)
        case .list(let element): Self.list(element.schema, nil)
        case .some(let element): Self.any(element.schema, Self.list(element.schema, nil))
        case .section(let name): Self.reference(name)
        case .steps(let names): Self.steps(names)
        case .texts: Self.object(Self.any(Schema("string"), Schema("number")))
        case .named(let names): Self.object(Self.anyOf(names.map { Self.reference($0) }))
        case .conditions: Self.object(Self.test)
        }
    }

    private static var test: Schema {
        let plain = any(Schema("number"), Schema("string"))
        return any(plain, list(plain, nil), reference("comparison"))
    }

    private static func number(_ type: String, _ minimum: Double, _ maximum: Double?) -> Schema {
        let schema = Schema(type)
        schema.minimum = minimum
        schema.maximum = maximum
        return schema
    }

    private static func text(_ pattern: String) -> Schema {
        let schema = Schema("string")
        schema.pattern = pattern
        return schema
    }

    private static func choice(_ names: [String]) -> Schema {
        let schema = Schema("string")
        schema.choices = names
        return schema
    }

    private static func list(_ element: Schema, _ counts: ClosedRange<Int>?) -> Schema {
        let schema = Schema("array")
        schema.items = element
        schema.minItems = counts?.lowerBound
        schema.maxItems = counts?.upperBound
        return schema
    }

    private static func any(_ choices: Schema...) -> Schema { anyOf(choices) }

    private static func anyOf(_ choices: [Schema]) -> Schema {
        let schema = Schema()
        schema.anyOf = choices
        return schema
    }

    private static func steps(_ names: [String]) -> Schema {
        let step = { anyOf(names.map { reference($0) }) }
        return any(step(), list(step(), nil))
    }

    private static func object(_ values: Schema) -> Schema {
        let schema = Schema("object")
        schema.additional = .like(values)
        return schema
    }

    private static func reference(_ name: String) -> Schema {
        let schema = Schema()
        schema.reference = "#/$defs/\(name)"
        return schema
    }
}
