/// An open WebSocket connection, as its handler sees it.
package final class WebSocketConnection: Sendable {
    /// The opening request: path, headers (`Authorization`), address.
    package let request: HTTPRequest
    /// The subprotocol that was agreed on, or nil.
    package let subprotocol: String?
    /// The peer's messages, for one reader.
    ///
    /// Ends when the connection does.
    package let messages: AsyncStream<WebSocketMessage>

    private let session: UInt
    private let mailbox: Mailbox

    init(
        request: HTTPRequest, subprotocol: String?, messages: AsyncStream<WebSocketMessage>, session: UInt,
        mailbox: Mailbox
    ) {
        self.request = request
        self.subprotocol = subprotocol
        self.messages = messages
        self.session = session
        self.mailbox = mailbox
    }

    /// The decoded path of the opening request.
    package var path: String { request.path }
    /// The header fields of the opening request.
    package var headers: HTTPHeaders { request.headers }

    /// Sends a message and waits until it was handed to the operating system.
    /// - Throws: `WebSocketClosed` if the connection ended first.
    package func send(_ message: WebSocketMessage) async throws(WebSocketClosed) {
        let isSent = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            mailbox.post(.sendMessage(session: session, message, done: continuation))
        }
        guard isSent else { throw WebSocketClosed() }
    }

    /// Starts the closing handshake, after the messages that wait to be sent.
    /// - Parameter code: a status code of RFC 6455, section 7.4; 1000 is a normal end.
    package func close(_ code: UInt16 = 1000) {
        mailbox.post(.closeWebSocket(session: session, code: code))
    }
}
