/// A request's line and header fields, checked (RFC 9112).
struct RequestHead: Sendable, Equatable {
    /// How the body is delimited.
    enum BodyLength: Sendable, Equatable {
        case known(Int)
        case chunked
    }

    let method: String
    let rawPath: String
    let path: String
    let query: [HTTPRequest.QueryItem]
    let headers: HTTPHeaders
    /// The minor version of HTTP/1.
    let minorVersion: Int
    let bodyLength: BodyLength
    let keepsAlive: Bool
    let expectsContinue: Bool

    /// Reads a head: the bytes up to the empty line, without it.
    init(_ bytes: ArraySlice<UInt8>) throws(RequestRefusal) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.last == UInt8(ascii: "\r") ? line.dropLast() : line
        }[...]
        guard let first = lines.popFirst() else { throw RequestRefusal(400, "the request has no first line") }
        let line = try RequestLine(first)
        let headers = try HTTPHeaders(lines: lines)
        try Self.checkHost(headers, minorVersion: line.minorVersion)
        self.method = line.method
        self.rawPath = line.rawPath
        self.path = line.path
        self.query = line.query
        self.headers = headers
        self.minorVersion = line.minorVersion
        self.bodyLength = try Self.bodyLength(headers, minorVersion: line.minorVersion)
        self.keepsAlive = Self.keepsAlive(headers, minorVersion: line.minorVersion)
        self.expectsContinue = try Self.expectsContinue(headers, minorVersion: line.minorVersion)
    }

    /// Whether the client asks to change to WebSocket.
    var asksForWebSocket: Bool {
        let upgrades = headers.elements("upgrade").contains { $0.lowercased() == "websocket" }
        return upgrades && headers.elements("connection").contains { $0.lowercased() == "upgrade" }
    }

    private static func checkHost(_ headers: HTTPHeaders, minorVersion: Int) throws(RequestRefusal) {
        let count = headers.values("host").count
        guard count == 1 || (count == 0 && minorVersion == 0) else {
            throw RequestRefusal(400, "there are \(count) header fields Host; send exactly one")
        }
    }

    // A length and a coding together, or two lengths, are how requests are smuggled past a proxy: refused.
    private static func bodyLength(
        _ headers: HTTPHeaders, minorVersion: Int
    ) throws(RequestRefusal) -> BodyLength {
        let codings = headers.elements("transfer-encoding")
        let lengths = Set(headers.values("content-length"))
        if headers["transfer-encoding"] != nil {
            guard minorVersion == 1, lengths.isEmpty else {
                throw RequestRefusal(
                    400, "Transfer-Encoding goes with HTTP/1.1 and without Content-Length; send one of the two")
            }
            guard codings.count == 1, codings[0].lowercased() == "chunked" else {
                throw RequestRefusal(501, "the only transfer coding known here is chunked; send the body as it is")
            }
            return .chunked
        }
        guard let text = lengths.first else { return .known(0) }
        guard lengths.count == 1, !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            throw RequestRefusal(400, "Content-Length is not one number; send the count of the body's bytes")
        }
        guard let length = Int(text) else {
            throw RequestRefusal(413, "the body is longer than any that is taken; send less at once")
        }
        return .known(length)
    }

    private static func keepsAlive(_ headers: HTTPHeaders, minorVersion: Int) -> Bool {
        let options = headers.elements("connection").map { $0.lowercased() }
        if options.contains("close") { return false }
        return minorVersion == 1 || options.contains("keep-alive")
    }

    private static func expectsContinue(_ headers: HTTPHeaders, minorVersion: Int) throws(RequestRefusal) -> Bool {
        guard let expectation = headers["expect"], minorVersion == 1 else { return false }
        guard expectation.lowercased() == "100-continue" else {
            throw RequestRefusal(417, "the only expectation known here is 100-continue; leave Expect out")
        }
        return true
    }
}

extension HTTPHeaders {
    private static let maximumFields = 100

    fileprivate init(lines: ArraySlice<ArraySlice<UInt8>>) throws(RequestRefusal) {
        guard lines.count <= Self.maximumFields else {
            throw RequestRefusal(431, "there are more than \(Self.maximumFields) header fields; send fewer")
        }
        var fields: [(name: String, value: String)] = []
        for line in lines {
            // A name must follow at once: this also refuses the obsolete folded lines, which start with a blank.
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), HTTPToken.isValid(line[..<colon]) else {
                throw RequestRefusal(400, "a header field is not 'Name: value', each on a line of its own")
            }
            let value = line[line.index(after: colon)...]
            guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw RequestRefusal(400, "a header field's value holds a control character; leave it out")
            }
            fields.append((String(decoding: line[..<colon], as: UTF8.self), Self.text(trimmed(value))))
        }
        self.init(fields)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}

private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let head = bytes.drop(while: isBlank)
    guard let last = head.lastIndex(where: { !isBlank($0) }) else { return [] }
    return head[...last]
}

/// Tokens: the names of methods, fields and subprotocols (RFC 9110, section 5.6.2).
enum HTTPToken {
    /// Whether the bytes are a token.
    static func isValid(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.isEmpty
            && bytes.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}
