package import Foundation

/// One request to a provider; `{key}` stands for the secret until the moment it is sent.
package struct SourceRequest: Sendable, Equatable {
    /// Where the secret goes in address, headers or body.
    package static let keyMark = "{key}"

    /// The whole address; may hold `{key}`.
    package var address: String
    /// Further headers; values may hold `{key}`.
    package var headers: [String: String]
    /// A body to post, nil for a plain request; may hold `{key}`.
    package var body: String?

    /// Makes a request.
    /// - Parameters:
    ///   - base: scheme, host and folder, such as `https://api.example.com/v1`.
    ///   - path: what follows, with its slash; parts are to be encoded by the caller.
    ///   - query: names and values, encoded here; those without a value are left out.
    ///   - headers: further headers.
    ///   - body: a body to post.
    package init(
        _ base: String, _ path: String = "", query: [(String, String?)] = [], headers: [String: String] = [:],
        body: String? = nil
    ) {
        let parts = query.compactMap { name, value in
            value.map { Self.encoded(name) + "=" + ($0 == Self.keyMark ? $0 : Self.encoded($0)) }
        }
        let mark = base.contains("?") ? "&" : "?"
        address = base + path + (parts.isEmpty ? "" : mark + parts.joined(separator: "&"))
        self.headers = headers
        self.body = body
    }

    /// A text as it may stand in a path or query.
    package static func encoded(_ text: String) -> String {
        var allowed = CharacterSet.alphanumerics
        // Unicode letters are alphanumerics too: only ASCII may stand as it is.
        allowed.formIntersection(CharacterSet(charactersIn: "\u{0}"..."\u{7F}"))
        allowed.insert(charactersIn: "-._~:,")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
    }

    /// Whether a secret belongs into it.
    var needsKey: Bool {
        ([address, body ?? ""] + headers.values).contains { $0.contains(Self.keyMark) }
    }

    /// The request as it is sent where a key is optional and none is there.
    func withoutKey() -> SourceRequest {
        var request = self
        request.address = address.replacingOccurrences(of: Self.keyMark + "/", with: "")
        request.headers = headers.filter { !$0.value.contains(Self.keyMark) }
        return request
    }

    /// The request with its secret, to be sent and then forgotten.
    func with(key: String) -> SourceRequest {
        var request = self
        request.address = address.replacingOccurrences(of: Self.keyMark, with: Self.encoded(key))
        request.headers = headers.mapValues { $0.replacingOccurrences(of: Self.keyMark, with: key) }
        request.body = body?.replacingOccurrences(of: Self.keyMark, with: key)
        return request
    }
}

/// What a provider answered.
package struct SourceResponse: Sendable {
    /// The status code.
    package var status: Int
    /// Header fields by lower-case name.
    package var headers: [String: String]
    /// The body, unpacked.
    package var body: Data

    /// Makes an answer.
    package init(status: Int, headers: [String: String] = [:], body: Data = Data()) {
        self.status = status
        self.headers = Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { first, _ in first }
        self.body = body
    }
}

/// The way to providers; the room that speaks HTTP brings it.
package protocol SourceTransport: Sendable {
    /// Sends a request and waits for the whole answer, within bounds of time and size.
    ///
    /// Errors describe neither headers nor the address's query: a secret may be in them.
    /// - Throws: `PayloadError` of kind `serviceUnavailable` when there is no whole answer.
    func send(_ request: SourceRequest) async throws(PayloadError) -> SourceResponse
}
