import CWebSockets

/// One TLS connection: the library encrypts and decrypts, and the HTTP connection inside sees a plain socket.
///
/// So HTTP and WebSockets are spoken by the same code whichever way a client comes. Lives on the service thread.
final class TLSSession: Session {
    private let remoteAddress: String?
    private var inner: InnerSession?
    /// What came and the HTTP connection has not taken yet.
    private var inbound = InboundBuffer()
    /// What the HTTP connection sent and the library has not taken yet.
    private var outbound = InboundBuffer()
    private var isPaused = false
    private var endsOnceSent = false
    private var timeLimit: Int64

    /// How much may wait in either direction before the side that sends has to wait.
    private static let bufferBytes = 256 << 10
    private static let recordBytes = 16 << 10

    init(id: UInt, loop: EventLoop, remoteAddress: String?) {
        self.remoteAddress = remoteAddress
        timeLimit = loop.now + loop.configuration.requestTimeout.microseconds
        super.init(id: id, loop: loop)
        loop.note(deadline: timeLimit)
    }

    /// Counted until the HTTP connection inside is.
    override var isConnection: Bool { inner == nil }
    override var deadline: Int64 { timeLimit }

    // MARK: From the client

    /// Decrypted bytes came.
    func received(_ bytes: UnsafeRawBufferPointer) {
        guard inner != nil || open() else { return kill() }
        inbound.append(bytes)
        pass()
    }

    /// The HTTP connection begins with the first bytes, so that whoever only shakes hands costs none.
    private func open() -> Bool {
        guard let (ours, its) = Posix.pair() else { return false }
        let inner = InnerSession(id: loop.nextID(), loop: loop, outer: self, descriptor: ours)
        self.inner = inner
        timeLimit = .max
        if let handle { offpeak_lws_keep(handle) }
        guard loop.watch(inner, ours) else {
            Posix.close(its)
            return false
        }
        loop.adopt(its, over: .encrypted(address: remoteAddress))
        return true
    }

    /// Gives the HTTP connection what it takes.
    func pass() {
        guard let inner else { return }
        while !inbound.isEmpty {
            let piece = inbound.take(min(inbound.count, Self.recordBytes))
            let sent = inner.send(piece)
            guard sent >= 0 else { return kill() }
            guard sent == piece.count else {
                inbound.putBack(piece.count - sent)
                pause(inbound.count > Self.bufferBytes)
                return loop.wantsToWrite(inner)
            }
        }
        pause(false)
    }

    private func pause(_ pauses: Bool) {
        guard pauses != isPaused, let handle else { return }
        isPaused = pauses
        lws_rx_flow_control(handle, pauses ? 0 : 1)
    }

    // MARK: To the client

    /// The HTTP connection sent something.
    /// - Returns: whether it may go on.
    func send(_ bytes: ArraySlice<UInt8>) -> Bool {
        outbound.append(bytes)
        loop.wantsToWrite(self)
        return outbound.count < Self.bufferBytes
    }

    /// The HTTP connection sends no more.
    func endOfOutput() {
        endsOnceSent = true
        loop.wantsToWrite(self)
    }

    override func writable() {
        guard let handle else { return }
        if !outbound.isEmpty {
            let room = offpeak_lws_pre()
            let piece = outbound.take(min(outbound.count, Self.recordBytes))
            var record = [UInt8](repeating: 0, count: room)
            record += piece
            let written = record.withUnsafeMutableBufferPointer { buffer -> Int32 in
                guard let base = buffer.baseAddress else { return -1 }
                return lws_write(handle, base + room, piece.count, LWS_WRITE_HTTP)
            }
            guard written >= 0 else { return kill() }
            if outbound.count < Self.bufferBytes { inner?.goOn() }
        }
        if !outbound.isEmpty { return loop.wantsToWrite(self) }
        if endsOnceSent { kill() }
    }

    // MARK: End

    override func tick(now: Int64) { kill() }

    override func wind() { if inner == nil { kill() } }

    override func closed() {
        inner?.kill()
        inner = nil
    }
}

/// The end of the socket pair whose other end an HTTP connection over TLS has.
final class InnerSession: Session {
    private let descriptor: Int32
    private weak var outer: TLSSession?
    private var isPaused = false

    init(id: UInt, loop: EventLoop, outer: TLSSession, descriptor: Int32) {
        self.outer = outer
        self.descriptor = descriptor
        super.init(id: id, loop: loop)
    }

    override var isConnection: Bool { false }

    override func readable() {
        guard let outer else { return kill() }
        switch Posix.receive(descriptor, &loop.scratch) {
        case .bytes(let bytes): if !outer.send(bytes) { pause(true) }
        case .nothing: break
        case .end, .failed:
            pause(true)
            outer.endOfOutput()
        }
    }

    override func writable() { outer?.pass() }

    /// Sends what the socket takes.
    /// - Returns: how many bytes; negative where the HTTP connection is gone.
    func send(_ bytes: [UInt8]) -> Int { Posix.send(descriptor, bytes) }

    /// There is room again.
    func goOn() { pause(false) }

    private func pause(_ pauses: Bool) {
        guard pauses != isPaused, let handle else { return }
        isPaused = pauses
        lws_rx_flow_control(handle, pauses ? 0 : 1)
    }

    override func wind() {}

    override func closed() { outer?.kill() }
}
