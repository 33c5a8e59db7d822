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
