import CModbus
import Dispatch
import Foundation
import ThreadKit

/// The thread of a `ModbusServer`, and the way to tell it what to do.
final class ServerThread: Sendable {
    /// What the thread can be told between two requests.
    enum Command: Sendable {
        case closeClients, stopListening, listen, stop
    }

    private let inbox: CommandInbox

    /// Starts the thread; it owns the listening socket from then on.
    init(listener: Int32, host: String, port: UInt16, state: ServerState) throws(ModbusServer.StartFailure) {
        let inbox = try CommandInbox()
        self.inbox = inbox
        let thread = Thread { @Sendable in
            inbox.enter()
            if let loop = ServerLoop(listener: listener, host: host, port: port, state: state, inbox: inbox) {
                loop.run()
            }
            inbox.leave()
        }
        thread.name = "modbus-server"
        thread.stackSize = 512 * 1024
        thread.start()
    }

    /// Has a command carried out, and waits for that unless the caller is the server's own thread.
    func perform(_ command: Command) {
        inbox.post(command)
    }

    /// Ends the thread and waits for its end.
    func stop() {
        inbox.post(.stop)
    }
}

/// Commands on their way to the server's thread, with a descriptor that wakes it from `poll`.
final class CommandInbox: Sendable {
    /// Readable while a command waits.
    let descriptor: Int32
    private let state = Locked(State())

    private struct State: Sendable {
        var waiting: [(command: ServerThread.Command, done: DispatchSemaphore)] = []
        var owner: UInt?
        var hasEnded = false
    }

    init() throws(ModbusServer.StartFailure) {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { throw ModbusServer.StartFailure(description: reason(errno)) }
    }

    deinit {
        close(descriptor)
    }

    /// Puts a command in and waits until it is carried out or the thread has ended.
    func post(_ command: ServerThread.Command) {
        let done = DispatchSemaphore(value: 0)
        let mayWait = state.withLock { state in
            guard !state.hasEnded else { return false }
            state.waiting.append((command, done))
            return state.owner != UInt(pthread_self())
        }
        eventfd_write(descriptor, 1)
        if mayWait { done.wait() }
    }

    /// Takes out every command that waits.
    func take() -> [(command: ServerThread.Command, done: DispatchSemaphore)] {
        var count: eventfd_t = 0
        eventfd_read(descriptor, &count)
        return state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// Marks the calling thread as the one that takes the commands out.
    func enter() {
        state.withLock { $0.owner = UInt(pthread_self()) }
    }

    /// Releases everyone who waits; nothing is taken out any more.
    func leave() {
        let left = state.withLock { state in
            state.hasEnded = true
            return state.waiting
        }
        for entry in left { entry.done.signal() }
    }
}
