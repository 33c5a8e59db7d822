import Testing
import WebServer

@Suite(.timeLimit(.minutes(3))) struct LimitTests {
    @Test func refusesBodiesAboveTheLimit() async throws {
        try await withServer({ $0.maximumBodyBytes = 1000 }) { _, port in
            let client = try RawClient(port: port)
            let fits =
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000)
            #expect(try await client.exchange(fits).status == 200)
            #expect(
                try await client.exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n").status == 413)
            let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            let chunks = String(repeating: "fa\r\n" + String(repeating: "x", count: 250) + "\r\n", count: 5)
            #expect(try await RawClient(port: port).exchange(chunked + chunks).status == 413)
        }
    }

    @Test func answersBeforeAnUnwantedBodyIsSent() async throws {
        try await withServer({ $0.maximumBodyBytes = 1000 }) { _, port in
            let client = try RawClient(port: port)
            try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000000\r\n\r\n")
            await client.trySend(String(repeating: "x", count: 300_000))
            #expect(try await client.readResponse().status == 413)
        }
    }

    @Test func refusesHeadsAboveTheLimit() async throws {
        try await withServer({ $0.maximumHeaderBytes = 2000 }) { _, port in
            let long = String(repeating: "x", count: 3000)
            let whole = try await RawClient(port: port).get("/", headers: "X: \(long)\r\n")
            #expect(whole.status == 431)
            let endless = try await RawClient(port: port).exchange("GET / HTTP/1.1\r\nHost: a\r\nX: \(long)")
            #expect(endless.status == 431)
            #expect(try await RawClient(port: port).exchange("GET /\(long)").status == 414)
            let many = String(repeating: "a:\r\n", count: 150)
            #expect(try await RawClient(port: port).get("/", headers: many).status == 431)
        }
    }

    @Test(arguments: [
        "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab",
    ])
    func timesOutSlowRequests(start: String) async throws {
        try await withServer({ $0.requestTimeout = .milliseconds(200) }) { _, port in
            let client = try RawClient(port: port)
            #expect(try await client.exchange(start).status == 408)
            #expect(await client.readToEnd().isEmpty)
        }
    }

    @Test func doesNotLetDripsExtendTheTime() async throws {
        try await withServer({ $0.requestTimeout = .milliseconds(300) }) { _, port in
            let client = try RawClient(port: port)
            let clock = ContinuousClock()
            let start = clock.now
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n")
            // Each header line comes well within the limit; together they don't.
            while clock.now - start < .seconds(30) {
                await client.trySend("X: y\r\n")
                try await Task.sleep(for: .milliseconds(50))
                if await client.hasInput() { break }
            }
            #expect(clock.now - start < .seconds(20))
            #expect(try await client.readResponse().status == 408)
        }
    }

    @Test func closesSilentConnections() async throws {
        try await withServer({
            $0.requestTimeout = .seconds(1)
            $0.idleTimeout = .seconds(1)
        }) { _, port in
            #expect(try await RawClient(port: port).readToEnd().isEmpty)
            let used = try RawClient(port: port)
            _ = try await used.get("/")
            #expect(await used.readToEnd().isEmpty)
        }
    }

    @Test func answersForAHandlerThatTakesTooLong() async throws {
        let isCancelled = Signal()
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            try? await Task.sleep(for: .seconds(60))
            if Task.isCancelled { isCancelled.set() }
            return .text("late")
        }
        try await withServer({ $0.handlerTimeout = .milliseconds(100) }, handler: handler) { _, port in
            let client = try RawClient(port: port)
            #expect(try await client.get("/").status == 503)
            await isCancelled.wait()
            #expect(await client.readToEnd().isEmpty)
        }
    }

    @Test func dropsClientsThatTakeNothing() async throws {
        let isOver = Signal()
        let piece = [UInt8](repeating: 1, count: 100_000)
        let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { _ in
            let (pieces, source) = AsyncStream<[UInt8]>.makeStream()
            source.onTermination = { _ in isOver.set() }
            for _ in 0..<1000 { source.yield(piece) }
            return .stream(pieces, contentType: "x/y")
        }
        try await withServer({ $0.writeTimeout = .milliseconds(200) }, handler: handler) { _, port in
            let client = try RawClient(port: port, receiveBufferBytes: 4096)
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await client.readHead()
            await isOver.wait()
            #expect(await client.readToEnd().utf8.count < 50_000_000)
        }
    }

    @Test func turnsAwayConnectionsAboveTheLimit() async throws {
        try await withServer({
            $0.maximumConnections = 2
            $0.idleBeforeEviction = .seconds(60)
        }) { _, port in
            let first = try RawClient(port: port)
            let second = try RawClient(port: port)
            #expect(try await first.get("/").status == 200)
            #expect(try await second.get("/").status == 200)
            let third = try RawClient(port: port)
            try expectProblem(try await third.readResponse(), 503, "serviceUnavailable", saying: "try again later")
            await first.close()
            // The place is free once the server saw the close, which the answer to a later request shows.
            var status = 503
            for _ in 0..<20_000 where status == 503 {
                let client = try RawClient(port: port)
                await client.trySend("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                status = try await client.readResponse().status
            }
            #expect(status == 200)
        }
    }

    @Test func aConnectionThatWaitsMakesRoomForANewOne() async throws {
        try await withServer({
            $0.maximumConnections = 3
            $0.idleBeforeEviction = .zero
        }) { _, port in
            let idle = try [RawClient(port: port), RawClient(port: port), RawClient(port: port)]
            for client in idle { #expect(try await client.get("/").status == 200) }
            #expect(try await RawClient(port: port).get("/").status == 200)
            #expect(await idle[0].readToEnd().isEmpty)
            #expect(try await idle[2].get("/").status == 200)
        }
    }
}
