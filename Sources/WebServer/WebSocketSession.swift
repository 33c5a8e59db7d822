import CWebSockets

/// One WebSocket connection, spoken by the library.
///
/// Lives on the service thread.
final class WebSocketSession: Session {
    private let opening: WebSocketOpening
    private let incoming: AsyncStream<WebSocketMessage>.Continuation
    private let connection: WebSocketConnection
    private var task: Task<Void, Never>?
    private var message: [UInt8] = []
    private var outgoing: [(WebSocketMessage, CheckedContinuation<Bool, Never>)] = []
    private var closeCode: UInt16?
    private var isEstablished = false
    private var timeLimit: Int64

    init(id: UInt, loop: EventLoop, opening: WebSocketOpening) {
        self.opening = opening
        let limit = loop.configuration.maximumWaitingMessages
        let (messages, incoming) = AsyncStream<WebSocketMessage>.makeStream(bufferingPolicy: .bufferingOldest(limit))
        self.incoming = incoming
        connection = WebSocketConnection(
            request: opening.request, subprotocol: opening.subprotocol, messages: messages, session: id,
            mailbox: loop.mailbox)
        timeLimit = loop.now + loop.configuration.requestTimeout.microseconds
        super.init(id: id, loop: loop)
        loop.note(deadline: timeLimit)
    }

    override var deadline: Int64 { timeLimit }

    /// Gives the socket to the library as if it had read the opening request itself.
    func adopt(_ descriptor: Int32, rest: [UInt8]) {
        guard let context = loop.context, let host = lws_get_vhost_by_name(context, "default") else {
            Posix.close(descriptor)
            return loop.forget(self)
        }
        let bytes = opening.handshake(session: id) + rest
        let adopted = bytes.withUnsafeBytes { buffer in
            lws_adopt_socket_vhost_readbuf(
                host, descriptor, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        if adopted == nil { loop.forget(self) }
    }

    /// Finds the session that a handshake belongs to, by the number in its path; a negative result refuses it.
    static func bind(_ handle: OpaquePointer, _ loop: EventLoop) -> Int32 {
        var path = [CChar](repeating: 0, count: 32)
        let length = lws_hdr_copy(handle, &path, Int32(path.count), WSI_TOKEN_GET_URI)
        guard length > 1 else { return -1 }
        let digits = path[1..<Int(length)].map { UInt8(bitPattern: $0) }
        guard let id = UInt(String(decoding: digits, as: UTF8.self)),
            let session = loop.session(id, as: WebSocketSession.self), session.handle == nil
        else { return -1 }
        session.handle = handle
        lws_set_opaque_user_data(handle, UnsafeMutableRawPointer(bitPattern: id))
        return 0
    }

    /// The handshake is done: the handler starts.
    func established() {
        isEstablished = true
        timeLimit = .max
        let (connection, handler, mailbox, id) = (connection, opening.route.handler, loop.mailbox, id)
        task = Task.detached {
            await handler(connection)
            mailbox.post(.closeWebSocket(session: id, code: 1000))
        }
        if loop.isStopping { close(1001) }
    }

    // MARK: Messages

    /// A part of a message came.
    func received(_ part: UnsafeRawBufferPointer) {
        guard let handle, closeCode == nil else { return }
        if lws_is_first_fragment(handle) != 0 { message.removeAll(keepingCapacity: true) }
        guard message.count + part.count <= loop.configuration.maximumMessageBytes else { return close(1009) }
        message += part
        guard lws_is_final_fragment(handle) != 0, lws_remaining_packet_payload(handle) == 0 else { return }
        let whole: WebSocketMessage =
            lws_frame_is_binary(handle) != 0 ? .binary(message) : .text(String(decoding: message, as: UTF8.self))
        message = []
        if case .dropped = incoming.yield(whole) { close(1008) }
    }

    /// Puts a message in the queue; `done` is resumed once it was written.
    func send(_ message: WebSocketMessage, done: CheckedContinuation<Bool, Never>) {
        guard closeCode == nil, !isDoomed else { return done.resume(returning: false) }
        outgoing.append((message, done))
        if timeLimit == .max { startClock(loop.configuration.writeTimeout) }
        askToWrite()
    }

    override func writable() {
        guard let handle else { return }
        guard !outgoing.isEmpty else {
            if let closeCode { finish(handle, closeCode) }
            return
        }
        let (message, done) = outgoing.removeFirst()
        let isWritten = write(message, handle)
        done.resume(returning: isWritten)
        guard isWritten else { return kill() }
        timeLimit = .max
        guard !outgoing.isEmpty || closeCode != nil else { return }
        startClock(loop.configuration.writeTimeout)
        askToWrite()
    }

    private func write(_ message: WebSocketMessage, _ handle: OpaquePointer) -> Bool {
        let (bytes, kind) =
            switch message {
            case .text(let text): (Array(text.utf8), LWS_WRITE_TEXT)
            case .binary(let bytes): (bytes, LWS_WRITE_BINARY)
            }
        let room = offpeak_lws_pre()
        var frame = [UInt8](repeating: 0, count: room)
        frame += bytes
        let written = frame.withUnsafeMutableBufferPointer { buffer -> Int32 in
            guard let base = buffer.baseAddress else { return -1 }
            return lws_write(handle, base + room, bytes.count, kind)
        }
        return written >= Int32(clamping: bytes.count)
    }

    // MARK: End

    /// Starts the closing handshake once the waiting messages are written.
    func close(_ code: UInt16) {
        guard closeCode == nil else { return }
        closeCode = (1000...4999).contains(code) ? code : 1000
        incoming.finish()
        if timeLimit == .max { startClock(loop.configuration.writeTimeout) }
        askToWrite()
    }

    // The library sends the close frame when the callback asks to close, and waits for the peer's.
    private func finish(_ handle: OpaquePointer, _ code: UInt16) {
        lws_close_reason(handle, lws_close_status(UInt32(code)), nil, 0)
        kill()
    }

    private func askToWrite() {
        guard isEstablished else { return }
        loop.wantsToWrite(self)
    }

    private func startClock(_ duration: Duration) {
        timeLimit = loop.now + duration.microseconds
        loop.note(deadline: timeLimit)
    }

    override func tick(now: Int64) {
        timeLimit = .max
        if handle == nil { loop.forget(self) } else { kill() }
    }

    override func wind() { close(1001) }

    override func closed() {
        incoming.finish()
        task?.cancel()
        task = nil
        let waiting = outgoing
        outgoing = []
        for (_, done) in waiting { done.resume(returning: false) }
    }
}
