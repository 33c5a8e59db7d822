import Foundation
import ThreadKit

/// A client of an MQTT broker that keeps itself connected.
///
/// After `start()` it connects, and connects again whenever the connection breaks, with growing waits, until `close()` or
/// its last reference goes. After each connect it subscribes again to all that someone listens to, and only when the
/// broker has acknowledged that does its state become `.connected`; the owner then publishes its retained topics again,
/// because a broker without persistence has forgotten them.
///
/// ## Thread Safety
/// An actor on a thread of its own, which alone calls libmosquitto.
package actor MQTTClient {
    /// A published message that the broker has not acknowledged.
    struct Pending {
        let message: MQTTMessage
        let order: Int
        let since: ContinuousClock.Instant
        /// Who waits; nil for messages from the buffer.
        let waiter: DeliveryWaiter?
    }

    /// One stream of received messages.
    struct Listener {
        let filter: String
        let qos: MQTTQoS
        let showsRetained: Bool
        let continuation: AsyncStream<MQTTMessage>.Continuation
    }

    /// How far the present session has come.
    enum Phase { case none, connecting, subscribing, ready }

    /// The broker, and how it is spoken to.
    package nonisolated let configuration: MQTTConfiguration
    let log: @Sendable (String) -> Void
    private let polling: Polling
    nonisolated let executor: ThreadExecutor

    var session: Session?
    var phase = Phase.none
    private var versions: ProtocolVersion.Choice
    /// Topics on which the broker did not take a message, of which was told.
    var refusedTopics: Set<String> = []
    private var lines = ConnectionLines()
    /// The broker that was tried last, of several the one that the log speaks of.
    private var place: MQTTPlace
    private var failures = 0
    private var retryAt: ContinuousClock.Instant?
    private var attemptDeadline = ContinuousClock.now
    private var nextKeepAlive = ContinuousClock.now
    private var observers: [Int: AsyncStream<MQTTState>.Continuation] = [:]

    var buffer: OfflineBuffer
    var pending: [Int32: Pending] = [:]
    var queue = PublishQueue()
    /// Slots are being filled: the library may tell during a call that one became free again.
    var isPumping = false
    var listeners: [Int: Listener] = [:]
    var unclaimed = UnclaimedMessages()
    /// The filters whose acknowledgement has not come, and who waits for it.
    var subscribing: [Int32: (filter: String, waiter: CheckedContinuation<Void, any Error>?)] = [:]
    private var lastNumber = 0

    /// How the client stands with its broker.
    package private(set) var state = MQTTState.idle
    /// How many received messages were dropped because a listener was too slow.
    package internal(set) var droppedMessages = 0

    /// How many published messages are not written or acknowledged yet.
    package var messagesUnderWay: Int { pending.count }

    /// How many publishers wait for a free slot.
    package var waitingMessages: Int { queue.count }

    /// The thread of its own.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes a client; nothing happens before `start()`.
    /// - Parameters:
    ///   - configuration: the broker.
    ///   - log: gets one line for every change of state, without secrets.
    /// - Throws: `POSIXError` when the process has no descriptor left.
    package init(_ configuration: MQTTConfiguration, log: @escaping @Sendable (String) -> Void = { _ in }) throws {
        var configuration = configuration
        // One name for all its connections: the broker then drops an old one when a new one comes, before what the old
        // one still had on its way can overtake what the new one says.
        configuration.clientID = configuration.clientID ?? Self.randomID()
        self.configuration = configuration
        place = configuration.places[0]
        self.log = log
        polling = try Polling()
        executor = ThreadExecutor(name: "mqtt", idling: polling)
        buffer = OfflineBuffer(limit: configuration.maximumBufferedTopics)
        versions = ProtocolVersion.Choice(isCleanSession: configuration.isCleanSession)
    }

    /// Of the length that every broker has to take (MQTT 3.1.1, 3.1.3.1: 23 letters and digits).
    private static func randomID() -> String {
        let letters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        return "offpeak" + String((0..<16).map { _ in letters[Int.random(in: letters.indices)] })
    }

    isolated deinit {
        session?.disconnect()
        for listener in listeners.values { listener.continuation.finish() }
        for observer in observers.values { observer.finish() }
        executor.stop()
    }

    /// Begins to connect, and returns at once, also when there is no broker.
    ///
    /// Does nothing a second time.
    package func start() {
        guard state == .idle else { return }
        Self.blockBrokenPipeSignal()
        polling.setTurn { [weak self] ready in
            self?.assumeIsolated { $0.turn(ready) } ?? Polling.Interest()
        }
        connect()
    }

    /// Says good-bye to the broker and ends every stream; whoever waits gets `MQTTError.closed`.
    package func close() {
        guard state != .closed else { return }
        session?.disconnect()
        endSession(.closed)
        polling.setTurn(nil)
        for listener in listeners.values { listener.continuation.finish() }
        listeners = [:]
        become(.closed)
        for observer in observers.values { observer.finish() }
        observers = [:]
    }

    /// The state now and at every change, until `close()`; of many unread changes the last 16.
    package func states() -> AsyncStream<MQTTState> {
        let (stream, continuation) = AsyncStream<MQTTState>.makeStream(bufferingPolicy: .bufferingNewest(16))
        continuation.yield(state)
        guard state != .closed else {
            continuation.finish()
            return stream
        }
        let number = nextNumber()
        observers[number] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.forgetObserver(number) } }
        return stream
    }

    private func forgetObserver(_ number: Int) {
        observers[number] = nil
    }

    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private func become(_ new: MQTTState) {
        guard new != state else { return }
        state = new
        for observer in observers.values { observer.yield(new) }
        if let line = lines.line(for: new, longestWait: configuration.backoff.maximum) {
            say(line)
        }
    }

    /// Writes a line about the broker that is spoken to.
    func say(_ line: String) { log("\(configuration.description(of: place)): \(line)") }

    // MARK: - One turn of the thread

    private func turn(_ ready: Polling.Readiness) -> Polling.Interest {
        // The session may end meanwhile; then it is another one's turn.
        if ready.contains(.reading), let session { session.together { serve(ready) } } else { serve(ready) }
        if let retryAt, retryAt <= .now { connect() }
        if let session {
            return Polling.Interest(
                descriptor: session.socket, wantsWriting: session.wantsWriting, timeout: .seconds(1))
        }
        return Polling.Interest(timeout: retryAt.map { max(.zero, $0 - .now) })
    }

    private func serve(_ ready: Polling.Readiness) {
        guard session != nil else { return }
        do throws(MQTTError) {
            if ready.contains(.writing) { try call { session throws(MQTTError) in try session.write() } }
            if ready.contains(.reading) { try call { session throws(MQTTError) in try session.read() } }
            // During a TLS handshake the library does not report it, and waiting would not wait any more.
            if ready.contains(.failed), let session { throw session.brokenReason }
            if nextKeepAlive <= .now {
                nextKeepAlive = .now + .seconds(1)
                try call { session throws(MQTTError) in try session.keepAlive() }
                try checkDeadlines()
            }
        } catch {
            lose(error)
        }
    }

    /// Calls the library and acts on what it told, also when the call failed.
    private func call(_ body: (Session) throws(MQTTError) -> Void) throws(MQTTError) {
        guard let session else { return }
        let failure: MQTTError?
        do throws(MQTTError) {
            try body(session)
            failure = nil
        } catch {
            failure = error
        }
        processEvents()
        // The broker's refusal comes as an event and has ended the session already.
        if let failure, self.session === session { throw failure }
    }

    private func checkDeadlines() throws(MQTTError) {
        if phase != .ready, attemptDeadline <= .now { throw .connectionLost("no answer from the broker") }
        let oldest = pending.values.min { $0.since < $1.since }?.since
        if let oldest, oldest + configuration.acknowledgementTimeout <= .now {
            throw .connectionLost("the broker does not acknowledge")
        }
    }

    func processEvents() {
        guard let session else { return }
        for event in session.takeEvents() {
            switch event {
            case .connected(code: 0): subscribeAgain()
            case .connected(let code) where session.version == .five && ProtocolVersion.isUnknown(code):
                connectInVersionThree()
            case .connected(let code):
                let refusal = ProtocolVersion.refusal(code)
                lose(.refused(code: refusal.code, text: refusal.text))
            case .published(let id, let reason): finish(id, reason: reason)
            case .subscribed(let id, let granted): acknowledge(id, granted: granted)
            case .message(let message): deliver(message)
            }
        }
        // Only now: between two messages there is no time for a listener's thread to fall asleep.
        pump()
    }

    // MARK: - Connecting

    private func connect() {
        retryAt = nil
        become(.connecting)
        attemptDeadline = .now + configuration.connectTimeout
        nextKeepAlive = .now + .seconds(1)
        do throws(MQTTError) {
            let session = try Session(configuration, version: versions.next)
            self.session = session
            phase = .connecting
            // The next address of a name is taken when every broker was tried.
            let places = configuration.places
            place = places[failures % places.count]
            try session.connect(to: place, attempt: failures / places.count)
        } catch {
            lose(error)
        }
    }

    /// The broker does not speak version 5: the next turn connects in version 3.1.1, and nobody need know.
    private func connectInVersionThree() {
        versions.noteRefusal()
        endSession(.notConnected)
        retryAt = .now
    }

    /// Every subscription is acknowledged.
    func becomeReady() {
        phase = .ready
        failures = 0
        become(.connected)
        pump()
    }

    func lose(_ error: MQTTError) {
        guard state != .closed else { return }
        if let session {
            versions.noteEnd(
                of: session.version, withoutAnswer: phase == .connecting && session.wasClosedByBroker)
        }
        endSession(error)
        failures += 1
        let wait = configuration.backoff.wait(afterFailures: failures)
        retryAt = .now + wait
        become(.disconnected(error, retryAfter: wait))
    }

    private func endSession(_ error: MQTTError) {
        session = nil
        phase = .none
        abandonPending(error)
        let waiting = subscribing.values
        subscribing = [:]
        for entry in waiting {
            // The listener stays, and is subscribed at the next connect.
            if error == .closed { entry.waiter?.resume(throwing: error) } else { entry.waiter?.resume() }
        }
    }

    /// OpenSSL writes without the flag that suppresses the signal; only this thread is to ignore it.
    private static func blockBrokenPipeSignal() {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }
}
