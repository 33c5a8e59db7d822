/// Status and header fields of an answer.
package struct WebAnswerHead: Sendable, Equatable {
    /// The status code.
    package var status: Int
    /// The header fields of the last answer; those of 1xx answers are gone.
    package var headers: WebHeaders

    /// Makes one.
    package init(status: Int, headers: WebHeaders) {
        self.status = status
        self.headers = headers
    }

    /// Whether the status is 200 to 299.
    package var isSuccess: Bool { (200..<300).contains(status) }

    /// The media type in lower case, without its parameters; empty if it is not said.
    package var contentType: String {
        let value = headers.values("Content-Type").first ?? ""
        let type = value.prefix { $0 != ";" }.lowercased()
        return String(type.filter { !$0.isWhitespace })
    }

    /// What to send with the next request for the same, see `WebRequest.unlessUnchanged(since:)`.
    package var validator: WebValidator? {
        WebValidator(
            entityTag: headers.values("ETag").first, lastModified: headers.values("Last-Modified").first)
    }

    /// The wait that `Retry-After` asks for; nil if it asks for none or can't be read.
    /// - Parameter unixSeconds: the wall time, against which a date is read.
    package func retryAfter(now unixSeconds: Int) -> Duration? {
        guard let text = headers.values("Retry-After").first else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
            return .seconds(min(Int(text) ?? .max, 365 * 86_400))
        }
        return HTTPDate.seconds(text).map { .seconds(max(0, $0 - unixSeconds)) }
    }

    /// How long the content may be used without asking again, by `Cache-Control: max-age` or else `Expires`; zero for
    /// `no-cache` and `no-store`, nil if nothing is said.
    /// - Parameter unixSeconds: the wall time, against which `Expires` is read where the answer has no `Date`.
    package func freshness(now unixSeconds: Int) -> Duration? {
        let directives = (headers["Cache-Control"] ?? "").lowercased().split(separator: ",")
            .map { String($0.filter { !$0.isWhitespace }) }
        if directives.contains("no-cache") || directives.contains("no-store") { return .zero }
        let age = directives.lazy.compactMap { directive -> Int? in
            guard directive.hasPrefix("max-age=") else { return nil }
            return Int(directive.dropFirst("max-age=".count).filter { $0 != "\"" })
        }.first
        if let age { return .seconds(max(0, min(age, 365 * 86_400))) }
        guard let expires = headers.values("Expires").first else { return nil }
        // A date that can't be read, such as 0, means "already".
        guard let end = HTTPDate.seconds(expires) else { return .zero }
        let sent = headers.values("Date").first.flatMap(HTTPDate.seconds) ?? unixSeconds
        return .seconds(max(0, end - sent))
    }
}

/// A whole answer.
package struct WebResponse: Sendable {
    /// Status and header fields.
    package var head: WebAnswerHead
    /// The body, decompressed.
    package var body: [UInt8]

    /// Makes one.
    package init(head: WebAnswerHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    /// The status code.
    package var status: Int { head.status }
    /// The header fields.
    package var headers: WebHeaders { head.headers }
    /// The body as text; what is not UTF-8 becomes the replacement character.
    package var text: String { String(decoding: body, as: UTF8.self) }
}
