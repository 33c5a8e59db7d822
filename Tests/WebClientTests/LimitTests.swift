import Foundation
import TestSupport
import Testing
import WebClient

/// Servers that are slow, silent or endless.
@Suite(.timeLimit(.minutes(2))) struct LimitTests {
    private static let short = Duration.milliseconds(300)

    @Test func aServerThatNeverShakesHandsIsNoConnection() async throws {
        let server = try RawServer { $0.waitForEnd() }
        let client = try WebClient()
        let request = WebRequest(
            "GET", "https://127.0.0.1:\(server.port)/", limits: WebLimits(connect: Self.short, idle: nil, total: nil))
        await #expect(throws: WebClientError.timedOut(.connect)) { try await client.send(request) }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\nabc"])
    func silenceEndsAtTheIdleLimit(beginning: String) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send(beginning)
            connection.waitForEnd()
        }
        let client = try WebClient()
        let request = WebRequest("GET", server.url, limits: WebLimits(idle: Self.short, total: nil))
        await #expect(throws: WebClientError.timedOut(.idle)) { try await client.send(request) }
        #expect(await eventually { await client.exchanges == 0 })
    }

    @Test(arguments: ["http", "https"]) func whoeverWaitsDoesNotKeepTheProcessorBusy(scheme: String) async throws {
        let server = try RawServer { $0.waitForEnd() }
        let client = try WebClient()
        let limits = WebLimits(connect: .seconds(1), idle: .seconds(1), total: nil)
        let request = WebRequest("GET", "\(scheme)://127.0.0.1:\(server.port)/", limits: limits)
        await #expect(throws: WebClientError.self) { try await client.send(request) }
        // A thread that waits by asking again and again makes thousands of rounds in that second.
        let rounds = await client.rounds
        #expect(rounds < 100, "\(rounds) rounds")
    }

    @Test func dribblingEndsAtTheTotalLimit() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            // Far below the idle limit each, and together without an end.
            while connection.send("x") { usleep(20_000) }
        }
        let client = try WebClient()
        let request = WebRequest(
            "GET", server.url, limits: WebLimits(idle: .seconds(60), total: .milliseconds(600)))
        await #expect(throws: WebClientError.timedOut(.total)) { try await client.send(request) }
    }

    @Test func aReaderThatTakesItsTimeIsNotSilence() async throws {
        let body = [UInt8](repeating: 1, count: 4 << 20)
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
            connection.send(body)
        }
        let client = try WebClient()
        let stream = try await client.stream(
            WebRequest("GET", server.url, limits: WebLimits(idle: .milliseconds(1500), total: nil)))
        var iterator = stream.makeAsyncIterator()
        var received = try await iterator.next()?.count ?? 0
        try await Task.sleep(for: .seconds(2))
        while let piece = try await iterator.next() { received += piece.count }
        #expect(received == body.count)
    }

    @Test(arguments: [
        "Content-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000),
        "Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + String(repeating: "x", count: 1000) + "\r\n0\r\n\r\n",
        "\r\n" + String(repeating: "x", count: 1000),
    ])
    func aBodyMayHaveExactlyTheLimit(answer: String) async throws {
        let server = try RawServer(answering: "HTTP/1.1 200 OK\r\n" + answer)
        let client = try WebClient()
        var request = WebRequest.patient(server.url)
        request.limits.bodyBytes = 1000
        #expect(try await client.send(request).body.count == 1000)
        request.limits.bodyBytes = 999
        await #expect(throws: WebClientError.bodyTooLarge(limit: 999)) { try await client.send(request) }
    }

    @Test func compressedBodiesAreUnpackedAndCountedUnpacked() async throws {
        let small = try RawServer(answering: Gzip.answer(Gzip.hours))
        let client = try WebClient()
        #expect(try await client.send(.patient(small.url)).text == "the hours of tomorrow")
        let bomb = try RawServer(answering: Gzip.answer(Gzip.zeros))
        #expect(try await client.send(.patient(bomb.url)).body == [UInt8](repeating: 0, count: 200_000))
        var request = WebRequest.patient(bomb.url)
        request.limits.bodyBytes = 100_000
        await #expect(throws: WebClientError.bodyTooLarge(limit: 100_000)) { try await client.send(request) }
    }

    @Test func headerFieldsWithoutEndAreRefused() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n")
            while connection.send("X: " + String(repeating: "y", count: 1000) + "\r\n") {}
        }
        let client = try WebClient()
        do {
            _ = try await client.send(.patient(server.url))
            Issue.record("an endless head was taken")
        } catch let error as WebClientError {
            #expect(!error.isTransient || error == .timedOut(.total), "\(error)")
        }
    }
}

/// Bodies packed with gzip.
private enum Gzip {
    static let hours = "H4sIAAAAAAACAyvJSFXIyC8tKlbIT1Moyc/NLyrKLwcAdpSrHxUAAAA="
    /// 200,000 zero bytes.
    static let zeros =
        "H4sIAAAAAAACA+3BMQEAAADCoPVPbQZ/oAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACA1wB7WOBc"
        + "QA0DAA=="

    static func answer(_ text: String) -> [UInt8] {
        let bytes = Array(Data(base64Encoded: text) ?? Data())
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(bytes.count)\r\n\r\n"
        return Array(head.utf8) + bytes
    }
}
