import Foundation

/// A plain HTTP/1.1 client for tests: it sends exactly the headers it is told, also those a polite client would refuse.
///
/// Every request has a connection of its own, on a thread of its own, and ends after `limitSeconds` at the latest.
package struct HTTPClient: Sendable {
    /// An answer.
    package struct Answer: Sendable {
        /// The status code.
        package let status: Int
        /// The headers, by lower-case name; several of one name are joined with a comma.
        package let headers: [String: String]
        /// The body.
        package let body: [UInt8]

        /// The body as text.
        package var text: String { String(decoding: body, as: UTF8.self) }
        /// The body as JSON; `.null` where it is none.
        package var json: JSONValue { JSONValue(text: text) ?? .null }
        /// The type of the body without its parameters.
        package var contentType: String {
            headers["content-type"]?.split(separator: ";").first.map { String($0) } ?? ""
        }
    }

    /// Why there is no answer.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        /// Says why.
        package init(description: String) { self.description = description }
    }

    /// The port on 127.0.0.1.
    package var port: Int
    /// An access token, sent with every request that does not bring its own `Authorization`.
    package var token: String?
    /// How long a request may take in all, in seconds.
    package var limitSeconds = 20

    /// Makes a client; it connects at each request.
    package init(port: Int, token: String? = nil) {
        self.port = port
        self.token = token
    }

    /// The same client with another token, or none.
    package func with(token: String?) -> HTTPClient {
        var other = self
        other.token = token
        return other
    }

    /// Asks and waits for the whole answer.
    /// - Parameters:
    ///   - method: the method.
    ///   - target: path and query, sent as they are.
    ///   - headers: further headers; `Host` takes the place of the usual one.
    ///   - body: the body, as JSON unless `headers` say otherwise.
    /// - Throws: `Failure` when the hub can't be reached or ends the connection early.
    package func send(
        _ method: String, _ target: String, headers: [(String, String)] = [], body: String? = nil
    ) async throws -> Answer {
        let bytes = request(method, target, headers, body)
        let port = port
        let limit = limitSeconds
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let connection = try HTTPConnection(port: port, limitSeconds: limit)
                        connection.send(bytes)
                        return try connection.readAnswer(hasBody: method != "HEAD")
                    })
            }
        }
    }

    /// Asks with GET.
    /// - Throws: as `send`.
    package func get(_ target: String, headers: [(String, String)] = []) async throws -> Answer {
        try await send("GET", target, headers: headers)
    }

    /// Asks for a stream of events and gives them as they come; it ends with the connection, with `limitSeconds`, or
    /// when nobody reads it any more.
    /// - Throws: `Failure` when the answer is not a stream.
    package func events(_ target: String, headers: [(String, String)] = []) -> AsyncThrowingStream<
        StreamEvent, any Error
    > {
        let bytes = request("GET", target, [("Accept", "text/event-stream")] + headers, nil)
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: StreamEvent.self)
        let port = port
        let limit = limitSeconds
        Thread.detachNewThread {
            do {
                let connection = try HTTPConnection(port: port, limitSeconds: limit)
                connection.send(bytes)
                try connection.readEvents { event in
                    if case .terminated = continuation.yield(event) { return false }
                    return true
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        return stream
    }

    private func request(_ method: String, _ target: String, _ headers: [(String, String)], _ body: String?) -> [UInt8]
    {
        let names = Set(headers.map { $0.0.lowercased() })
        var lines = ["\(method) \(target) HTTP/1.1"]
        if !names.contains("host") { lines.append("Host: 127.0.0.1:\(port)") }
        if let token, !names.contains("authorization") { lines.append("Authorization: Bearer \(token)") }
        lines += headers.map { "\($0.0): \($0.1)" }
        if let body {
            if !names.contains("content-type") { lines.append("Content-Type: application/json") }
            lines.append("Content-Length: \(body.utf8.count)")
        }
        lines.append("Connection: close")
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8)
    }
}

/// One server-sent event.
package struct StreamEvent: Sendable {
    /// Its name.
    package let name: String
    /// Its identifier, where it has one.
    package let id: String?
    /// Its data.
    package let data: String

    /// The data as JSON; `.null` where it is none.
    package var json: JSONValue { JSONValue(text: data) ?? .null }
}
