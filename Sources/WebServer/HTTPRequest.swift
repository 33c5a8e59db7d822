/// A complete request, ready for a handler.
package struct HTTPRequest: Sendable {
    /// One name and value of the query.
    package struct QueryItem: Sendable, Equatable {
        /// The decoded name.
        package let name: String
        /// The decoded value; empty if there was no `=`.
        package let value: String
    }

    /// The method as sent, such as `GET`.
    package var method: String
    /// The path with percent-encoding decoded, and nothing else changed: `..` and `//` are as the client sent them.
    package var path: String
    /// The path as sent, still percent-encoded, without the query.
    package var rawPath: String
    /// The query's items in order.
    package var query: [QueryItem]
    /// The header fields.
    package var headers: HTTPHeaders
    /// The body; empty if there was none.
    package var body: [UInt8]
    /// The peer's numeric address, or nil on a unix socket.
    package var remoteAddress: String?
    /// Whether the request came in on the unix socket.
    package var isUnixSocket: Bool
    /// Whether the request came in over TLS.
    package var isEncrypted: Bool

    /// Makes a request, mainly for tests of handlers.
    package init(
        method: String, path: String, rawPath: String? = nil, query: [QueryItem] = [],
        headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = [], remoteAddress: String? = nil,
        isUnixSocket: Bool = false, isEncrypted: Bool = false
    ) {
        self.method = method
        self.path = path
        self.rawPath = rawPath ?? path
        self.query = query
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
        self.isUnixSocket = isUnixSocket
        self.isEncrypted = isEncrypted
    }

    /// The path's parts between slashes, each decoded on its own, so that an encoded slash stays inside its part.
    ///
    /// Empty parts are left out.
    package var pathSegments: [String] {
        rawPath.split(separator: "/").map { PercentEncoding.decode($0.utf8) ?? String($0) }
    }

    /// The value of the first query item with this name.
    package func query(_ name: String) -> String? {
        query.first { $0.name == name }?.value
    }
}
