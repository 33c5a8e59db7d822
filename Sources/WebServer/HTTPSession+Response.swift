/// Answers: whole bodies, streamed ones, and event streams.
extension HTTPSession {
    private static let streamBytes = 256 << 10

    /// Sends a handler's answer, unless it comes too late.
    func respond(_ response: HTTPResponse) {
        guard phase == .handling else { return }
        opening = nil
        if loop.isStopping { keepsAlive = false }
        switch response.body {
        case .bytes(let bytes): respond(response, bytes)
        case .stream(let pieces): beginStream(response, .streaming) { Self.feed(pieces, $0, $1) }
        case .events(let events): beginStream(response, .events) { Self.feed(events, $0, $1) }
        }
    }

    private func respond(_ response: HTTPResponse, _ bytes: [UInt8]) {
        let status = Self.valid(response.status)
        let framing: ResponseEncoder.Framing = ResponseEncoder.allowsBody(status) ? .length(bytes.count) : .none
        sendHead(status, response.headers, framing)
        if ResponseEncoder.allowsBody(status), head?.method != "HEAD" { outbound.append(bytes) }
        finish()
    }

    private func beginStream(
        _ response: HTTPResponse, _ phase: Phase, _ feed: (Mailbox, ExchangeID) -> Task<Void, Never>
    ) {
        let status = Self.valid(response.status)
        guard ResponseEncoder.allowsBody(status) else { return respond(HTTPResponse(status: status), []) }
        if phase == .events, head?.method != "HEAD",
            let refusal = loop.streams.refusal(for: remoteAddress, loop.configuration)
        {
            // The connection is given back, too: many who wait for a stream must not take all of them.
            keepsAlive = false
            return respond(refusal.response)
        }
        isChunked = head?.minorVersion != 0
        if !isChunked { keepsAlive = false }
        sendHead(status, response.headers, isChunked ? .chunked : .untilClose)
        guard head?.method != "HEAD" else { return finish() }
        // As in `endOfInput`: an event stream needs a client that is there.
        guard phase != .events || !inputEnded else { return kill() }
        self.phase = phase
        phaseDeadline = .max
        if phase == .events { setDeadline(loop.configuration.heartbeatInterval) }
        task = feed(loop.mailbox, exchange)
        flush()
        if phase == .events, loop.isStopping { endBody() }
    }

    private func sendHead(_ status: Int, _ headers: [(String, String)], _ framing: ResponseEncoder.Framing) {
        outbound.append(
            ResponseEncoder.head(status: status, headers: headers, framing: framing, keepsAlive: keepsAlive))
    }

    private func finish() {
        phase = .finishing
        phaseDeadline = .max
        flush()
    }

    // A handler's slip must not break the protocol: 1xx would leave the client waiting, others do not parse.
    private static func valid(_ status: Int) -> Int {
        (200...599).contains(status) ? status : 500
    }

    // MARK: Streams

    /// Sends a piece of a streamed body; `more` is resumed when there is room for the next.
    func send(_ piece: [UInt8], more: CheckedContinuation<Bool, Never>) {
        guard phase == .streaming else { return more.resume(returning: false) }
        append(piece)
        waiters.append(more)
        flush()
        if outbound.count < Self.streamBytes { releaseWaiters(true) }
    }

    /// Sends an event.
    ///
    /// A client too far behind is disconnected.
    func send(event: [UInt8]) {
        guard phase == .events else { return }
        guard outbound.count + event.count <= loop.streams.share(loop.configuration) else { return kill() }
        append(event)
        setDeadline(loop.configuration.heartbeatInterval)
        flush()
    }

    /// Sends a comment on a quiet event stream, which also finds out whether the client is still there.
    func sendHeartbeat() {
        if outbound.count == 0 { append(ServerSentEvent.heartbeat) }
        setDeadline(loop.configuration.heartbeatInterval)
        flush()
    }

    /// Completes a streamed body.
    func endBody() {
        guard phase == .streaming || phase == .events else { return }
        task?.cancel()
        if isChunked { outbound.append(ResponseEncoder.lastChunk) }
        finish()
    }

    private func append(_ piece: [UInt8]) {
        guard !piece.isEmpty else { return }
        outbound.append(isChunked ? ResponseEncoder.chunk(piece) : piece)
    }

    private static func feed(
        _ pieces: AsyncStream<[UInt8]>, _ mailbox: Mailbox, _ exchange: ExchangeID
    ) -> Task<Void, Never> {
        Task.detached {
            for await piece in pieces {
                let goesOn = await withCheckedContinuation { mailbox.post(.piece(exchange, piece, more: $0)) }
                guard goesOn else { return }
            }
            mailbox.post(.bodyEnded(exchange))
        }
    }

    private static func feed(
        _ events: AsyncStream<ServerSentEvent>, _ mailbox: Mailbox, _ exchange: ExchangeID
    ) -> Task<Void, Never> {
        Task.detached {
            for await event in events { mailbox.post(.event(exchange, event.encoded)) }
            mailbox.post(.bodyEnded(exchange))
        }
    }
}
