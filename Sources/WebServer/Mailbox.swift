import CWebSockets
import ThreadKit

/// Names one request of one connection, so that an answer that comes late is not taken for another's.
struct ExchangeID: Sendable, Equatable {
    let session: UInt
    let serial: UInt
}

/// What other threads ask of the service thread.
enum Command: Sendable {
    /// The handler's answer.
    case respond(ExchangeID, HTTPResponse)
    /// The opening request of a WebSocket was accepted.
    case upgrade(ExchangeID)
    /// A piece of a streamed body; `more` is resumed with whether the next is wanted.
    case piece(ExchangeID, [UInt8], more: CheckedContinuation<Bool, Never>)
    /// An encoded event of an event stream.
    case event(ExchangeID, [UInt8])
    /// A streamed body is complete.
    case bodyEnded(ExchangeID)
    /// A message to send; `done` is resumed with whether it was.
    case sendMessage(session: UInt, WebSocketMessage, done: CheckedContinuation<Bool, Never>)
    /// A WebSocket is to be closed.
    case closeWebSocket(session: UInt, code: UInt16)
    /// The server is to finish within this time.
    case stop(microseconds: Int64)

    /// Tells whoever waits for this command that it won't be carried out.
    func refuse() {
        switch self {
        case .piece(_, _, let continuation), .sendMessage(_, _, let continuation): continuation.resume(returning: false)
        default: break
        }
    }
}

/// The way into the service thread.
///
/// ## Thread Safety
/// May be used from any thread. libwebsockets allows only `lws_cancel_service` from other threads, and only while the
/// context exists: it is called under the lock that also guards the context's end.
final class Mailbox: Sendable {
    private struct State {
        var commands: [Command] = []
        var contextAddress: UInt?
        var isClosed = false
    }

    private let state = Locked(State())

    /// Puts a command in and wakes the service thread; after the end, the command is refused.
    func post(_ command: Command) {
        let isAccepted = state.withLock { state in
            guard !state.isClosed else { return false }
            state.commands.append(command)
            // Only the first of a batch needs to wake the thread.
            if state.commands.count == 1, let address = state.contextAddress {
                lws_cancel_service(OpaquePointer(bitPattern: address))
            }
            return true
        }
        if !isAccepted { command.refuse() }
    }

    /// Takes everything that waits.
    func take() -> [Command] {
        state.withLock { state in
            guard !state.commands.isEmpty else { return [] }
            let commands = state.commands
            state.commands = []
            return commands
        }
    }

    /// Connects the mailbox with a running context; what waits already wakes it.
    func open(_ context: OpaquePointer) {
        state.withLock { state in
            state.contextAddress = UInt(bitPattern: context)
            if !state.commands.isEmpty { lws_cancel_service(context) }
        }
    }

    /// Ends the mailbox, before the context is destroyed.
    func close() {
        let left = state.withLock { state in
            let left = state.commands
            state = State(isClosed: true)
            return left
        }
        for command in left { command.refuse() }
    }
}
