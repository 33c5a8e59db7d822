import Foundation
import TestSupport
import Testing
import ThreadKit
import WebClient
import WebServer

/// Bodies that are read as they come.
@Suite(.timeLimit(.minutes(2))) struct StreamTests {
    @Test func givesEachPieceWhenItComes() async throws {
        let client = try WebClient()
        let (pieces, source) = AsyncStream<[UInt8]>.makeStream()
        try await withServer { _ in
            .stream(pieces, contentType: "text/plain")
        } _: { base in
            source.yield([0])
            let stream = try await client.stream(.patient(base))
            #expect(stream.status == 200)
            var expected: UInt8 = 0
            // The next piece is made only after the last one was read, so none can wait for another.
            for try await piece in stream {
                #expect(piece == [expected])
                expected += 1
                if expected < 20 { source.yield([expected]) } else { source.finish() }
            }
            #expect(expected == 20)
        }
    }

    @Test func lettingGoClosesTheConnection() async throws {
        let client = try WebClient()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n\r\nx")
            connection.waitForEnd()
            end.finish()
        }
        for try await _ in try await client.stream(.patient(server.url)) { break }
        for await _ in ends {}
        #expect(await eventually { await client.exchanges == 0 })
    }

    @Test func cancellingEndsAWaitForTheHead() async throws {
        let client = try WebClient()
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let server = try RawServer { connection in
            connection.readHead()
            arrival.yield()
            connection.waitForEnd()
            arrival.finish()
        }
        let task = Task { try await client.send(.patient(server.url)) }
        for await _ in arrivals { task.cancel() }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await eventually { await client.exchanges == 0 })
    }

    @Test func cancellingEndsAWaitForThePieces() async throws {
        let client = try WebClient()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n\r\nx")
            connection.waitForEnd()
            end.finish()
        }
        let (starts, start) = AsyncStream<Void>.makeStream()
        let task = Task {
            for try await _ in try await client.stream(.patient(server.url)) { start.yield() }
        }
        for await _ in starts { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        for await _ in ends {}
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let client = try WebClient()
        let connections = Locked(0)
        let server = try RawServer { _ in connections.withLock { $0 += 1 } }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await client.send(.patient(server.url))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(connections.current == 0)
    }

    @Test func aSlowReaderHoldsTheServerBack() async throws {
        let client = try WebClient()
        let (blocks, block) = AsyncStream<Int>.makeStream()
        let total = 64 << 20
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(total)\r\n\r\n")
            let piece = [UInt8](repeating: 7, count: 64 << 10)
            var isFirst = true
            for sent in 0..<(total / piece.count) {
                if isFirst, connection.isBlocked(milliseconds: 300) {
                    isFirst = false
                    block.yield(sent * piece.count)
                    block.finish()
                }
                guard connection.send(piece) else { break }
            }
            block.finish()
        }
        var request = WebRequest.patient(server.url)
        request.limits.bodyBytes = nil
        let stream = try await client.stream(request)
        var blockedAt: Int?
        for await sent in blocks { blockedAt = sent }
        #expect(try #require(blockedAt) < total)
        var received = 0
        for try await piece in stream { received += piece.count }
        #expect(received == total)
    }

    @Test func readsServerSentEvents() async throws {
        let client = try WebClient()
        let (events, source) = AsyncStream<ServerSentEvent>.makeStream()
        try await withServer { _ in
            .eventStream(events)
        } _: { base in
            source.yield(ServerSentEvent(event: "guidance", id: "7", data: "one\ntwo"))
            var count = 0
            for try await event in try await client.stream(.patient(base)).events() {
                count += 1
                #expect(event == WebEvent(name: "guidance", data: "one\ntwo", id: "7"))
                if count == 2 { break }
                source.yield(ServerSentEvent(event: "guidance", id: "7", data: "one\ntwo"))
            }
            #expect(count == 2)
        }
    }

    @Test func twoReadersOfOneBodyAreRefused() async throws {
        let client = try WebClient()
        let server = try RawServer { connection in
            connection.readHead()
            connection.send("HTTP/1.1 200 OK\r\n\r\n")
            connection.waitForEnd()
        }
        let stream = try await client.stream(.patient(server.url))
        let readers = (0..<2).map { _ in
            Task { () -> (any Error)? in
                do {
                    for try await _ in stream {}
                    return nil
                } catch {
                    return error
                }
            }
        }
        // Whichever comes second is refused at once; the first waits until it is cancelled.
        let refusal = await withTaskGroup(of: (any Error)?.self) { group in
            for reader in readers { group.addTask { await reader.value } }
            let first = await group.next() ?? nil
            for reader in readers { reader.cancel() }
            return first
        }
        #expect(refusal is WebClientError)
    }
}
