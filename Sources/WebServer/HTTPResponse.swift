/// What a handler answers.
///
/// The server itself writes `Content-Length`, `Transfer-Encoding` and `Connection`; such fields in `headers` are left
/// out. Characters that cannot stand in a header value become spaces, so that a value can never start a new field.
package struct HTTPResponse: Sendable {
    /// The response's content.
    package enum Body: Sendable {
        /// All of it at once.
        case bytes([UInt8])
        /// Pieces as they come; the next is asked for only once the client has taken most of what went before.
        case stream(AsyncStream<[UInt8]>)
        /// Server-sent events; a client that does not keep up is disconnected.
        case events(AsyncStream<ServerSentEvent>)
    }

    /// The status code.
    package var status: Int
    /// Header fields in order.
    package var headers: [(String, String)]
    /// The content.
    package var body: Body

    /// Makes a response.
    package init(status: Int, headers: [(String, String)] = [], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension HTTPResponse {
    /// Content with its media type.
    package static func bytes(
        _ bytes: [UInt8], contentType: String, status: Int = 200, headers: [(String, String)] = []
    ) -> HTTPResponse {
        HTTPResponse(status: status, headers: [("Content-Type", contentType)] + headers, body: .bytes(bytes))
    }

    /// Encoded JSON.
    package static func json(
        _ bytes: [UInt8], status: Int = 200, headers: [(String, String)] = []
    ) -> HTTPResponse {
        .bytes(bytes, contentType: "application/json", status: status, headers: headers)
    }

    /// Plain text in UTF-8.
    package static func text(
        _ text: String, status: Int = 200, headers: [(String, String)] = []
    ) -> HTTPResponse {
        .bytes(Array(text.utf8), contentType: "text/plain; charset=utf-8", status: status, headers: headers)
    }

    /// A page in UTF-8.
    package static func html(
        _ html: String, status: Int = 200, headers: [(String, String)] = []
    ) -> HTTPResponse {
        .bytes(Array(html.utf8), contentType: "text/html; charset=utf-8", status: status, headers: headers)
    }

    /// The status alone, with its usual phrase as text where a body is allowed; a fault as RFC 9457 has it.
    package static func status(_ status: Int, headers: [(String, String)] = []) -> HTTPResponse {
        guard ResponseEncoder.allowsBody(status) else { return HTTPResponse(status: status, headers: headers) }
        if status >= 400 {
            return .problem(
                status, code: HTTPStatus.code(status), detail: HTTPStatus.remedy(status), headers: headers)
        }
        return .text("\(status) \(HTTPStatus.phrase(status))\n", status: status, headers: headers)
    }

    /// 404.
    package static var notFound: HTTPResponse { .status(404) }
    /// 400.
    package static var badRequest: HTTPResponse { .status(400) }
    /// 204.
    package static var noContent: HTTPResponse { .status(204) }
    /// 304, to a matching `If-None-Match`.
    package static var notModified: HTTPResponse { .status(304) }

    /// 405, with the methods that are allowed.
    package static func methodNotAllowed(_ allowed: [String]) -> HTTPResponse {
        .status(405, headers: [("Allow", allowed.joined(separator: ", "))])
    }

    /// A redirection to another place.
    package static func redirect(to location: String, status: Int = 303) -> HTTPResponse {
        .status(status, headers: [("Location", location)])
    }

    /// Server-sent events, with a heartbeat comment by the server while there are none.
    package static func eventStream(
        _ events: AsyncStream<ServerSentEvent>, headers: [(String, String)] = []
    ) -> HTTPResponse {
        let own = [("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache"), ("X-Accel-Buffering", "no")]
        return HTTPResponse(status: 200, headers: own + headers, body: .events(events))
    }

    /// Pieces of content as they come.
    package static func stream(
        _ pieces: AsyncStream<[UInt8]>, contentType: String, headers: [(String, String)] = []
    ) -> HTTPResponse {
        HTTPResponse(status: 200, headers: [("Content-Type", contentType)] + headers, body: .stream(pieces))
    }
}
