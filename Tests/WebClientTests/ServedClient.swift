import WebClient
import WebServer

/// Runs the hub's own web server on a free port for the time of `body`, which gets its address.
func withServer<Result: Sendable>(
    socket: String? = nil, handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
    _ body: (String) async throws -> Result
) async throws -> Result {
    let server = WebServer(
        configuration: WebServerConfiguration(host: socket == nil ? "127.0.0.1" : nil, unixSocketPath: socket),
        handler: handler)
    try await server.start()
    let port = await server.boundPort ?? 0
    do {
        let result = try await body(socket == nil ? "http://127.0.0.1:\(port)" : "http://hub")
        await server.stop(within: .zero)
        return result
    } catch {
        await server.stop(within: .zero)
        throw error
    }
}

/// Tells what the server made of a request.
@Sendable func echo(_ request: HTTPRequest) async -> HTTPResponse {
    var lines = ["\(request.method) \(request.rawPath)"]
    lines += request.query.map { "query \($0.name)=\($0.value)" }
    lines += request.headers.fields.map { "\($0.name): \($0.value)" }.sorted()
    lines.append("unix \(request.isUnixSocket)")
    lines.append("body \(request.body)")
    return .text(lines.joined(separator: "\n"))
}

extension WebRequest {
    /// A request with limits that a slow machine keeps as well.
    static func patient(_ url: String, idle: Duration? = .seconds(60)) -> WebRequest {
        WebRequest("GET", url, limits: WebLimits(connect: .seconds(30), idle: idle, total: .seconds(90)))
    }
}
