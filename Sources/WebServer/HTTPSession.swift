import CWebSockets

/// One HTTP/1.1 connection: reads requests, runs the handler, writes answers.
///
/// Lives on the service thread.
final class HTTPSession: Session {
    /// What the connection is doing.
    enum Phase: Equatable {
        /// Waiting for a request or reading it.
        case reading
        /// A handler is at work.
        case handling
        /// A streamed body is being sent.
        case streaming
        /// An event stream is being sent.
        case events
        /// The answer is complete and is being taken by the client.
        case finishing
        /// The answer was sent and the connection is over; what still comes is thrown away, because closing with
        /// unread bytes would make the system drop the answer on the client's side.
        case draining
    }

    /// Counts requests.
    private(set) var serial: UInt = 0
    var phase = Phase.reading {
        didSet {
            if phase == .events, oldValue != .events { loop.streams.add(remoteAddress) }
            if phase != .events, oldValue == .events { loop.streams.remove(remoteAddress) }
        }
    }
    /// Since when the connection has nothing to do, in the loop's microseconds.
    private(set) var waitsSince: Int64
    var outbound = OutboundBuffer()
    /// The request being answered.
    var head: RequestHead?
    /// The handler, or the task that feeds a body.
    var task: Task<Void, Never>?
    var keepsAlive = false
    var isChunked = false
    /// Whoever waits for room before the next piece.
    var waiters: [CheckedContinuation<Bool, Never>] = []
    /// An accepted WebSocket opening.
    var opening: WebSocketOpening?
    var phaseDeadline = Int64.max
    var writeDeadline = Int64.max

    let descriptor: Int32
    private let transport: Transport
    let remoteAddress: String?
    var assembler: RequestAssembler
    /// Whether the client sends no more.
    private(set) var inputEnded = false
    private var isPaused = false

    private static let pipelineBytes = 64 << 10
    private static let drainTime: Int64 = 2_000_000

    init(id: UInt, loop: EventLoop, descriptor: Int32, over transport: Transport) {
        self.descriptor = descriptor
        self.transport = transport
        switch transport {
        case .tcp:
            remoteAddress = SocketOptions.peerAddress(descriptor)
            SocketOptions.sendSmallPieces(descriptor)
        case .unixSocket: remoteAddress = nil
        case .encrypted(let address): remoteAddress = address
        }
        assembler = RequestAssembler(
            maximumHeaderBytes: loop.configuration.maximumHeaderBytes,
            maximumBodyBytes: loop.configuration.maximumBodyBytes)
        waitsSince = loop.now
        super.init(id: id, loop: loop)
        setDeadline(loop.configuration.requestTimeout)
    }

    override var deadline: Int64 { min(phaseDeadline, writeDeadline) }

    /// Whether the connection is one too many and only stays until the client has read so.
    private(set) var isTurnedAway = false
    override var isConnection: Bool { !isTurnedAway }

    /// Answers 503 without waiting for a request.
    func turnAway(_ reason: String) {
        isTurnedAway = true
        refuse(RequestRefusal(503, reason))
    }

    /// Whether the last answer was sent and nothing of a next request has come yet.
    var isWaiting: Bool {
        guard outbound.count == 0, !isDoomed, !isTurnedAway else { return false }
        return phase == .draining || phase == .reading && assembler.isIdle
    }

    /// The request in hand.
    var exchange: ExchangeID { ExchangeID(session: id, serial: serial) }

    // MARK: Input

    override func readable() {
        switch Posix.receive(descriptor, &loop.scratch) {
        case .bytes(let bytes): take(bytes)
        case .nothing: break
        case .end: endOfInput()
        case .failed: kill()
        }
    }

    private func take(_ bytes: ArraySlice<UInt8>) {
        guard phase != .draining else { return }
        let wasIdle = assembler.isIdle
        assembler.append(bytes)
        guard phase == .reading else {
            if assembler.bufferedBytes > Self.pipelineBytes { pause(true) }
            return
        }
        if wasIdle { setDeadline(loop.configuration.requestTimeout) }
        advance()
    }

    /// The client sends no more.
    ///
    /// While a handler runs it may still wait for the answer (a half-closed connection); an event stream's client that
    /// has gone looks just like that, and is gone.
    private func endOfInput() {
        inputEnded = true
        switch phase {
        case .reading where outbound.count > 0, .handling, .streaming, .finishing: pause(true)
        case .reading, .events, .draining: kill()
        }
        keepsAlive = false
    }

