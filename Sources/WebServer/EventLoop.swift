import CWebSockets

/// The service thread's state: the library's context, the table of sessions, and the loop itself.
///
/// libwebsockets waits for descriptors, keeps time and speaks WebSocket; HTTP/1.1 is read by `RequestAssembler`,
/// because the library's own HTTP server (4.1) does not tell the path as it was sent, nor headers it doesn't know,
/// and takes no chunked bodies.
///
/// ## Thread Safety
/// Everything here, and every `Session`, is used by the service thread only. Others post to the `Mailbox`.
final class EventLoop {
    let configuration: WebServerConfiguration
    let handler: RequestHandler
    let routes: [WebSocketRoute]
    let mailbox: Mailbox
    /// The session whose callback is running.
    private(set) var current: Session?
    /// Whether the server has begun to stop.
    private(set) var isStopping = false
    /// Bytes read last, shared by all sessions because only one reads at a time.
    var scratch = [UInt8](repeating: 0, count: 64 << 10)

    let memory: LibraryMemory
    private(set) var context: OpaquePointer?
    private var sessions: [UInt: Session] = [:]
    private var lastID: UInt = 0
    private var writers: Set<UInt> = []
    private var nextTick = Int64.max
    private var stopsAt = Int64.max
    private var ownsUnixSocket = false
    /// What speaks TLS, where the server does.
    let encryption: Encryption?
    /// The event streams that are open.
    var streams = EventStreamCount()

    init(
        configuration: WebServerConfiguration, routes: [WebSocketRoute], mailbox: Mailbox, handler: RequestHandler
    ) throws(WebServerError) {
        self.configuration = configuration
        self.routes = routes
        self.mailbox = mailbox
        self.handler = handler
        let names = Set(routes.flatMap(\.subprotocols)).sorted()
        let pings = configuration.webSocketPingInterval.components.seconds
        memory = LibraryMemory(subprotocols: names, pingSeconds: UInt16(min(max(1, pings), 30_000)))
        LibraryLog.attach(configuration.log)
        encryption = configuration.tls.map { Encryption($0) }
        // Each has its own, a WebSocket a second one for a moment; over TLS a pair of sockets comes in between.
        let each = configuration.tls == nil ? 2 : 4
        let descriptors = UInt32(clamping: configuration.maximumConnections * each + 32)
        let user = Unmanaged.passUnretained(self).toOpaque()
        context = offpeak_lws_create(memory.protocols, memory.policy, descriptors, user)
        guard context != nil else { throw .libraryFailed("no context could be made") }
    }

    /// The library's monotonic time in microseconds.
    var now: Int64 { lws_now_usecs() }

    /// Tells the log something.
    func report(_ line: String) { configuration.log(line) }

    /// Waits for events and serves them, until a stop is complete; then lets go of everything.
    func run() {
        guard let context else { return }
        mailbox.open(context)
        while !isFinished {
            guard lws_service(context, 0) >= 0 else {
                report("the service loop failed")
                break
            }
            for command in mailbox.take() { perform(command) }
            tick()
            askForWriting()
            wakeInTime()
        }
        tearDown()
    }

    private var isFinished: Bool { isStopping && (sessions.isEmpty || now >= stopsAt) }

    private func tearDown() {
        abandon()
    }

    /// Lets go of everything at once.
    func abandon() {
        mailbox.close()
        removeUnixSocket()
        for session in sessions.values { session.kill() }
        if let timer = memory.timer { lws_sul_cancel(&timer.pointee.entry) }
        lws_context_destroy(context)
        context = nil
        for session in sessions.values { session.closed() }
        sessions = [:]
        LibraryLog.detach()
    }
}

// MARK: - Sessions

extension EventLoop {
    /// The number for the next session.
    func nextID() -> UInt {
        lastID += 1
        return lastID
    }

    /// The session with this number, if it still exists.
    func session<Kind: Session>(_ id: UInt, as kind: Kind.Type) -> Kind? {
        sessions[id] as? Kind
    }

    /// Watches a listening socket, which the loop then owns.
    func listen(_ descriptor: Int32, _ kind: Listener) -> Bool {
        if kind == .unixSocket { ownsUnixSocket = true }
        return watch(ListenerSession(id: nextID(), loop: self, descriptor: descriptor, kind: kind), descriptor)
    }

    /// Takes an accepted connection, or turns it away if there are too many.
    func adopt(_ descriptor: Int32, over transport: Transport) {
        let open = openConnections
        let isRoom = hasRoom
        // A few are taken only to be told so, in a way that the client gets to read.
        let refused = isRoom ? 0 : sessions.values.count { ($0 as? HTTPSession)?.isTurnedAway == true }
        guard refused < Self.connectionsToTurnAway, !isStopping else {
            Posix.turnAway(descriptor)
            return
        }
        let session = HTTPSession(id: nextID(), loop: self, descriptor: descriptor, over: transport)
        guard watch(session, descriptor), !isRoom else { return }
        session.turnAway("\(open) connections are open, as many as are served; try again later")
    }

    private static let connectionsToTurnAway = 32

    private var openConnections: Int { sessions.values.count { $0.isConnection && !$0.isDoomed } }

    /// Whether one more connection can be served; the one that has waited longest may be closed for it.
    var hasRoom: Bool { !isStopping && (openConnections < configuration.maximumConnections || makeRoom()) }

    /// Closes the connection that has waited longest for its next request.
    private func makeRoom() -> Bool {
        let waiting = sessions.values.compactMap { $0 as? HTTPSession }.filter(\.isWaiting)
        guard let longest = waiting.min(by: { $0.waitsSince < $1.waitsSince }),
            now - longest.waitsSince >= configuration.idleBeforeEviction.microseconds
        else { return false }
        longest.kill()
        return true
    }

