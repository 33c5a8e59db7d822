import ThreadKit

/// An HTTP/1.1 server with server-sent events and WebSockets, over libwebsockets.
///
/// For example:
///
///     let server = WebServer(configuration: WebServerConfiguration(port: 8080)) { request in
///         request.path == "/" ? .text("hello") : .notFound
///     }
///     try await server.start()
///     await server.stop(within: .seconds(5))
///
/// Handlers run on the concurrent pool or where `runsOn` says, each request in a task of its own, which is cancelled if
/// the handler takes too long or the client breaks the connection. A server runs once.
package actor WebServer {
    private enum State {
        case idle
        case running(Task<Void, Never>)
        case stopped
    }

    /// The TCP port that the server listens on, once it was started; nil without a TCP listener.
    package private(set) var boundPort: Int?

    /// The TCP port that the server listens for TLS on, once it was started; nil without such a listener.
    package private(set) var boundTLSPort: Int?

    private let configuration: WebServerConfiguration
    private let handler: RequestHandler
    private let webSockets: [WebSocketRoute]
    let mailbox = Mailbox()
    private var state = State.idle

    /// Makes a server that does not listen yet.
    /// - Parameters:
    ///   - configuration: where to listen, and limits.
    ///   - webSockets: where WebSockets are accepted; an upgrade elsewhere goes to `handler` as a plain request.
    ///   - runsOn: what a request's handler prefers to run on, such as the thread of a store that it mostly calls; nil
    ///     for the concurrent pool.
    ///   - handler: answers requests.
    package init(
        configuration: WebServerConfiguration, webSockets: [WebSocketRoute] = [],
        runsOn executor: @escaping @Sendable (HTTPRequest) -> (any TaskExecutor)? = { _ in nil },
        handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) {
        self.configuration = configuration
        self.webSockets = webSockets
        self.handler = RequestHandler(answer: handler, executor: executor)
    }

    deinit {
        mailbox.post(.stop(microseconds: 0))
    }

    /// Listens and begins to serve.
    /// - Throws: `WebServerError`: the port or socket is in use, an address is wrong, or it was started before.
    package func start() async throws(WebServerError) {
        guard case .idle = state else { throw .alreadyStarted }
        state = .stopped
        for name in webSockets.flatMap(\.subprotocols) where !HTTPToken.isValid(name.utf8) {
            throw .invalidSubprotocol(name)
        }
        let thread = ServiceThread()
        let ports = try await thread.open(configuration, webSockets, mailbox, handler)
        (boundPort, boundTLSPort) = ports
        state = .running(Task.detached { await thread.run() })
    }

    /// Stops: no new connections, idle ones are closed, event streams end, WebSockets are closed with 1001, and
    /// requests that run may finish.
    ///
    /// What is left after `limit` is cut off. Returns when the service thread is done.
    package func stop(within limit: Duration) async {
        guard case .running(let task) = state else { return }
        mailbox.post(.stop(microseconds: limit.microseconds))
        await task.value
        state = .stopped
    }
}

/// The thread that runs the event loop.
private actor ServiceThread {
    private let executor = ThreadExecutor(name: "web")
    private var loop: EventLoop?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    deinit { executor.stop() }

    /// Makes sockets and the library's context; gives the TCP ports, plain and for TLS.
    func open(
        _ configuration: WebServerConfiguration, _ routes: [WebSocketRoute], _ mailbox: Mailbox,
        _ handler: RequestHandler
    ) throws(WebServerError) -> (Int?, Int?) {
        var tcp: ListeningSocket?
        if let host = configuration.host { tcp = try ListeningSocket.tcp(host: host, port: configuration.port) }
        var unix: ListeningSocket?
        if let path = configuration.unixSocketPath { unix = try ListeningSocket.unix(path: path) }
        var tls: ListeningSocket?
        if let place = configuration.tls { tls = try ListeningSocket.tcp(host: place.host, port: place.port) }
        let ports = (tcp?.port, tls?.port)
        let loop = try EventLoop(configuration: configuration, routes: routes, mailbox: mailbox, handler: handler)
        self.loop = loop
        // Said at the start and not with the first client; the rest is served all the same.
        _ = loop.encryption?.host(loop)
        if let socket = tcp.take() { try watch(socket, .tcp, loop) }
        if let socket = unix.take() { try watch(socket, .unixSocket, loop) }
        if let socket = tls.take() { try watch(socket, .tls, loop) }
        return ports
    }

    private func watch(
        _ socket: consuming ListeningSocket, _ kind: Listener, _ loop: EventLoop
    ) throws(WebServerError) {
        guard loop.listen(socket.release(), kind) else {
            loop.abandon()
            throw .libraryFailed("a listening socket could not be watched")
        }
    }

    /// Serves until the server was stopped.
    func run() {
        loop?.run()
        loop = nil
    }
}
