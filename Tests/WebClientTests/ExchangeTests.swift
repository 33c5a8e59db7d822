import Foundation
import TestSupport
import Testing
import WebClient
import WebServer

/// What is sent arrives, and what is answered comes back, over the hub's own server.
@Suite(.timeLimit(.minutes(2))) struct ExchangeTests {
    @Test(
        arguments: [
            ("GET", nil), ("GET", []), ("POST", nil), ("POST", []), ("POST", [0, 13, 10, 255]), ("PUT", [1]),
            ("DELETE", nil), ("DELETE", [7]), ("PATCH", [0]), ("OPTIONS", nil),
        ] as [(String, [UInt8]?)])
    func sendsMethodAndBody(method: String, body: [UInt8]?) async throws {
        let client = try WebClient()
        try await withServer(handler: echo) { base in
            let answer = try await client.send(WebRequest(method, base + "/a%20b?x=1&y=%26", body: body))
            #expect(answer.status == 200)
            #expect(answer.head.contentType == "text/plain")
            let lines = answer.text.split(separator: "\n").map(String.init)
            #expect(lines.first == "\(method) /a%20b")
            #expect(lines.contains("query x=1"))
            #expect(lines.contains("query y=&"))
            #expect(lines.last == "body \(body ?? [])")
            // Neither the form's type nor the wait for "continue" that libcurl adds by itself.
            #expect(!answer.text.contains("content-type"))
            #expect(!answer.text.contains("expect:"))
        }
    }

    @Test func sendsHeaderFieldsAndKeepsTheirOrder() async throws {
        let client = try WebClient(WebClientConfiguration(userAgent: "tests/1"))
        try await withServer { request in
            let echoed = request.headers.fields.filter { $0.name.hasPrefix("x-") }
            return .text(
                "\(request.headers["User-Agent"] ?? "")", headers: echoed.map { ("Y" + $0.name.dropFirst(), $0.value) })
        } _: { base in
            var request = WebRequest("GET", base, headers: ["X-One": "1", "X-Two": "a, b", "X-Empty": ""])
            request.headers.append("X-One", "ü")
            let answer = try await client.send(request)
            #expect(answer.text == "tests/1")
            #expect(answer.headers.values("y-one") == ["1", "ü"])
            #expect(answer.headers["Y-TWO"] == "a, b")
            #expect(answer.headers["y-empty"] == "")
            #expect(answer.headers["y-none"] == nil)
        }
    }

    @Test func headHasNoBody() async throws {
        let client = try WebClient()
        try await withServer(handler: echo) { base in
            let answer = try await client.send(WebRequest("HEAD", base))
            #expect(answer.status == 200)
            #expect(answer.body.isEmpty)
            #expect(answer.headers["Content-Length"] != nil)
        }
    }

    @Test func speaksOverAUnixSocket() async throws {
        let folder = try TemporaryFolder()
        let client = try WebClient()
        let path = folder.file("hub.sock").path
        try await withServer(socket: path, handler: echo) { base in
            let answer = try await client.send(WebRequest("POST", base + "/x", body: [1, 2], unixSocket: path))
            #expect(answer.text.contains("POST /x"))
            #expect(answer.text.contains("unix true"))
            #expect(answer.text.contains("body [1, 2]"))
        }
    }

    @Test func asksOnlyWhetherContentChanged() async throws {
        let client = try WebClient()
        try await withServer { request in
            request.headers["If-None-Match"] == "\"v1\"" ? .notModified : .text("one", headers: [("ETag", "\"v1\"")])
        } _: { base in
            let request = WebRequest("GET", base)
            let first = try await client.send(request.unlessUnchanged(since: nil))
            #expect(first.status == 200)
            let second = try await client.send(request.unlessUnchanged(since: first.head.validator))
            #expect(second.status == 304)
            #expect(second.body.isEmpty)
        }
    }

    @Test func servesManyAtOnceOverFewConnections() async throws {
        let client = try WebClient(WebClientConfiguration(maximumConnections: 3))
        let gauge = Gauge()
        try await withServer { request in
            await gauge.enter()
            for _ in 0..<5 { await Task.yield() }
            await gauge.leave()
            return .text(request.query("n") ?? "")
        } _: { base in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<60 {
                    group.addTask { try await client.send(.patient("\(base)/?n=\(number)")).text == "\(number)" }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
        #expect(await (1...3).contains(gauge.highest))
        #expect(await eventually { await client.exchanges == 0 })
    }

    @Test func findsAServerAgainThatStartedAnew() async throws {
        let client = try WebClient()
        let folder = try TemporaryFolder()
        let path = folder.file("hub.sock").path
        for round in 0..<3 {
            try await withServer(socket: path) { _ in
                .text("\(round)")
            } _: { base in
                // The connection of the last round is still in the client's hands, and dead.
                let answer = try await client.send(WebRequest("POST", base, body: [1], unixSocket: path))
                #expect(answer.text == "\(round)")
            }
        }
    }
}

/// Counts how many are inside at once.
private actor Gauge {
    private var inside = 0
    private(set) var highest = 0

    func enter() {
        inside += 1
        highest = max(highest, inside)
    }

    func leave() { inside -= 1 }
}
