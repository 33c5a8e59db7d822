import Testing

@testable import WebServer

@Suite(.timeLimit(.minutes(2))) struct RobustnessTests {
    @Test func servesTwoHundredConnectionsAtOnce() async throws {
        let arrivals = Arrivals()
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            await arrivals.wait(for: 200)
            return .text(request.path)
        }
        try await withServer(handler: handler) { _, port in
            var clients: [RawClient] = []
            for number in 0..<200 {
                let client = try RawClient(port: port)
                try await client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                clients.append(client)
            }
            for (number, client) in clients.enumerated() {
                #expect(try await client.readResponse().text == "/\(number)")
            }
        }
    }

    @Test(arguments: [
        "", "G", "GET / HTTP/1.1\r\nHo", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HT", "\u{0}\u{1}\u{2}\r\n\r\n",
    ])
    func survivesDisconnectsInEveryPhase(start: String) async throws {
        let body = [UInt8](repeating: 1, count: 5 << 20)
        try await withServer(handler: { _ in .bytes(body, contentType: "x/y") }) { server, port in
            for turn in 0..<10 {
                let client = try RawClient(port: port)
                try await client.send(start)
                if turn.isMultiple(of: 2) { await client.reset() } else { await client.close() }
            }
            #expect(try await RawClient(port: port).get("/").body.count == body.count)
        }
    }

    @Test func survivesArbitraryBytes() async throws {
        try await withServer { _, port in
            var random = SeededGenerator(state: 42)
            for _ in 0..<200 {
                let client = try RawClient(port: port)
                let count = Int.random(in: 1...600, using: &random)
                try? await client.send((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
                await client.close()
            }
            #expect(try await RawClient(port: port).get("/").status == 200)
        }
    }

    @Test func releasesEveryConnection() async throws {
        // Ten clients that wait for their turn on a busy machine may wait longer than a request may take.
        try await withServer({ $0.requestTimeout = .seconds(120) }) { _, port in
            for _ in 0..<50 {
                let clients = try (0..<10).map { _ in try RawClient(port: port) }
                for client in clients { #expect(try await client.get("/").status == 200) }
                for client in clients { await client.close() }
            }
        }
        // The server of this test has stopped; others may run beside it, so look at this one's objects alone.
        weak var mailbox: Mailbox?
        weak var server: WebServer?
        do {
            let own = WebServer(configuration: WebServerConfiguration()) { _ in .noContent }
            server = own
            mailbox = await own.mailbox
            try await own.start()
            let port = await own.boundPort ?? 0
            let client = try RawClient(port: port)
            #expect(try await client.get("/").status == 204)
            await own.stop(within: .zero)
        }
        #expect(server == nil)
        #expect(mailbox == nil)
    }

    @Test func endsSessionsWithTheirConnections() async throws {
        let probes = Probes()
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            let probe = probes.make()
            return .eventStream(
                AsyncStream { source in
                    source.yield(ServerSentEvent(data: "x"))
                    source.onTermination = { _ in probe.touch() }
                })
        }
        try await withServer(handler: handler) { _, port in
            for _ in 0..<100 {
                let client = try RawClient(port: port)
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await client.readHead()
                await client.close()
            }
            await probes.waitUntilAllAreGone()
        }
    }

    @Test func cancelsTheHandlerOfABrokenConnection() async throws {
        let hasStarted = Signal()
        let isCancelled = Signal()
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            hasStarted.set()
            try? await Task.sleep(for: .seconds(60))
            isCancelled.set()
            return .noContent
        }
        try await withServer(handler: handler) { _, port in
            let client = try RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await hasStarted.wait()
            await client.reset()
            await isCancelled.wait()
        }
    }

    @Test func keepsLineBreaksOutOfHeaders() async throws {
        let response = HTTPResponse(
            status: 200, headers: [("X-A", "1\r\nX-Evil: 2"), ("Bad Name", "x"), ("Content-Length", "999")],
            body: .bytes([65]))
        try await withServer(handler: { _ in response }) { _, port in
            let answer = try await RawClient(port: port).get("/")
            #expect(answer.headers["x-evil"] == nil)
            #expect(answer.headers["x-a"] == "1  X-Evil: 2")
            #expect(answer.headers["bad name"] == nil)
            #expect(answer.text == "A")
        }
    }
}

/// Holds callers until as many have come as were announced.
actor Arrivals {
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            waiting.append(continuation)
            guard waiting.count >= count else { return }
            for one in waiting { one.resume() }
            waiting = []
        }
    }
}

/// Counts objects that live.
final class Probes: Sendable {
    final class Probe: Sendable {
        private let end: AsyncStream<Void>.Continuation
        init(_ end: AsyncStream<Void>.Continuation) { self.end = end }
        func touch() {}
        deinit { end.yield() }
    }

    private let made: AsyncStream<Void>.Continuation
    private let gone: AsyncStream<Void>.Continuation
    private let goneStream: AsyncStream<Void>

    init() {
        (_, made) = AsyncStream<Void>.makeStream()
        (goneStream, gone) = AsyncStream<Void>.makeStream()
    }

    func make() -> Probe { Probe(gone) }

    func waitUntilAllAreGone(count: Int = 100) async {
        var left = count
        for await _ in goneStream {
            left -= 1
            if left == 0 { return }
        }
    }
}

/// A small repeatable generator (xorshift).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
