/// What a request must keep so that it says on the wire what it says here, and nothing more.
enum RequestRules {
    /// Fields that the client writes itself; a second value would break the message.
    private static let own: Set<String> = [
        "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "upgrade",
    ]
    /// The longest path of a unix socket.
    static let maximumSocketPath = 107

    /// - Throws: `WebClientError.invalidRequest`, without any value of a header field.
    static func check(_ request: WebRequest) throws(WebClientError) {
        guard !request.method.isEmpty, request.method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            throw .invalidRequest("the method is not a word in capitals")
        }
        for field in request.headers.fields {
            guard !field.name.isEmpty, field.name.utf8.allSatisfy(isTokenByte) else {
                throw .invalidRequest("a header field's name is not a name")
            }
            guard !own.contains(field.name.lowercased()) else {
                throw .invalidRequest("the client itself writes the header field \(field.name)")
            }
            guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw .invalidRequest("the header field \(field.name) holds a control character")
            }
        }
        // Without a hash the library takes it for a file's name, and without either it would trust anyone.
        if let pin = request.pinnedKey, !isPin(pin) {
            throw .invalidRequest("the key to trust is not sha256// with a hash in Base64")
        }
        if let path = request.unixSocket {
            guard path.hasPrefix("/"), path.utf8.count <= maximumSocketPath, !path.utf8.contains(0) else {
                throw .invalidRequest(
                    "a unix socket's path begins with / and has at most \(maximumSocketPath) bytes")
            }
        }
    }

    private static func isPin(_ text: String) -> Bool {
        guard text.hasPrefix("sha256//"), text.utf8.count == 52, text.hasSuffix("=") else { return false }
        return text.utf8.dropFirst(8).dropLast().allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F: true
            default: false
            }
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
