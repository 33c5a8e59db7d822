import WebServer

/// Answers that a client may keep and ask for again by their tag (RFC 9110, section 13).
extension HTTPResponse {
    /// The answer with an `ETag`, or 304 where the client has it already.
    ///
    /// Only whole bodies of success have one; what is refused or streamed stays as it is.
    func tagged(for request: HTTPRequest) -> HTTPResponse {
        guard status == 200, request.method == "GET" || request.method == "HEAD", case .bytes(let bytes) = body,
            !headers.contains(where: { $0.0.lowercased() == "set-cookie" })
        else { return self }
        let tag = HTTPResponse.tag(of: bytes)
        var kept = headers.filter { $0.0.lowercased() != "content-type" } + [("ETag", tag)]
        if !kept.contains(where: { $0.0.lowercased() == "cache-control" }) {
            kept.append(("Cache-Control", "no-cache"))
        }
        let asked = request.headers.elements("If-None-Match").map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
        guard asked.contains(tag) || asked.contains("*") else {
            var answer = self
            answer.headers = headers.filter { $0.0.lowercased() == "content-type" } + kept
            return answer
        }
        return HTTPResponse(status: 304, headers: kept)
    }

    /// Two 64-bit FNV-1a sums, one over the bytes backwards, and the length: enough to tell two answers of one address
    /// apart, which is all that a tag is for.
    private static func tag(of bytes: [UInt8]) -> String {
        let sums = [sum(bytes), sum(bytes.reversed())].map { String($0, radix: 36) }
        return "\"\(sums.joined(separator: "-"))-\(String(bytes.count, radix: 36))\""
    }

    private static func sum(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }
}
