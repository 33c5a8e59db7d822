import Foundation
import ThreadKit

/// A plain WebSocket client for tests: it sends exactly what it is told, and may leave without a word.
///
/// ## Thread Safety
/// Everything may be called from any task; a thread of its own reads.
package final class WebSocketClient: Sendable {
    /// The server refused the connection.
    package struct Refused: Error, Equatable {
        /// With this status.
        package let status: Int

        /// Names the status.
        package init(status: Int) { self.status = status }
    }

    /// The texts that the server sends; it ends with the connection.
    package let messages: AsyncStream<String>
    /// The subprotocol that the server named.
    package let subprotocol: String?
    private let state: Locked<State>

    private struct State: Sendable {
        var descriptor: Int32?
        var closeCode: UInt16?
    }

    private init(_ messages: AsyncStream<String>, _ subprotocol: String?, _ state: Locked<State>) {
        self.messages = messages
        self.subprotocol = subprotocol
        self.state = state
    }

    deinit { leave() }

    /// Connects.
    /// - Parameters:
    ///   - port: the port on 127.0.0.1.
    ///   - path: the path, sent as it is.
    ///   - subprotocol: what to offer; nothing where nil.
    ///   - headers: further headers.
    ///   - limitSeconds: how long the connection may last in all.
    /// - Throws: `Refused`, or what kept it from connecting.
    package static func connect(
        port: Int, path: String, subprotocol: String? = nil, headers: [(String, String)] = [], limitSeconds: Int = 120
    ) async throws -> WebSocketClient {
        var lines = [
            "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        ]
        if let subprotocol { lines.append("Sec-WebSocket-Protocol: \(subprotocol)") }
        lines += headers.map { "\($0.0): \($0.1)" }
        let request = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { serve(port, request, limitSeconds, continuation) }
        }
    }

    private static func serve(
        _ port: Int, _ request: [UInt8], _ limitSeconds: Int, _ opened: CheckedContinuation<WebSocketClient, any Error>
    ) {
        let connection: HTTPConnection
        let answer: (Int, [String: String])
        do {
            connection = try HTTPConnection(port: port, limitSeconds: limitSeconds)
            connection.send(request)
            answer = try connection.readHead()
        } catch {
            return opened.resume(throwing: error)
        }
        guard answer.0 == 101 else { return opened.resume(throwing: Refused(status: answer.0)) }
        let state = Locked(State(descriptor: connection.descriptor))
        let (messages, continuation) = AsyncStream.makeStream(of: String.self)
        opened.resume(returning: WebSocketClient(messages, answer.1["sec-websocket-protocol"], state))
        while let (opcode, payload) = try? connection.readFrame() {
            switch opcode {
            case 1: continuation.yield(String(decoding: payload, as: UTF8.self))
            case 9: connection.send(frame(10, payload))
            case 8:
                state.withLock { $0.closeCode = payload.prefix(2).reduce(0) { $0 << 8 | UInt16($1) } }
                connection.send(frame(8, payload))
            default: break
            }
            if opcode == 8 { break }
        }
        // Nobody writes to the number once it may be another's.
        state.withLock { $0.descriptor = nil }
        continuation.finish()
    }

    /// Why the server closed the connection, once it has.
    package var closeCode: UInt16? { state.current.closeCode }

    /// Sends a text.
    package func send(_ text: String) { send(1, Array(text.utf8)) }

    /// Sends bytes.
    package func send(bytes: [UInt8]) { send(2, bytes) }

    /// Ends the connection as a charger does whose network is gone: without a word.
    package func leave() {
        state.withLock { state in
            if let descriptor = state.descriptor { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    private func send(_ opcode: UInt8, _ payload: [UInt8]) {
        let bytes = WebSocketClient.frame(opcode, payload)
        state.withLock { state in
            guard let descriptor = state.descriptor else { return }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// A masked frame, as RFC 6455 has it for clients.
    private static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x80 | opcode]
        switch payload.count {
        case ..<126: bytes.append(0x80 | UInt8(payload.count))
        case ..<65_536: bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default:
            bytes.append(0xFF)
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        let mask: [UInt8] = [7, 11, 13, 17]
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }
}

extension HTTPConnection {
    /// Reads one message of a WebSocket, put together from its frames.
    fileprivate func readFrame() throws -> (opcode: UInt8, payload: [UInt8]) {
        let start = try take(2)
        var length = Int(start[1] & 0x7F)
        if length >= 126 { length = try take(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
        let payload = try take(length)
        guard start[0] & 0x80 == 0 else { return (start[0] & 0x0F, payload) }
        return (start[0] & 0x0F, payload + (try readFrame().payload))
    }
}
