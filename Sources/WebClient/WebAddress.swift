import CCurl

/// An address, read by the library's own parser, so that what is checked is what is used.
struct WebAddress: Sendable, Equatable {
    /// The whole address, normalised.
    let text: String
    let scheme: String
    let host: String
    let port: String
    /// The path without the query.
    let path: String

    /// Scheme, host and port: who is spoken to.
    var origin: String { "\(scheme)://\(host):\(port)" }

    /// Reads an address, or one that stands relative to another.
    /// - Throws: `WebClientError.invalidRequest`.
    init(_ text: String, relativeTo base: WebAddress? = nil) throws(WebClientError) {
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw .invalidRequest("the address has a space or a control character")
        }
        guard let handle = curl_url() else { throw .invalidRequest("out of memory") }
        defer { curl_url_cleanup(handle) }
        if let base, curl_url_set(handle, CURLUPART_URL, base.text, 0) != CURLUE_OK {
            throw .invalidRequest("not an address")
        }
        guard curl_url_set(handle, CURLUPART_URL, text, 0) == CURLUE_OK else {
            throw .invalidRequest("not an address that begins with http:// or https://")
        }
        let part = { (part: CURLUPart, flags: Int32) -> String? in
            var text: UnsafeMutablePointer<CChar>?
            guard curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
            defer { curl_free(text) }
            return String(cString: text)
        }
        guard part(CURLUPART_USER, 0) == nil, part(CURLUPART_PASSWORD, 0) == nil else {
            throw .invalidRequest("the address holds a user or password; send them as a header")
        }
        guard let scheme = part(CURLUPART_SCHEME, 0), scheme == "http" || scheme == "https",
            let host = part(CURLUPART_HOST, 0), let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT),
            let whole = part(CURLUPART_URL, 0)
        else { throw .invalidRequest("not an address that begins with http:// or https://") }
        self.text = whole
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = port
        path = part(CURLUPART_PATH, 0) ?? "/"
    }
}
