/// One event of a `text/event-stream` (WHATWG HTML, section 9.2).
package struct ServerSentEvent: Sendable, Equatable {
    /// The event's type; nil means `message`.
    package let event: String?
    /// The identifier that a client repeats as `Last-Event-ID` when it reconnects.
    package let id: String?
    /// The payload; line breaks are kept.
    package let data: String
    /// How long a client should wait before it reconnects.
    package let retry: Duration?
    /// The event as it goes over the wire; made once, however many clients it is sent to.
    let encoded: [UInt8]

    /// Makes an event.
    package init(event: String? = nil, id: String? = nil, data: String, retry: Duration? = nil) {
        self.event = event
        self.id = id
        self.data = data
        self.retry = retry
        encoded = Self.encode(event, id, data, retry)
    }

    /// A comment that keeps the connection alive and that clients ignore.
    static let heartbeat = Array(": \n\n".utf8)

    /// Line breaks and NUL are removed from `event` and `id`, where they would start another field.
    private static func encode(_ event: String?, _ id: String?, _ data: String, _ retry: Duration?) -> [UInt8] {
        var text = ""
        if let event { text += "event: \(singleLine(event))\n" }
        if let id { text += "id: \(singleLine(id))\n" }
        if let retry { text += "retry: \(max(0, retry.microseconds / 1000))\n" }
        // Splitting looks at every character, which most events, JSON on one line, need not pay for.
        guard data.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
            return Array("\(text)data: \(data)\n\n".utf8)
        }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isLineEnd) {
            text += "data: \(line)\n"
        }
        return Array((text + "\n").utf8)
    }

    private static func singleLine(_ text: String) -> String {
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

    /// The time as a person says it, such as `10 s`.
    var inWords: String {
        let whole = microseconds
        return whole.isMultiple(of: 1_000_000) ? "\(whole / 1_000_000) s" : "\(whole / 1000) ms"
    }
}
