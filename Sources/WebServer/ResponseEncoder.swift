/// Writes response heads.
enum ResponseEncoder {
    /// How the end of a body is told.
    enum Framing: Equatable {
        /// There is no body, nor a length (1xx, 204, 304).
        case none
        /// `Content-Length`.
        case length(Int)
        /// The chunked coding.
        case chunked
        /// The end of the connection (HTTP/1.0).
        case untilClose
    }

    /// `100 Continue`, as sent before a body.
    static let goAhead = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
    /// The chunk that ends a chunked body.
    static let lastChunk = Array("0\r\n\r\n".utf8)

    /// Whether a response with this status may have a body.
    static func allowsBody(_ status: Int) -> Bool {
        status >= 200 && status != 204 && status != 304
    }

    /// The status line and header fields, up to and with the empty line.
    static func head(
        status: Int, headers: [(String, String)], framing: Framing, keepsAlive: Bool
    ) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(HTTPStatus.phrase(status))\r\n"
        for (name, value) in headers where HTTPToken.isValid(name.utf8) && !isOwn(name) {
            text += "\(name): \(visible(value))\r\n"
        }
        switch framing {
        case .none, .untilClose: break
        case .length(let length): text += "Content-Length: \(length)\r\n"
        case .chunked: text += "Transfer-Encoding: chunked\r\n"
        }
        text += keepsAlive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n"
        return Array(text.utf8)
    }

    /// One chunk of a chunked body; the piece must not be empty, for an empty chunk ends the body.
    static func chunk(_ piece: [UInt8]) -> [UInt8] {
        var bytes = Array("\(String(piece.count, radix: 16))\r\n".utf8)
        bytes.reserveCapacity(bytes.count + piece.count + 2)
        bytes += piece
        bytes += [0x0D, 0x0A]
        return bytes
    }

    private static func isOwn(_ name: String) -> Bool {
        ["content-length", "transfer-encoding", "connection", "keep-alive"].contains(name.lowercased())
    }

    private static func visible(_ value: String) -> String {
        guard value.unicodeScalars.contains(where: isControl) else { return value }
        return String(String.UnicodeScalarView(value.unicodeScalars.map { isControl($0) ? " " : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 && scalar.value != 0x09 || scalar.value == 0x7F
    }
}
