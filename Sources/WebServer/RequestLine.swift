/// The first line of a request (RFC 9112, section 3).
struct RequestLine {
    let method: String
    let rawPath: String
    let path: String
    let query: [HTTPRequest.QueryItem]
    let minorVersion: Int

    private static let maximumMethodBytes = 32

    init(_ line: ArraySlice<UInt8>) throws(RequestRefusal) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= Self.maximumMethodBytes, HTTPToken.isValid(parts[0]) else {
            throw RequestRefusal(400, "the first line is not 'METHOD /path HTTP/1.1'")
        }
        minorVersion = try Self.minorVersion(parts[2])
        method = String(decoding: parts[0], as: UTF8.self)
        guard method != "CONNECT" else {
            throw RequestRefusal(501, "CONNECT is for proxies, and this server is none")
        }
        let target = try Self.originForm(parts[1], method: method)
        let halves = target.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = PercentEncoding.decode(halves[0]) else {
            throw RequestRefusal(400, "the path is not percent-encoded UTF-8; write '%' as '%25'")
        }
        guard let query = halves.count > 1 ? PercentEncoding.queryItems(halves[1]) : [] else {
            throw RequestRefusal(400, "the query is not percent-encoded UTF-8; write '%' as '%25'")
        }
        self.path = path
        self.query = query
        rawPath = String(decoding: halves[0], as: UTF8.self)
    }

    private static func minorVersion(_ version: ArraySlice<UInt8>) throws(RequestRefusal) -> Int {
        let text = String(decoding: version, as: UTF8.self)
        switch text {
        case "HTTP/1.1": return 1
        case "HTTP/1.0": return 0
        default:
            let isOther = text.hasPrefix("HTTP/") && text.utf8.count == 8
            throw RequestRefusal(isOther ? 505 : 400, "the first line does not end with HTTP/1.1 or HTTP/1.0; use 1.1")
        }
    }

    /// The path and query of a target: as it is, of a whole URL, or `*` for OPTIONS.
    private static func originForm(
        _ target: ArraySlice<UInt8>, method: String
    ) throws(RequestRefusal) -> ArraySlice<UInt8> {
        guard target.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }) else {
            throw RequestRefusal(400, "the address holds a character that has to be percent-encoded")
        }
        if target.first == UInt8(ascii: "/") { return target }
        if target.elementsEqual("*".utf8), method == "OPTIONS" { return target }
        for scheme in ["http://", "https://"] where target.starts(with: scheme.utf8) {
            let rest = target.dropFirst(scheme.utf8.count)
            let start = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
            guard start > rest.startIndex else { break }
            return rest[start...].first == UInt8(ascii: "/") ? rest[start...] : Array("/".utf8) + rest[start...]
        }
        throw RequestRefusal(400, "the address does not begin with '/'")
    }
}
