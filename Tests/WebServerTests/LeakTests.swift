import Foundation
import Testing
import WebServer

@Suite(.timeLimit(.minutes(2))) struct LeakTests {
    // In a process of its own, because descriptors and threads belong to all tests of a process.
    @Test func leavesNoDescriptorsAndThreadsBehind() async {
        await #expect(processExitsWith: .success) {
            try await exerciseServer()
            let before = try entries("/proc/self/fd")
            for _ in 0..<3 { try await exerciseServer() }
            let after = try entries("/proc/self/fd")
            guard after <= before else { fatalError("\(after) descriptors, \(before) before") }
            // A thread's last steps come after the server's last word.
            while try serviceThreads() > 0 { await Task.yield() }
        }
    }

    @Test func usesNoProcessorTimeAtRest() async {
        await #expect(processExitsWith: .success) {
            let mayEnd = Signal()
            let route = WebSocketRoute(pathPrefix: "/ws") { connection in for await _ in connection.messages {} }
            let handler: @Sendable (HTTPRequest) async -> HTTPResponse = { request in
                if request.path == "/events" { return .eventStream(AsyncStream { _ in }) }
                await mayEnd.wait()
                return .noContent
            }
            try await withServer(webSockets: [route], handler: handler) { _, port in
                let idle = try RawClient(port: port)
                let events = try RawClient(port: port)
                try await events.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await events.readHead()
                let webSocket = try RawClient(port: port)
                _ = try await webSocket.openWebSocket("/ws", subprotocols: nil)
                let half = try RawClient(port: port)
                try await half.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
                await half.finishSending()
                let flood = try RawClient(port: port)
                try await flood.send("GET /slow HTTP/1.1\r\nHost: a\r\n\r\n" + String(repeating: "x", count: 200_000))
                let before = processorSeconds()
                try await Task.sleep(for: .seconds(1))
                let used = processorSeconds() - before
                guard used < 0.2 else { fatalError("\(used) s of processor time in one second of rest") }
                mayEnd.set()
                for client in [idle, events, webSocket, half, flood] { await client.close() }
            }
        }
    }
}

private func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
}

private func exerciseServer() async throws {
    let path = NSTemporaryDirectory() + "offpeak-\(UUID().uuidString.prefix(8)).sock"
    let route = WebSocketRoute(pathPrefix: "/ws") { connection in
        for await message in connection.messages { try? await connection.send(message) }
    }
    try await withServer({ $0.unixSocketPath = path }, webSockets: [route]) { _, port in
        for number in 0..<60 {
            let client = try number.isMultiple(of: 3) ? RawClient(path: path) : RawClient(port: port)
            switch number % 4 {
            case 0: _ = try await client.get("/")
            case 1: try await client.send("GET / HT")
            case 2: _ = try await client.exchange("nonsense\r\n\r\n")
            default:
                _ = try await client.openWebSocket("/ws", subprotocols: nil)
                try await client.sendFrame(opcode: 1, [65])
                _ = try await client.readFrame()
            }
            await client.close()
        }
    }
}

private func entries(_ path: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: path).count
}

private func serviceThreads() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count { thread in
        (try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)) == "web\n"
    }
}
