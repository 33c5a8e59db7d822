/// Why there is no answer, or no whole one; an answer of whatever status is none of these.
///
/// Texts name at most a host and a port or a socket's path: never a query, a header or a body.
package enum WebClientError: Error, Sendable, Equatable {
    /// Which limit was reached.
    package enum Limit: Sendable, Equatable {
        /// `WebLimits.connect`.
        case connect
        /// `WebLimits.idle`.
        case idle
        /// `WebLimits.total`.
        case total
    }

    /// The request can't be sent as it is; nothing was sent.
    case invalidRequest(String)
    /// The host is not known, or nobody listens there.
    case cannotConnect(String)
    /// The server's certificate is not to be trusted, or there is no common TLS.
    case tlsFailed(String)
    /// It took too long.
    case timedOut(Limit)
    /// The connection broke before the answer was complete.
    case connectionLost(String)
    /// The body is longer than allowed.
    case bodyTooLarge(limit: Int)
    /// What came is not HTTP, or breaks its rules.
    case malformedAnswer(String)
    /// A redirection leads somewhere a client should not go.
    case redirectRefused(String)

    /// Whether the same request may well succeed later.
    package var isTransient: Bool {
        switch self {
        case .cannotConnect, .timedOut, .connectionLost: true
        case .invalidRequest, .tlsFailed, .bodyTooLarge, .malformedAnswer, .redirectRefused: false
        }
    }
}

extension WebClientError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .invalidRequest(let reason): "the request can't be sent: \(reason)"
        case .cannotConnect(let reason): "no connection: \(reason)"
        case .tlsFailed(let reason): "no trusted connection: \(reason)"
        case .timedOut(.connect): "no connection in time"
        case .timedOut(.idle): "the server went silent"
        case .timedOut(.total): "the answer took too long"
        case .connectionLost(let reason): "the connection broke: \(reason)"
        case .bodyTooLarge(let limit): "the answer is longer than \(limit) bytes"
        case .malformedAnswer(let reason): "the answer is not to be understood: \(reason)"
        case .redirectRefused(let reason): "a redirection was not followed: \(reason)"
        }
    }
}
