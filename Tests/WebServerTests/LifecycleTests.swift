import Foundation
import Testing
import WebServer

@Suite(.timeLimit(.minutes(3))) struct LifecycleTests {
    @Test func namesThePortThatIsInUse() async throws {
        try await withServer { _, port in
            let second = WebServer(configuration: WebServerConfiguration(port: port), handler: echo)
            await #expect(throws: WebServerError.portInUse(host: "127.0.0.1", port: port)) { try await second.start() }
            #expect(WebServerError.portInUse(host: "h", port: port).description.contains(String(port)))
        }
    }

    @Test(arguments: [("no.such.host.invalid", 0), ("127.0.0.1", 70000), ("192.0.2.1", 0)])
    func saysWhyItCannotListen(host: String, port: Int) async throws {
        let server = WebServer(configuration: WebServerConfiguration(host: host, port: port), handler: echo)
        await #expect(throws: WebServerError.self) { try await server.start() }
    }

    @Test func servesAUnixSocketBesideTCP() async throws {
        let path = temporaryPath()
        // Left behind by a program that died: bound, but nobody answers.
        do {
            let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(stale) }
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let status = withUnsafePointer(to: address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(stale, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            #expect(status == 0)
        }
        try await withServer({ $0.unixSocketPath = path }) { _, port in
            let local = try await RawClient(path: path).get("/local")
            #expect(local.text.contains("from - unix true"))
            #expect(try await RawClient(port: port).get("/").text.contains("unix false"))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o660)
            let second = WebServer(
                configuration: WebServerConfiguration(host: nil, unixSocketPath: path), handler: echo)
            await #expect(throws: WebServerError.unixSocketInUse(path: path)) { try await second.start() }
            #expect(try await RawClient(path: path).get("/").status == 200)
        }
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func doesNotReplaceAFileByASocket() async throws {
        let path = temporaryPath()
        try Data("keep".utf8).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let server = WebServer(configuration: WebServerConfiguration(host: nil, unixSocketPath: path), handler: echo)
        await #expect(throws: WebServerError.self) { try await server.start() }
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func finishesRunningRequestsAndEndsEventStreams() async throws {
        let hasStarted = Signal()
        let mayFinish = Signal()
        let isOver = Signal()
        let (events, source) = AsyncStream<ServerSentEvent>.makeStream()
        source.onTermination = { _ in isOver.set() }
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            if request.path == "/events" { return .eventStream(events) }
            hasStarted.set()
            await mayFinish.wait()
            return .text("finished")
        }
        let server = WebServer(configuration: WebServerConfiguration(), handler: handler)
        try await server.start()
        let port = await server.boundPort ?? 0
        let idle = try RawClient(port: port)
        let stream = try RawClient(port: port)
        try await stream.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try await stream.readHead()
        let running = try RawClient(port: port)
        try await running.send("GET /run HTTP/1.1\r\nHost: a\r\n\r\n")
        await hasStarted.wait()
        async let stop: Void = server.stop(within: .seconds(20))
        #expect(try await stream.readChunk() == nil)
        await isOver.wait()
        #expect(await stream.readToEnd().isEmpty)
        #expect(await idle.readToEnd().isEmpty)
        #expect(throws: RawClient.Failure.self) { try RawClient(port: port) }
        mayFinish.set()
        let response = try await running.readResponse()
        #expect(response.text == "finished")
        #expect(response.headers["connection"] == "close")
        await running.close()
        await stop
    }

    @Test func cutsOffWhatIsLeftAtTheLimit() async throws {
        let hasStarted = Signal()
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            hasStarted.set()
            try? await Task.sleep(for: .seconds(60))
            return .noContent
        }
        let server = WebServer(configuration: WebServerConfiguration(), handler: handler)
        try await server.start()
        let client = try RawClient(port: await server.boundPort ?? 0)
        try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await hasStarted.wait()
        await server.stop(within: .milliseconds(200))
        #expect(await client.readToEnd().isEmpty)
    }

    @Test func endsWhenNobodyHoldsIt() async throws {
        var server: WebServer? = WebServer(configuration: WebServerConfiguration(), handler: echo)
        try await server?.start()
        let client = try RawClient(port: await server?.boundPort ?? 0)
        _ = try await client.get("/")
        server = nil
        #expect(await client.readToEnd().isEmpty)
    }

    @Test func runsOnce() async throws {
        let server = WebServer(configuration: WebServerConfiguration(), handler: echo)
        try await server.start()
        await #expect(throws: WebServerError.alreadyStarted) { try await server.start() }
        await server.stop(within: .zero)
        await server.stop(within: .zero)
        await #expect(throws: WebServerError.alreadyStarted) { try await server.start() }
    }

    @Test func startsAndStopsAgainAndAgain() async throws {
        for _ in 0..<20 {
            try await withServer { _, port in
                let client = try RawClient(port: port)
                #expect(try await client.get("/").status == 200)
            }
        }
    }

    private func temporaryPath() -> String {
        NSTemporaryDirectory() + "offpeak-\(UUID().uuidString.prefix(8)).sock"
    }
}
