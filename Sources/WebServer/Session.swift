import CWebSockets

/// One descriptor that the event loop watches.
///
/// Lives on the service thread only.
class Session {
    /// The key in the loop's table, which libwebsockets keeps for us as the connection's opaque value.
    let id: UInt
    /// The loop that owns this session, and outlives it.
    unowned let loop: EventLoop
    /// libwebsockets' handle, while it is alive.
    var handle: OpaquePointer?
    /// Whether the connection is to be closed as soon as libwebsockets allows it.
    private(set) var isDoomed = false

    init(id: UInt, loop: EventLoop) {
        self.id = id
        self.loop = loop
    }

    /// The earliest time (in the loop's microseconds) at which `tick` has something to do; `.max` for none.
    var deadline: Int64 { .max }
    /// Whether it counts as a client's connection.
    var isConnection: Bool { true }

    /// There is something to read.
    func readable() {}
    /// There is room to write.
    func writable() {}
    /// Time has passed.
    func tick(now: Int64) {}
    /// The server is stopping: finish what runs.
    func wind() { kill() }
    /// The handle is gone; let go of everything.
    func closed() {}

    /// Closes the connection at once, or right after the callback that is running for it.
    func kill() {
        guard !isDoomed else { return }
        isDoomed = true
        if let handle, loop.current !== self { offpeak_lws_kill(handle) }
    }
}

/// What a listening socket takes.
enum Listener {
    case tcp
    case unixSocket
    case tls
}

/// The way a connection came.
enum Transport {
    case tcp
    case unixSocket
    /// Over TLS, which another session speaks; the client's address.
    case encrypted(address: String?)

    var isUnixSocket: Bool { if case .unixSocket = self { true } else { false } }
    var isEncrypted: Bool { if case .encrypted = self { true } else { false } }
}

/// A listening socket.
final class ListenerSession: Session {
    private let descriptor: Int32
    private let kind: Listener
    private var resumesAt = Int64.max

    init(id: UInt, loop: EventLoop, descriptor: Int32, kind: Listener) {
        self.descriptor = descriptor
        self.kind = kind
        super.init(id: id, loop: loop)
    }

    override var isConnection: Bool { false }
    override var deadline: Int64 { resumesAt }

    override func readable() {
        for _ in 0..<64 {
            let accepted = Posix.accept(descriptor)
            guard accepted >= 0 else {
                if Posix.isOutOfDescriptors { pause() }
                return
            }
            switch kind {
            case .tcp: loop.adopt(accepted, over: .tcp)
            case .unixSocket: loop.adopt(accepted, over: .unixSocket)
            case .tls: loop.adoptEncrypted(accepted)
            }
        }
    }

    // Out of descriptors, the socket stays readable: without a pause the loop would spin.
    private func pause() {
        loop.report("out of file descriptors; new connections wait")
        if let handle { lws_rx_flow_control(handle, 0) }
        resumesAt = loop.now + 200_000
        loop.note(deadline: resumesAt)
    }

    override func tick(now: Int64) {
        guard now >= resumesAt else { return }
        resumesAt = .max
        if let handle { lws_rx_flow_control(handle, 1) }
    }
}