    /// Puts a session in the table without asking the library to watch it.
    func register(_ session: Session) {
        sessions[session.id] = session
    }

    /// Removes a session, whose handle is gone.
    func forget(_ session: Session) {
        guard sessions.removeValue(forKey: session.id) != nil else { return }
        writers.remove(session.id)
        session.handle = nil
        session.closed()
    }

    private func removeUnixSocket() {
        guard ownsUnixSocket, let path = configuration.unixSocketPath else { return }
        ownsUnixSocket = false
        Posix.remove(path)
    }

    /// Puts a session in the table and lets the library watch its descriptor, which the loop then owns.
    func watch(_ session: Session, _ descriptor: Int32) -> Bool {
        sessions[session.id] = session
        guard let context, let handle = offpeak_lws_watch(context, descriptor, session.id) else {
            report("a connection could not be watched")
            sessions[session.id] = nil
            Posix.close(descriptor)
            return false
        }
        session.handle = handle
        note(deadline: session.deadline)
        return true
    }
}

// MARK: - Time and writing

extension EventLoop {
    /// Asks for `writable` once there is room.
    ///
    /// The library forgets a request made inside that very callback, so they are collected and made between its rounds.
    func wantsToWrite(_ session: Session) { writers.insert(session.id) }

    /// Makes sure that the loop wakes by this time.
    func note(deadline: Int64) { nextTick = min(nextTick, deadline) }

    private func askForWriting() {
        for id in writers {
            if let handle = sessions[id]?.handle { lws_callback_on_writable(handle) }
        }
        writers.removeAll(keepingCapacity: true)
    }

    private func tick() {
        let now = now
        guard now >= nextTick else { return }
        nextTick = stopsAt
        for session in Array(sessions.values) {
            if now >= session.deadline { session.tick(now: now) }
            note(deadline: session.deadline)
        }
    }

    private func wakeInTime() {
        guard nextTick != .max, let context, let timer = memory.timer else { return }
        offpeak_lws_wake_after(context, timer, max(1, nextTick - now))
    }
}

// MARK: - Callbacks and commands

extension EventLoop {
    /// Serves one callback of the library; a negative result closes the connection.
    func handle(
        _ handle: OpaquePointer, _ reason: lws_callback_reasons, _ input: UnsafeMutableRawPointer?, _ length: Int
    ) -> Int32 {
        switch reason {
        case LWS_CALLBACK_RAW_RX_FILE: serve(handle) { $0.readable() }
        case LWS_CALLBACK_RAW_WRITEABLE_FILE, LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_RAW_WRITEABLE:
            serve(handle) { $0.writable() }
        case LWS_CALLBACK_RAW_CLOSE_FILE, LWS_CALLBACK_CLOSED, LWS_CALLBACK_RAW_CLOSE, LWS_CALLBACK_WSI_DESTROY:
            ended(handle)
        case LWS_CALLBACK_RAW_RX:
            serve(handle) { session in
                let bytes = UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length)
                if let session = session as? TLSSession { session.received(bytes) }
            }
        case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: WebSocketSession.bind(handle, self)
        case LWS_CALLBACK_ESTABLISHED: serveWebSocket(handle) { $0.established() }
        case LWS_CALLBACK_RECEIVE:
            serveWebSocket(handle) {
                $0.received(UnsafeRawBufferPointer(start: input, count: input == nil ? 0 : length))
            }
        // Only upgrades are handed to the library; anything else that looks like HTTP to it is a mistake.
        case LWS_CALLBACK_HTTP: -1
        default: 0
        }
    }

    private func serve(_ handle: OpaquePointer, _ body: (Session) -> Void) -> Int32 {
        guard let session = sessions[UInt(bitPattern: lws_get_opaque_user_data(handle))] else { return -1 }
        current = session
        defer { current = nil }
        body(session)
        return session.isDoomed ? -1 : 0
    }

    private func serveWebSocket(_ handle: OpaquePointer, _ body: (WebSocketSession) -> Void) -> Int32 {
        serve(handle) { session in
            if let session = session as? WebSocketSession { body(session) }
        }
    }

    private func ended(_ handle: OpaquePointer) -> Int32 {
        if let session = sessions[UInt(bitPattern: lws_get_opaque_user_data(handle))] { forget(session) }
        return 0
    }

    private func perform(_ command: Command) {
        switch command {
        case .respond(let exchange, let response): http(exchange)?.respond(response)
        case .upgrade(let exchange): http(exchange)?.upgrade()
        case .piece(let exchange, let piece, let more):
            guard let session = http(exchange) else { return more.resume(returning: false) }
            session.send(piece, more: more)
        case .event(let exchange, let event): http(exchange)?.send(event: event)
        case .bodyEnded(let exchange): http(exchange)?.endBody()
        case .sendMessage(let id, let message, let done):
            guard let session = sessions[id] as? WebSocketSession else { return done.resume(returning: false) }
            session.send(message, done: done)
        case .closeWebSocket(let id, let code): (sessions[id] as? WebSocketSession)?.close(code)
        case .stop(let microseconds): stop(within: microseconds)
        }
    }

    private func http(_ exchange: ExchangeID) -> HTTPSession? {
        guard let session = sessions[exchange.session] as? HTTPSession else { return nil }
        return session.serial == exchange.serial ? session : nil
    }

    private func stop(within microseconds: Int64) {
        stopsAt = min(stopsAt, now + max(0, microseconds))
        note(deadline: stopsAt)
        guard !isStopping else { return }
        isStopping = true
        removeUnixSocket()
        for session in Array(sessions.values) { session.wind() }
    }
}
