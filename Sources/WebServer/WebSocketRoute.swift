/// Where WebSocket connections are accepted, and what serves them.
package struct WebSocketRoute: Sendable {
    /// What to do with a client that offers none of the route's subprotocols.
    package enum UnknownSubprotocol: Sendable {
        /// Answer 400.
        case refuse
        /// Accept, naming no subprotocol in the answer.
        case accept
    }

    /// The start of the (decoded) paths that this route serves; the longest match wins.
    package var pathPrefix: String
    /// The subprotocols that the handler speaks.
    ///
    /// With none, what the client offers is not looked at.
    package var subprotocols: [String]
    /// What to do with a client that offers none of them.
    package var unknownSubprotocol: UnknownSubprotocol
    /// Looks at the opening request, before the connection is accepted; a response refuses it (401, say), nil accepts.
    package var admit: @Sendable (HTTPRequest) async -> HTTPResponse?
    /// Serves one connection.
    ///
    /// When it returns, the connection is closed; when the peer goes, its task is cancelled.
    package var handler: @Sendable (WebSocketConnection) async -> Void

    /// Makes a route.
    package init(
        pathPrefix: String, subprotocols: [String] = [], unknownSubprotocol: UnknownSubprotocol = .refuse,
        admit: @escaping @Sendable (HTTPRequest) async -> HTTPResponse? = { _ in nil },
        handler: @escaping @Sendable (WebSocketConnection) async -> Void
    ) {
        self.pathPrefix = pathPrefix
        self.subprotocols = subprotocols
        self.unknownSubprotocol = unknownSubprotocol
        self.admit = admit
        self.handler = handler
    }
}

/// One message of a WebSocket connection.
package enum WebSocketMessage: Sendable, Equatable {
    /// Text; valid UTF-8 when it was received.
    case text(String)
    /// Bytes.
    case binary([UInt8])
}

/// The connection has ended, so nothing more can be sent.
package struct WebSocketClosed: Error, Equatable {}
