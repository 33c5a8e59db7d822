/// Where the server listens, and its limits.
package struct WebServerConfiguration: Sendable {
    /// The address or name to listen on, or nil for no TCP listener.
    package var host: String?
    /// The TCP port; 0 takes any free one.
    package var port: Int
    /// Where to make a unix socket (mode 0660), or nil for none.
    package var unixSocketPath: String?
    /// Where to listen for TLS, or nil for no such listener.
    package var tls: TLSConfiguration?
    /// The longest request body; a longer one is answered with 413.
    package var maximumBodyBytes = 1 << 20
    /// The longest request line and header fields together; longer ones are answered with 431 (414 if it is the line).
    package var maximumHeaderBytes = 16 << 10
    /// How long a client may take to send one whole request; then it gets 408.
    package var requestTimeout = Duration.seconds(10)
    /// How long a connection may wait for its next request.
    package var idleTimeout = Duration.seconds(60)
    /// How long a handler may take; then the client gets 503 and the handler's task is cancelled.
    package var handlerTimeout = Duration.seconds(30)
    /// How long a client may take nothing of what is ready for it.
    package var writeTimeout = Duration.seconds(30)
    /// The time between heartbeat comments on a quiet event stream.
    package var heartbeatInterval = Duration.seconds(15)
    /// How much of an event stream may wait for a client; one that falls further behind is disconnected.
    package var maximumBufferedEventBytes = 1 << 20
    /// How much of all event streams together may wait; with many clients each has its share of it, and no more.
    package var maximumBufferedEventBytesInAll = 32 << 20
    /// How many event streams may be open at once; a further one gets 503.
    ///
    /// Below `maximumConnections`, so that other requests are answered whatever the number of streams.
    package var maximumEventStreams = 256
    /// How many event streams one address may have open; a further one gets 503.
    package var maximumEventStreamsPerAddress = 128
    /// The longest WebSocket message; a longer one closes the connection with 1009.
    package var maximumMessageBytes = 1 << 20
    /// How many WebSocket messages may wait for their handler; one more closes the connection with 1008.
    package var maximumWaitingMessages = 256
    /// The quiet time after which a WebSocket peer is pinged; it is dropped if it does not answer for half as long.
    package var webSocketPingInterval = Duration.seconds(60)
    /// How many connections may be open at once.
    ///
    /// One more takes the place of the one that has waited longest for its next request; where none waits, it gets 503.
    package var maximumConnections = 512
    /// How long a connection has to have waited for its next request before it makes room for another.
    package var idleBeforeEviction = Duration.seconds(1)
    /// Receives errors of the server and its library, one line each; called on the service thread, so be quick.
    package var log: @Sendable (String) -> Void = { _ in }

    /// Makes a configuration with the usual limits.
    package init(host: String? = "127.0.0.1", port: Int = 0, unixSocketPath: String? = nil) {
        self.host = host
        self.port = port
        self.unixSocketPath = unixSocketPath
    }
}
