extension RawClient {
    struct Frame: Sendable, Equatable {
        let opcode: UInt8
        let payload: [UInt8]
    }

    static func webSocketRequest(_ path: String, subprotocols: String?, headers: String = "") -> String {
        var text = "GET \(path) HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
        text += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\(headers)"
        if let subprotocols { text += "Sec-WebSocket-Protocol: \(subprotocols)\r\n" }
        return text + "\r\n"
    }

    func openWebSocket(
        _ path: String, subprotocols: String?, headers: String = ""
    ) throws -> (status: Int, headers: [String: String]) {
        try send(Self.webSocketRequest(path, subprotocols: subprotocols, headers: headers))
        return try readHead()
    }

    /// A masked frame, as clients send them.
    static func frame(opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = [(isFinal ? 0x80 : 0) | opcode]
        switch payload.count {
        case ..<126: bytes.append(0x80 | UInt8(payload.count))
        case ..<65536: bytes += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        default:
            bytes.append(0xFF)
            bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        let mask: [UInt8] = [1, 2, 3, 4]
        return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
    }

    func sendFrame(opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) throws {
        try send(Self.frame(opcode: opcode, payload, isFinal: isFinal))
    }

    func readFrame() throws -> Frame {
        let start = try read(count: 2)
        var length = Int(start[1] & 0x7F)
        if length >= 126 {
            length = try read(count: length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
        }
        let payload = try read(count: length)
        // A long message may come in several frames.
        guard start[0] & 0x80 == 0 else { return Frame(opcode: start[0] & 0x0F, payload: payload) }
        return Frame(opcode: start[0] & 0x0F, payload: payload + (try readFrame().payload))
    }
}