    private func pause(_ pauses: Bool) {
        guard pauses != isPaused, let handle else { return }
        isPaused = pauses
        lws_rx_flow_control(handle, pauses ? 0 : 1)
    }

    private func advance() {
        while phase == .reading, !isDoomed {
            switch assembler.next() {
            case .incomplete: return
            case .sendContinue:
                outbound.append(ResponseEncoder.goAhead)
                flush()
            case .refused(let refusal): refuse(refusal)
            case .request(let head, let body): begin(head, body)
            }
        }
    }

    // MARK: Requests

    private func begin(_ head: RequestHead, _ body: [UInt8]) {
        serial += 1
        self.head = head
        keepsAlive = head.keepsAlive && !inputEnded
        phase = .handling
        setDeadline(loop.configuration.handlerTimeout)
        let request = HTTPRequest(
            method: head.method, path: head.path, rawPath: head.rawPath, query: head.query, headers: head.headers,
            body: body, remoteAddress: remoteAddress, isUnixSocket: transport.isUnixSocket,
            isEncrypted: transport.isEncrypted)
        if head.asksForWebSocket, let route = WebSocketOpening.route(for: head.path, in: loop.routes) {
            beginOpening(request, route)
        } else {
            run(request)
        }
    }

    private func run(_ request: HTTPRequest) {
        let exchange = exchange
        task = loop.handler.begin(request) { [mailbox = loop.mailbox] in mailbox.post(.respond(exchange, $0)) }
    }

    /// Answers a request that cannot be understood, after which nothing else can be either.
    func refuse(_ refusal: RequestRefusal) {
        serial += 1
        head = nil
        keepsAlive = false
        phase = .handling
        respond(refusal.response)
    }

    // MARK: Output

    /// Sends what waits, as far as the client takes it now.
    func flush() {
        switch outbound.send(to: descriptor) {
        case .empty:
            writeDeadline = .max
            drained()
        case .waiting(let didSend):
            if didSend || writeDeadline == .max {
                writeDeadline = loop.now + loop.configuration.writeTimeout.microseconds
                loop.note(deadline: writeDeadline)
            }
            loop.wantsToWrite(self)
        case .failed: kill()
        }
    }

    override func writable() { flush() }

    private func drained() {
        releaseWaiters(true)
        guard phase == .finishing else { return }
        guard keepsAlive, !loop.isStopping else { return drainAndClose() }
        phase = .reading
        waitsSince = loop.now
        head = nil
        task = nil
        setDeadline(assembler.isIdle ? loop.configuration.idleTimeout : loop.configuration.requestTimeout)
        pause(false)
        advance()
    }

    private func drainAndClose() {
        guard !inputEnded else { return kill() }
        phase = .draining
        waitsSince = loop.now
        task = nil
        phaseDeadline = loop.now + Self.drainTime
        loop.note(deadline: phaseDeadline)
        pause(false)
        Posix.finishSending(descriptor)
    }

    /// Tells those who wait for room whether to go on.
    func releaseWaiters(_ goesOn: Bool) {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume(returning: goesOn) }
    }

    // MARK: Time and end

    /// Starts the clock of the current phase.
    func setDeadline(_ duration: Duration) {
        phaseDeadline = loop.now + duration.microseconds
        loop.note(deadline: phaseDeadline)
    }

    override func tick(now: Int64) {
        guard now < writeDeadline else { return kill() }
        guard now >= phaseDeadline else { return }
        switch phase {
        case .reading where assembler.isIdle, .draining: kill()
        case .reading:
            let limit = loop.configuration.requestTimeout
            refuse(RequestRefusal(408, "the request was not whole within \(limit.inWords); send it at once"))
        case .handling:
            task?.cancel()
            keepsAlive = false
            let limit = loop.configuration.handlerTimeout
            respond(
                RequestRefusal(503, "the answer took longer than \(limit.inWords); try again, or ask for less").response
            )
        case .events: sendHeartbeat()
        case .streaming, .finishing: phaseDeadline = .max
        }
    }

    override func wind() {
        switch phase {
        case .reading where assembler.isIdle && outbound.count == 0: kill()
        case .events: endBody()
        default: keepsAlive = false
        }
    }

    override func closed() {
        if phase == .events { phase = .finishing }
        task?.cancel()
        task = nil
        releaseWaiters(false)
        outbound.removeAll()
        opening = nil
    }
}
