import Foundation

/// The API's own description, in OpenAPI 3.1, made of the table of routes.
enum OpenAPI {
    /// The document as JSON.
    static let document: [UInt8] = {
        var paths: [String: [String: Any]] = [:]
        for route in Route.all { paths[route.path, default: [:]][route.method.lowercased()] = operation(route) }
        let document: [String: Any] = [
            "openapi": "3.1.0", "info": ["title": "Offpeak", "version": "1"], "servers": [["url": "/api/v1"]],
            "paths": paths,
            "components": [
                "securitySchemes": [
                    "token": ["type": "http", "scheme": "bearer"],
                    "session": ["type": "apiKey", "in": "cookie", "name": Gate.cookie],
                ],
                "schemas": schemas,
            ],
        ]
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        return (try? JSONSerialization.data(withJSONObject: document, options: options)).map { Array($0) } ?? []
    }()

    private static func operation(_ route: Route) -> [String: Any] {
        var operation: [String: Any] = [
            "summary": route.summary,
            "responses": [
                String(route.success): success(route),
                "default": [
                    "description": "A fault as RFC 9457 has it",
                    "content": ["application/problem+json": ["schema": reference("Problem")]],
                ],
            ],
        ]
        let parameters = pathParameters(route) + route.parameters.map { query($0) }
        if !parameters.isEmpty { operation["parameters"] = parameters }
        if let body = route.body {
            operation["requestBody"] = [
                "required": route.isBodyRequired,
                "content": ["application/json": ["schema": reference(body)]],
            ]
        }
        if route.access == .change { operation["security"] = [["token": [String]()], ["session": [String]()]] }
        return operation
    }

    private static func success(_ route: Route) -> [String: Any] {
        guard !route.answer.isEmpty else { return ["description": "Success"] }
        var content: [String: Any] = [:]
        if route.answer.contains("/") {
            content[route.answer] = [String: Any]()
        } else {
            content["application/json"] = ["schema": reference(route.answer)]
        }
        if route.path.hasSuffix("/guidance") { content["text/event-stream"] = [String: Any]() }
        guard route.parameters.contains(where: { $0.choices.contains("csv") }) else {
            return ["description": "Success", "content": content]
        }
        content["text/csv"] = [String: Any]()
        let link: [String: Any] = [
            "description": "the next page, as rel=\"next\"; absent on the last", "schema": ["type": "string"],
        ]
        return ["description": "Success", "content": content, "headers": ["Link": link]]
    }

    private static func pathParameters(_ route: Route) -> [[String: Any]] {
        guard route.path.contains("{id}") else { return [] }
        return [["name": "id", "in": "path", "required": true, "schema": ["type": "string"]]]
    }

    private static func query(_ parameter: Route.Parameter) -> [String: Any] {
        var schema: [String: Any] = ["type": "string"]
        if !parameter.choices.isEmpty { schema["enum"] = parameter.choices }
        return [
            "name": parameter.name, "in": "query", "required": parameter.isRequired,
            "description": parameter.summary, "schema": schema,
        ]
    }

    static func reference(_ name: String) -> [String: Any] { ["$ref": "#/components/schemas/\(name)"] }
}
