/// How long and how large an exchange may be.
package struct WebLimits: Sendable, Equatable {
    /// The longest wait for a connection, from the name's look-up to the end of the TLS handshake.
    package var connect: Duration
    /// The longest time in which nothing moves in either direction; nil for no limit.
    ///
    /// Time during which the reader of a stream does not take what is there does not count.
    package var idle: Duration?
    /// The longest time for the whole exchange, redirections included; nil for no limit.
    package var total: Duration?
    /// The longest body of an answer, after decompression; nil for no limit.
    package var bodyBytes: Int?

    /// Makes limits; those for an answer that is wanted whole.
    package init(
        connect: Duration = .seconds(10), idle: Duration? = .seconds(30), total: Duration? = .seconds(60),
        bodyBytes: Int? = 8 << 20
    ) {
        self.connect = connect
        self.idle = idle
        self.total = total
        self.bodyBytes = bodyBytes
    }

    /// Limits for an answer without an end: only the connection and silence are limited.
    package static func endless(idle: Duration?) -> WebLimits {
        WebLimits(idle: idle, total: nil, bodyBytes: nil)
    }
}
