/// One server-sent event.
package struct WebEvent: Sendable, Equatable {
    /// Its type; `message` where none is said.
    package var name: String
    /// Its data, lines joined with a line feed.
    package var data: String
    /// The last identifier that was said, to be sent as `Last-Event-ID` when connecting again.
    package var id: String?

    /// Makes an event.
    package init(name: String = "message", data: String, id: String? = nil) {
        self.name = name
        self.data = data
        self.id = id
    }
}

/// Reads events out of a body of type `text/event-stream`, however it is cut into pieces.
package struct WebEventParser: Sendable {
    private static let lineFeed: UInt8 = 10
    private static let carriageReturn: UInt8 = 13

    private let maximumBytes: Int
    private var line: [UInt8] = []
    private var isAfterCarriageReturn = false
    private var isAtStart = true
    private var name = ""
    private var data: [String] = []
    private var size = 0
    private var id: String?

    /// Makes a parser.
    /// - Parameter maximumBytes: the longest event.
    package init(maximumBytes: Int = 4 << 20) {
        self.maximumBytes = maximumBytes
    }

    /// Takes the next piece and gives the events that are complete with it.
    /// - Throws: `WebClientError.bodyTooLarge` for an event that is too long.
    package mutating func take(_ piece: [UInt8]) throws(WebClientError) -> [WebEvent] {
        var events: [WebEvent] = []
        for byte in piece {
            if byte == Self.lineFeed, isAfterCarriageReturn {
                isAfterCarriageReturn = false
                continue
            }
            isAfterCarriageReturn = byte == Self.carriageReturn
            guard byte == Self.lineFeed || byte == Self.carriageReturn else {
                line.append(byte)
                size += 1
                guard size <= maximumBytes else { throw .bodyTooLarge(limit: maximumBytes) }
                continue
            }
            if let event = endLine() { events.append(event) }
        }
        return events
    }

    private mutating func endLine() -> WebEvent? {
        var text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if isAtStart, text.hasPrefix("\u{FEFF}") { text.removeFirst() }
        isAtStart = false
        guard !text.isEmpty else { return endEvent() }
        // A comment keeps the connection alive and says nothing.
        guard !text.hasPrefix(":") else {
            if data.isEmpty { size = 0 }
            return nil
        }
        let colon = text.firstIndex(of: ":")
        var value = colon.map { text[text.index(after: $0)...] } ?? ""
        if value.first == " " { value.removeFirst() }
        switch text[..<(colon ?? text.endIndex)] {
        case "event": name = String(value)
        case "data": data.append(String(value))
        case "id" where !value.contains("\0"): id = value.isEmpty ? nil : String(value)
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> WebEvent? {
        defer {
            name = ""
            data.removeAll(keepingCapacity: true)
            size = 0
        }
        guard !data.isEmpty else { return nil }
        return WebEvent(name: name.isEmpty ? "message" : name, data: data.joined(separator: "\n"), id: id)
    }
}

/// The server-sent events of an answer.
package struct WebEvents: AsyncSequence, Sendable {
    package typealias Element = WebEvent
    package typealias Failure = any Error

    private let stream: WebStream
    private let maximumBytes: Int

    fileprivate init(_ stream: WebStream, _ maximumBytes: Int) {
        self.stream = stream
        self.maximumBytes = maximumBytes
    }

    package func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator(), parser: WebEventParser(maximumBytes: maximumBytes))
    }

    /// Reads events as they come.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: WebStream.Iterator
        fileprivate var parser: WebEventParser
        private var ready: [WebEvent] = []

        fileprivate init(base: WebStream.Iterator, parser: WebEventParser) {
            self.base = base
            self.parser = parser
        }

        /// The next event; nil when the server ended the stream.
        /// - Throws: `WebClientError`, `CancellationError`.
        package mutating func next() async throws -> WebEvent? {
            try await next(isolation: #isolation)
        }

        package mutating func next(isolation actor: isolated (any Actor)?) async throws -> WebEvent? {
            while ready.isEmpty {
                guard let piece = try await base.next(isolation: actor) else { return nil }
                ready = try parser.take(piece).reversed()
            }
            return ready.popLast()
        }
    }
}

extension WebStream {
    /// The body as server-sent events.
    /// - Parameter maximumBytes: the longest event.
    package func events(maximumBytes: Int = 4 << 20) -> WebEvents { WebEvents(self, maximumBytes) }
}
