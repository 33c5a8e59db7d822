import Foundation
import TestSupport
import Testing

extension WebAPITests {
    /// The table of routes, the OpenAPI document, docs/api.md and what is really answered say the same.
    @Suite struct DocumentTests {
        let demo: DemoUnderTest

        init() throws { demo = try DemoUnderTest.running() }

        private static let page: String = {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            return (try? String(contentsOf: root.appendingPathComponent("docs/api.md"), encoding: .utf8)) ?? ""
        }()

        private func document() async throws -> JSONValue {
            try await demo.anyone.get("/api/v1/openapi.json").json
        }

        @Test func thePageListsTheRoutesOfTheDocument() async throws {
            let described = try await document()["paths"].object.flatMap { path, methods in
                methods.object.keys.map { "\($0.uppercased()) \(path)" }
            }
            let rows = Self.page.split(separator: "\n").filter { $0.hasPrefix("| `") }
                .compactMap { $0.split(separator: "|").first }
            let listed = rows.flatMap { row in
                row.matches(of: #/`((?:GET|PUT|POST|DELETE) \/[^`]*)`/#).map { String($0.output.1) }
            }
            #expect(Set(listed) == Set(described), "\(Set(listed).symmetricDifference(described))")
            #expect(listed.count == Set(listed).count, "a route is listed twice")
        }

        @Test func thePageNamesEveryParameterAndMember() async throws {
            let document = try await document()
            let operations = document["paths"].object.values.flatMap { $0.object.values }
            var names = Set(
                operations.flatMap { $0["parameters"].array }.filter { $0["in"].string == "query" }
                    .compactMap { $0["name"].string })
            for schema in document["components"]["schemas"].object.values { names.formUnion(Self.members(schema)) }
            // Members that are explained by their values, or that belong to a car's status event.
            names.subtract([
                "venueID", "points", "estimatedRangeMeters", "chargingTarget", "sessionIdentifier", "type", "status",
            ])
            let words = Set(Self.page.split { !$0.isLetter && !$0.isNumber }.map(String.init))
            let missing = names.subtracting(words)
            #expect(missing.isEmpty, "docs/api.md does not name \(missing.sorted())")
        }

        private static func members(_ schema: JSONValue) -> Set<String> {
            var names = Set(schema["properties"].object.keys)
            for inner in schema["properties"].object.values { names.formUnion(members(inner)) }
            if case .object = schema["items"] { names.formUnion(members(schema["items"])) }
            return names
        }

        @Test func everyAnswerHasTheShapeThatIsDescribed() async throws {
            let document = try await document()
            let source = try await LoadEventSource(demo.operator)
            #expect(try await source.post(source.batch(40), demo.operator).status == 202)
            var checked = 0
            for (path, methods) in document["paths"].object {
                let content = methods["get"]["responses"]["200"]["content"]["application/json"]
                guard case .object = content["schema"] else { continue }
                var target = path.replacing("/devices/{id}", with: "/devices/car")
                    .replacing("/outbox/{id}", with: "/outbox/local").replacing("{id}", with: demo.venue)
                if target.contains("/insights/") {
                    target += ReadingTests.insightsQuery + "&options=cleanliness,tariff"
                }
                if path.hasSuffix("/what-if") {
                    let now = try #require(try await demo.anyone.get("/api/v1/clock").json["now"].date)
                    target += "?energyWattHours=5000&readyBy=\(now.addingTimeInterval(6 * 3600).formatted(.iso8601))"
                }
                let answer = try await demo.operator.get("/api/v1" + target)
                #expect(answer.status == 200, "\(path): \(answer)")
                let faults = Schema(document).faults(answer.json, content["schema"], path)
                #expect(faults.isEmpty, "\(faults.prefix(5))")
                checked += 1
            }
            #expect(checked >= 14)
            let device = Schema(document).faults(
                try await demo.operator.send("DELETE", "/api/v1/devices/heating/mode").json,
                document["components"]["schemas"]["Device"], "device")
            #expect(device.isEmpty, "\(device)")
            let problem = try await demo.anyone.get("/api/v1/nosuch").json
            #expect(Schema(document).faults(problem, document["components"]["schemas"]["Problem"], "problem").isEmpty)
        }

        @Test func numbersHaveNoTailOfBinaryDigits() async throws {
            _ = await eventually { try await demo.anyone.get("/api/v1/devices/car").json["plan"]["cost"].number != nil }
            for path in ["/devices", "/venues/\(demo.venue)/plan", "/sessions", "/history"] {
                let text = try await demo.anyone.get("/api/v1" + path).text
                let long = text.matches(of: #/\d+\.\d{7,}/#).map { String($0.output) }
                #expect(long.isEmpty, "\(path): \(long.prefix(3))")
            }
            let guidance = try await demo.anyone.get("/api/v1/venues/\(demo.venue)/guidance").json
            for value in guidance["values"].array {
                let price = try #require(value["pricePerKWh"].number)
                #expect(String(price).count <= 12, "\(price)")
            }
        }
    }
}

/// As much of JSON Schema as the document uses.
private struct Schema {
    private let schemas: JSONValue

    init(_ document: JSONValue) { schemas = document["components"]["schemas"] }

    func faults(_ value: JSONValue, _ schema: JSONValue, _ path: String) -> [String] {
        if let name = schema["$ref"].string?.split(separator: "/").last {
            return faults(value, schemas[String(name)], path)
        }
        switch (schema["type"].string, value) {
        case ("object", .object(let members)):
            let known = schema["properties"].object
            let missing = schema["required"].array.compactMap(\.string).filter { members[$0] == nil }
            let strange = schema["additionalProperties"].bool == false ? members.keys.filter { known[$0] == nil } : []
            return missing.map { "\(path) lacks \($0)" } + strange.map { "\(path) has \($0)" }
                + members.flatMap { name, value in
                    known[name].map { faults(value, $0, "\(path).\(name)") } ?? []
                }
        case ("array", .array(let elements)):
            return elements.enumerated().flatMap { faults($1, schema["items"], "\(path)[\($0)]") }
        case ("string", .string(let text)):
            let choices = schema["enum"].array.compactMap(\.string)
            if !choices.isEmpty, !choices.contains(text) { return ["\(path) is '\(text)'"] }
            if schema["format"].string == "uuid", UUID(uuidString: text) == nil { return ["\(path) is no UUID"] }
            if schema["format"].string == "date-time", value.date == nil { return ["\(path) is no time: \(text)"] }
            return []
        case ("number", .number), ("boolean", .bool): return []
        case ("integer", .number(let number)): return number == number.rounded() ? [] : ["\(path) is \(number)"]
        default: return ["\(path) is not of the type \(schema["type"].string ?? "?")"]
        }
    }
}
