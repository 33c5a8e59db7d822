import TestSupport
import Testing
import WebServer

@Suite(.timeLimit(.minutes(3))) struct StreamTests {
    @Test func sendsEventsAsTheyCome() async throws {
        let (events, source) = AsyncStream<ServerSentEvent>.makeStream()
        try await withServer(handler: { _ in .eventStream(events) }) { _, port in
            let client = try RawClient(port: port)
            try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n")
            let head = try await client.readHead()
            #expect(head.headers["content-type"] == "text/event-stream")
            #expect(head.headers["cache-control"] == "no-cache")
            source.yield(ServerSentEvent(event: "reading", id: "7", data: "one\ntwo", retry: .seconds(3)))
            let first = try await client.readChunk() ?? []
            #expect(
                String(decoding: first, as: UTF8.self)
                    == "event: reading\nid: 7\nretry: 3000\ndata: one\ndata: two\n\n")
            source.yield(ServerSentEvent(event: "evil\ndata: x", data: ""))
            #expect(try await client.readChunk() == Array("event: evildata: x\ndata: \n\n".utf8))
            source.finish()
            #expect(try await client.readChunk() == nil)
        }
    }

    @Test func endsTheProducerWhenTheClientGoes() async throws {
        let isOver = Signal()
        let (events, source) = AsyncStream<ServerSentEvent>.makeStream()
        source.onTermination = { _ in isOver.set() }
        try await withServer(handler: { _ in .eventStream(events) }) { _, port in
            let client = try RawClient(port: port)
            try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await client.readHead()
            await client.close()
            await isOver.wait()
        }
    }

    @Test func endsTheProducerWhenTheClientWasGoneBefore() async throws {
        let hasStarted = Signal()
        let hasClosed = Signal()
        let isOver = Signal()
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            hasStarted.set()
            await hasClosed.wait()
            return .eventStream(AsyncStream { $0.onTermination = { _ in isOver.set() } })
        }
        try await withServer(handler: handler) { _, port in
            let client = try RawClient(port: port)
            try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            await hasStarted.wait()
            await client.close()
            hasClosed.set()
            await isOver.wait()
        }
    }

    @Test func sendsHeartbeatsWhileQuiet() async throws {
        let (events, source) = AsyncStream<ServerSentEvent>.makeStream()
        defer { source.finish() }
        try await withServer({ $0.heartbeatInterval = .milliseconds(50) }, handler: { _ in .eventStream(events) }) {
            _, port in
            let client = try RawClient(port: port)
            try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await client.readHead()
            for _ in 0..<3 { #expect(try await client.readChunk() == Array(": \n\n".utf8)) }
        }
    }

    @Test func disconnectsAClientThatDoesNotRead() async throws {
        let isOver = Signal()
        let (events, source) = AsyncStream<ServerSentEvent>.makeStream()
        source.onTermination = { _ in isOver.set() }
        try await withServer({ $0.maximumBufferedEventBytes = 200_000 }, handler: { _ in .eventStream(events) }) {
            _, port in
            let client = try RawClient(port: port, receiveBufferBytes: 4096)
            try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await client.readHead()
            let event = ServerSentEvent(data: String(repeating: "x", count: 100_000))
            for _ in 0..<200 { source.yield(event) }
            await isOver.wait()
        }
    }

    @Test func boundsEventStreamsAndLeavesRoomForOtherRequests() async throws {
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            guard request.path == "/stream" else { return .text("ok") }
            return .eventStream(AsyncStream { _ in })
        }
        try await withServer(
            {
                $0.maximumConnections = 12
                $0.maximumEventStreams = 8
                $0.maximumEventStreamsPerAddress = 5
            }, handler: handler
        ) { _, port in
            var open: [RawClient] = []
            for number in 0..<40 {
                let client = try RawClient(port: port)
                try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
                guard number >= 5 else {
                    #expect(try await client.readHead().status == 200)
                    open.append(client)
                    continue
                }
                let refused = try await client.readResponse()
                try expectProblem(refused, 503, "serviceUnavailable", saying: "5 event streams of this address")
                #expect(refused.headers["retry-after"] == "10" && refused.headers["connection"] == "close")
                #expect(try await RawClient(port: port).get("/healthz").text == "ok")
            }
            // A place is free again once its client has gone and the server saw it.
            await open[0].close()
            let isFree = await eventually {
                let client = try RawClient(port: port)
                try await client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
                return try await client.readHead().status == 200
            }
            #expect(isFree)
        }
    }

    @Test func boundsEventStreamsOverAllAddresses() async throws {
        try await withServer({ $0.maximumEventStreams = 2 }, handler: { _ in .eventStream(AsyncStream { _ in }) }) {
            _, port in
            var open: [RawClient] = []
            for expected in [200, 200, 503] {
                let client = try RawClient(port: port)
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await client.readHead().status == expected)
                open.append(client)
            }
            let head = try RawClient(port: port)
            try await head.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await head.readHead().status == 200)
        }
    }

    @Test func slowReadersShareTheMemoryThereIs() async throws {
        let over = Probes()
        let event = ServerSentEvent(data: String(repeating: "x", count: 50_000))
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            let probe = over.make()
            return .eventStream(
                AsyncStream { source in
                    source.onTermination = { _ in probe.touch() }
                    for _ in 0..<300 { source.yield(event) }
                })
        }
        try await withServer(
            {
                $0.maximumBufferedEventBytes = 100 << 20
                $0.maximumBufferedEventBytesInAll = 400_000
            }, handler: handler
        ) { _, port in
            var clients: [RawClient] = []
            for _ in 0..<4 {
                let client = try RawClient(port: port, receiveBufferBytes: 4096)
                try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await client.readHead()
                clients.append(client)
            }
            await over.waitUntilAllAreGone(count: 4)
            #expect(clients.count == 4)
        }
    }

    @Test func streamsPiecesAndLargeBodies() async throws {
        let piece = [UInt8](repeating: 7, count: 100_000)
        let whole = [UInt8](repeating: 9, count: 10 << 20)
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
            guard request.path == "/stream" else { return .bytes(whole, contentType: "application/octet-stream") }
            let (pieces, source) = AsyncStream<[UInt8]>.makeStream()
            for _ in 0..<100 { source.yield(piece) }
            source.finish()
            return .stream(pieces, contentType: "application/octet-stream")
        }
        try await withServer(handler: handler) { _, port in
            let client = try RawClient(port: port)
            let streamed = try await client.get("/stream").body
            #expect(streamed.count == 10_000_000)
            #expect(streamed.allSatisfy { $0 == 7 })
            #expect(try await client.get("/whole").body == whole)
            #expect(try await client.get("/whole").body.count == whole.count)
        }
    }

    @Test func streamsToOldClientsUntilItCloses() async throws {
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            .stream(
                AsyncStream { source in
                    source.yield([65])
                    source.yield([66])
                    source.finish()
                }, contentType: "text/plain")
        }
        try await withServer(handler: handler) { _, port in
            let client = try RawClient(port: port)
            try await client.send("GET / HTTP/1.0\r\n\r\n")
            _ = try await client.readHead()
            #expect(await client.readToEnd() == "AB")
        }
    }
}
