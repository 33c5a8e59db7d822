import CWebSockets

/// A request to open a WebSocket that passed the checks of RFC 6455, section 4.2.1.
struct WebSocketOpening {
    let request: HTTPRequest
    let route: WebSocketRoute
    let subprotocol: String?
    private let key: String

    /// The route with the longest prefix of a path.
    static func route(for path: String, in routes: [WebSocketRoute]) -> WebSocketRoute? {
        routes.filter { path.hasPrefix($0.pathPrefix) }.max { $0.pathPrefix.utf8.count < $1.pathPrefix.utf8.count }
    }

    /// Checks a request against a route.
    init(_ request: HTTPRequest, _ route: WebSocketRoute) throws(RequestRefusal) {
        guard request.method == "GET", request.body.isEmpty else {
            throw RequestRefusal(400, "a WebSocket is opened with GET and no body")
        }
        guard request.headers["sec-websocket-version"] == "13" else {
            throw RequestRefusal(426, "the only version of WebSocket known here is 13")
        }
        guard let key = request.headers["sec-websocket-key"], Self.isKey(key) else {
            throw RequestRefusal(400, "Sec-WebSocket-Key is not 16 bytes in base64")
        }
        let offered = request.headers.elements("sec-websocket-protocol")
        subprotocol = offered.first { route.subprotocols.contains($0) }
        guard subprotocol != nil || route.subprotocols.isEmpty || route.unknownSubprotocol == .accept else {
            let known = route.subprotocols.sorted().joined(separator: ", ")
            throw RequestRefusal(400, "Sec-WebSocket-Protocol offers none of \(known)")
        }
        self.request = request
        self.route = route
        self.key = key
    }

    /// The request as the library gets to see it: only what we checked, with the session's number as its path.
    func handshake(session: UInt) -> [UInt8] {
        var text = "GET /\(session) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n"
        if let subprotocol { text += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    // Sixteen bytes in base64: 22 digits and two signs of padding.
    private static func isKey(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        guard bytes.count == 24, bytes.suffix(2).elementsEqual("==".utf8) else { return false }
        return bytes.dropLast(2).allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"): true
            default: false
            }
        }
    }
}

extension HTTPSession {
    /// Starts to open a WebSocket: checks the request and asks the route.
    func beginOpening(_ request: HTTPRequest, _ route: WebSocketRoute) {
        do throws(RequestRefusal) {
            opening = try WebSocketOpening(request, route)
        } catch {
            keepsAlive = false
            let headers = error.status == 426 ? [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")] : []
            var answer = error.response
            answer.headers += headers
            return respond(answer)
        }
        let exchange = exchange
        task = Task.detached { [mailbox = loop.mailbox] in
            if let refusal = await route.admit(request) {
                mailbox.post(.respond(exchange, refusal))
            } else {
                mailbox.post(.upgrade(exchange))
            }
        }
    }

    /// Hands the connection over to the library's WebSocket server.
    func upgrade() {
        guard phase == .handling, let opening else { return }
        guard !loop.isStopping else { return respond(.status(503)) }
        let copy = Posix.duplicate(descriptor)
        guard copy >= 0 else { return respond(.status(503)) }
        let session = WebSocketSession(id: loop.nextID(), loop: loop, opening: opening)
        loop.register(session)
        let rest = assembler.takeRest()
        kill()
        session.adopt(copy, rest: rest)
    }
}
