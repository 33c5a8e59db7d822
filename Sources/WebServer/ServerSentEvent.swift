/// One event of a `text/event-stream` (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Sendable, Equatable {
    /// The event's type; nil means `message`.
    package var event: String?
    /// The identifier that a client repeats as `Last-Event-ID` when it reconnects.
    package var id: String?
    /// The payload; line breaks are kept.
    package var data: String
    /// How long a client should wait before it reconnects.
    package var retry: Duration?

    /// Makes an event.
    package init(event: String? = nil, id: String? = nil, data: String, retry: Duration? = nil) {
        self.event = event
        self.id = id
        self.data = data
        self.retry = retry
    }

    /// A comment that keeps the connection alive and that clients ignore.
    static let heartbeat = Array(": \n\n".utf8)

    /// The event as it goes over the wire.
    ///
    /// Line breaks and NUL are removed from `event` and `id`, where they would start another field.
    var encoded: [UInt8] {
        var text = ""
        if let event { text += "event: \(singleLine(event))\n" }
        if let id { text += "id: \(singleLine(id))\n" }
        if let retry { text += "retry: \(max(0, retry.microseconds / 1000))\n" }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isLineEnd) {
            text += "data: \(line)\n"
        }
        return Array((text + "\n").utf8)
    }

    private func singleLine(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\n" && $0 != "\r" && $0 != "\0" }))
    }
}

extension Character {
    // "\r\n" is one Character, so a CRLF splits once.
    fileprivate var isLineEnd: Bool { self == "\n" || self == "\r" || self == "\r\n" }
}

extension Duration {
    /// The whole microseconds, limited to what a timer can hold (about 29,000 years).
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        let limit: Int64 = 1 << 40
        return min(max(seconds, -limit), limit) * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
