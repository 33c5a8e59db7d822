/// Why a server could not start.
package enum WebServerError: Error, Equatable, CustomStringConvertible {
    /// Another program listens on this port.
    case portInUse(host: String, port: Int)
    /// The address cannot be listened on.
    case cannotListen(host: String, port: Int, reason: String)
    /// Another program answers on this socket.
    case unixSocketInUse(path: String)
    /// The unix socket cannot be made.
    case cannotMakeUnixSocket(path: String, reason: String)
    /// A certificate or its key can't be used.
    case cannotUseCertificate(path: String, reason: String)
    /// A WebSocket subprotocol's name is not a token of RFC 9110.
    case invalidSubprotocol(String)
    /// `start()` was called a second time; a server runs once.
    case alreadyStarted
    /// libwebsockets refused to start.
    case libraryFailed(String)

    /// What happened and where.
    package var description: String {
        switch self {
        case .portInUse(let host, let port): "port \(port) on \(host) is in use by another program"
        case .cannotListen(let host, let port, let reason): "cannot listen on \(host) port \(port): \(reason)"
        case .unixSocketInUse(let path): "another program answers on \(path)"
        case .cannotMakeUnixSocket(let path, let reason): "cannot make the socket \(path): \(reason)"
        case .cannotUseCertificate(let path, let reason): "the certificate \(path) can't be used: \(reason)"
        case .invalidSubprotocol(let name): "\"\(name)\" is not a valid subprotocol name"
        case .alreadyStarted: "this server was started before"
        case .libraryFailed(let reason): "libwebsockets: \(reason)"
        }
    }
}
