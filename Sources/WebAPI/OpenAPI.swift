import Foundation

/// The API's own description, in OpenAPI 3.1.
enum OpenAPI {
    private struct Operation {
        var path: String
        var method: String
        var summary: String
        var success: String = "200"
        var isChange: Bool { method != "get" }
    }

    private static let operations = [
        Operation(path: "/venues", method: "get", summary: "The homes"),
        Operation(path: "/venues/{id}", method: "get", summary: "One home"),
        Operation(
            path: "/venues/{id}/guidance", method: "get",
            summary:
                "Guidance in force (?action=shift|reduce&device=ID); with Accept: text/event-stream each new one too"),
        Operation(
            path: "/venues/{id}/plan", method: "get", summary: "What every device is going to do, with the reason"),
        Operation(
            path: "/venues/{id}/sources", method: "get", summary: "How the sources behind a home's guidance are doing"),
        Operation(
            path: "/venues/{id}/solar", method: "get", summary: "What its solar system is expected to give, in watts"),
        Operation(
            path: "/sources", method: "get",
            summary: "Every source of guidance: last and next fetch, stale since, quota, last error"),
        Operation(
            path: "/venues/{id}/insights/energy", method: "get",
            summary:
                "Energy of a device by calendar unit of the home's zone (?device=&start=&end=&granularity=hourly|daily|weekly|monthly|yearly&options=cleanliness,tariff&flow=imported|exported); what is not known is absent"
        ),
        Operation(
            path: "/venues/{id}/insights/runtime", method: "get",
            summary: "The same in seconds of running time; its classes are seconds too"),
        Operation(
            path: "/venues/{id}/events", method: "post", summary: "Submit load events, all or nothing", success: "202"),
        Operation(path: "/devices", method: "get", summary: "Every device"),
        Operation(path: "/devices/{id}", method: "get", summary: "One device"),
        Operation(
            path: "/devices/{id}/mode", method: "put", summary: "Change how a device is used: off, now, guided, solar"),
        Operation(path: "/devices/{id}/goal", method: "put", summary: "Set what a device is to reach"),
        Operation(path: "/devices/{id}/goal", method: "delete", summary: "Clear the goal"),
        Operation(
            path: "/events", method: "get",
            summary: "Load events in the order they were accepted (?device=&since=&limit=&after=&format=json|csv)"),
        Operation(
            path: "/sessions", method: "get",
            summary: "Sessions with energy, cost and carbon, newest first (?device=&since=&limit=)"),
        Operation(
            path: "/outbox", method: "get", summary: "Every sink with its queue, its faults and its dead letters"),
        Operation(
            path: "/outbox/{id}/dead-letters", method: "get",
            summary: "The load events that a sink refused for good, with the reason (?limit=)"),
        Operation(
            path: "/outbox/{id}/resend", method: "post",
            summary: "Put dead letters back into the sink's queue: all, or {sequences:[…]}", success: "202"),
        Operation(
            path: "/outbox/{id}/replay", method: "post",
            summary: "Put the past into the sink's queue: all, or {since}", success: "202"),
        Operation(
            path: "/outbox/{id}/retry", method: "post", summary: "Try a sink that waits after a failure at once",
            success: "204"),
        Operation(
            path: "/stream", method: "get",
            summary: "Server-sent events: reading, health, guidance, plan, event, hub, clock"
        ),
        Operation(
            path: "/history", method: "get",
            summary: "Power of every device over the last hours, minute by minute (?hours=)"),
        Operation(path: "/health", method: "get", summary: "Whether the hub itself is well: its store, notices"),
        Operation(path: "/clock", method: "get", summary: "The hub's time and its speed"),
        Operation(path: "/session", method: "get", summary: "The role of the page's session"),
        Operation(path: "/session", method: "post", summary: "Sign in with {token}; sets a same-site cookie"),
        Operation(path: "/session", method: "delete", summary: "Sign out", success: "204"),
        Operation(path: "/openapi.json", method: "get", summary: "This description"),
    ]

    /// The document as JSON.
    static let document: [UInt8] = {
        var paths: [String: [String: Any]] = [:]
        for operation in operations {
            var body: [String: Any] = [
                "summary": operation.summary,
                "responses": [
                    operation.success: ["description": "Success"],
                    "default": [
                        "description": "A fault as RFC 9457 has it",
                        "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
                    ],
                ],
            ]
            if operation.path.contains("{id}") {
                body["parameters"] = [["name": "id", "in": "path", "required": true, "schema": ["type": "string"]]]
            }
            if operation.isChange { body["security"] = [["token": [String]()], ["session": [String]()]] }
            paths[operation.path, default: [:]][operation.method] = body
        }
        let document: [String: Any] = [
            "openapi": "3.1.0", "info": ["title": "Offpeak", "version": "1"], "servers": [["url": "/api/v1"]],
            "paths": paths,
            "components": [
                "securitySchemes": [
                    "token": ["type": "http", "scheme": "bearer"],
                    "session": ["type": "apiKey", "in": "cookie", "name": Gate.cookie],
                ],
                "schemas": [
                    "Problem": [
                        "type": "object", "required": ["status", "code", "detail"],
                        "properties": [
                            "type": ["type": "string"], "title": ["type": "string"], "status": ["type": "integer"],
                            "code": ["type": "string"], "detail": ["type": "string"],
                        ],
                    ]
                ],
            ],
        ]
        return (try? JSONSerialization.data(withJSONObject: document, options: [.sortedKeys])).map { Array($0) } ?? []
    }()
}
