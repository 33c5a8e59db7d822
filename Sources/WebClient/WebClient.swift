/// What holds for all requests of a client.
package struct WebClientConfiguration: Sendable {
    /// How it names itself, unless a request has a `User-Agent` of its own.
    package var userAgent: String
    /// How many connections may be open at once; further requests wait, and their limits run meanwhile.
    package var maximumConnections: Int
    /// A file with the certificates to trust, in PEM; nil for the system's.
    package var authorityFile: String?
    /// Whether `http_proxy`, `https_proxy` and `no_proxy` of the environment count.
    package var usesProxyOfEnvironment: Bool

    /// Makes a configuration.
    package init(
        userAgent: String = "offpeak", maximumConnections: Int = 64, authorityFile: String? = nil,
        usesProxyOfEnvironment: Bool = true
    ) {
        self.userAgent = userAgent
        self.maximumConnections = maximumConnections
        self.authorityFile = authorityFile
        self.usesProxyOfEnvironment = usesProxyOfEnvironment
    }
}

/// A client for HTTP/1.1 and HTTP/2, over TCP, TLS or a unix socket, by libcurl.
///
/// For example:
///
///     let client = try WebClient()
///     let answer = try await client.send(WebRequest("GET", "https://example.org/prices"))
///     guard answer.status == 200 else { … }
///
/// Connections are kept and used again. Certificates are checked; compressed bodies are unpacked; no cookies are kept.
///
/// ## Thread Safety
/// All requests share one thread, which no request blocks. Cancelling a task ends its request at once.
package final class WebClient: Sendable {
    private let engine: Engine

    /// Makes a client; its thread begins with the first request.
    /// - Throws: `WebClientError.invalidRequest` when libcurl can't start.
    package init(_ configuration: WebClientConfiguration = WebClientConfiguration()) throws(WebClientError) {
        engine = try Engine(configuration)
    }

    /// Asks, and reads the whole answer.
    /// - Throws: `WebClientError`, `CancellationError`. An answer of any status is not an error.
    package func send(_ request: WebRequest) async throws -> WebResponse {
        try await stream(request).collect()
    }

    /// Asks, and gives the answer when its head is there, the body to be read as it comes.
    /// - Throws: `WebClientError`, `CancellationError`. An answer of any status is not an error.
    package func stream(_ request: WebRequest) async throws -> WebStream {
        let began = ContinuousClock.now
        var request = request
        var address = try WebAddress(request.url)
        var left = request.maximumRedirects
        while true {
            try RequestRules.check(request)
            let (head, number) = try await engine.begin(request, address)
            let stream = WebStream(head: head, engine: engine, number: number)
            guard let target = try Redirection.target(of: head, to: request, at: address) else { return stream }
            guard left > 0 else { return stream }
            left -= 1
            request = Redirection.request(request, from: address, to: target)
            if let total = request.limits.total {
                request.limits.total = total - (ContinuousClock.now - began)
            }
            address = target
        }
    }

    /// How many exchanges are under way or not given back, for tests.
    package var exchanges: Int { get async { await engine.count } }

    /// How often its thread has looked at all exchanges, for tests.
    package var rounds: Int { get async { await engine.rounds } }
}
