import WebServer

/// Runs a server on a free port for the time of `body`.
func withServer<Result: Sendable>(
    _ change: (inout WebServerConfiguration) -> Void = { _ in },
    webSockets: [WebSocketRoute] = [],
    handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse = echo,
    stopLimit: Duration = .zero,
    _ body: (WebServer, Int) async throws -> Result
) async throws -> Result {
    var configuration = WebServerConfiguration()
    change(&configuration)
    let server = WebServer(configuration: configuration, webSockets: webSockets, handler: handler)
    try await server.start()
    let port = await server.boundPort ?? 0
    do {
        let result = try await body(server, port)
        await server.stop(within: stopLimit)
        return result
    } catch {
        await server.stop(within: stopLimit)
        throw error
    }
}

/// Tells what the server made of a request.
@Sendable func echo(_ request: HTTPRequest) async -> HTTPResponse {
    var lines = ["\(request.method) \(request.path)", "raw \(request.rawPath)"]
    lines += ["segments \(request.pathSegments)"]
    lines += request.query.map { "query \($0.name)=\($0.value)" }
    lines += request.headers.fields.map { "header \($0.name): \($0.value)" }
    lines += ["body \(request.body.count) \(String(decoding: request.body.prefix(64), as: UTF8.self))"]
    lines += ["from \(request.remoteAddress ?? "-") unix \(request.isUnixSocket)"]
    return .text(lines.joined(separator: "\n"))
}

/// A flag that one side sets and another waits for.
struct Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func set() {
        continuation.yield()
    }

    func wait() async {
        for await _ in stream { return }
    }
}
