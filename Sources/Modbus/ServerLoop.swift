import CModbus
import Dispatch
import Glibc

/// The poll loop of a server: confined to the server's thread.
final class ServerLoop {
    private let host: String
    private let port: UInt16
    private let state: ServerState
    private let inbox: CommandInbox
    private let responder: ServerResponder
    private var listener: Int32?
    private var clients: [Int32: Client] = [:]
    private var replies: [PlannedReply] = []
    private var isRunning = true

    /// One connection; its serial number tells it from an earlier one that had the same descriptor.
    private struct Client {
        let serial: Int
        var replyCount = 0
    }

    private struct PlannedReply {
        let due: Deadline
        let socket: Int32
        let serial: Int
        let request: [UInt8]
        let fault: ModbusFault?
    }

    /// Nil when libmodbus finds no memory.
    init?(listener: Int32, host: String, port: UInt16, state: ServerState, inbox: CommandInbox) {
        guard let responder = ServerResponder(state: state) else {
            close(listener)
            return nil
        }
        self.listener = listener
        self.host = host
        self.port = port
        self.state = state
        self.inbox = inbox
        self.responder = responder
    }

    deinit {
        for socket in clients.keys { close(socket) }
        if let listener { close(listener) }
    }

    /// Serves until told to stop.
    func run() {
        while isRunning {
            var entries = [pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)]
            if let listener { entries.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0)) }
            entries += clients.keys.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            let wait = replies.map(\.due).min()?.pollMilliseconds ?? -1
            guard poll(&entries, nfds_t(entries.count), wait) >= 0 || errno == EINTR else { return }
            sendDueReplies()
            for entry in entries where entry.revents != 0 {
                switch entry.fd {
                case inbox.descriptor: carryOutCommands()
                case listener: accept(at: entry.fd)
                default: if clients[entry.fd] != nil { serve(entry.fd) }
                }
            }
        }
    }

    private func carryOutCommands() {
        for (command, done) in inbox.take() {
            switch command {
            case .closeClients: for socket in clients.keys { drop(socket) }
            case .stopListening:
                if let listener { close(listener) }
                listener = nil
            case .listen: if listener == nil { listener = try? Listener.open(host: host, port: port) }
            case .stop:
                isRunning = false
                for socket in clients.keys { drop(socket) }
                if let listener { close(listener) }
                listener = nil
            }
            done.signal()
        }
    }

    private func accept(at listener: Int32) {
        let socket = offpeak_accept(listener, Int32(SOCK_CLOEXEC.rawValue))
        guard socket >= 0 else { return }
        var yes: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        var serial = 0
        state.update { values in
            values.connectionCount += 1
            serial = values.connectionCount
        }
        clients[socket] = Client(serial: serial)
    }

    private func serve(_ socket: Int32) {
        guard let client = clients[socket], let request = responder.receive(from: socket) else { return drop(socket) }
        let (fault, commonDelay) = state.takeFault(for: request[6])
        var delay = commonDelay
        if case .delay(let more) = fault { delay += more }
        guard delay > .zero else { return reply(to: request, fault: fault, socket: socket) }
        let due = Deadline(after: delay)
        replies.append(
            PlannedReply(due: due, socket: socket, serial: client.serial, request: request, fault: fault))
    }

    private func sendDueReplies() {
        guard !replies.isEmpty else { return }
        let due = replies.filter(\.due.isPast)
        replies.removeAll { entry in due.contains { $0.due == entry.due && $0.serial == entry.serial } }
        for entry in due where clients[entry.socket]?.serial == entry.serial {
            reply(to: entry.request, fault: entry.fault, socket: entry.socket)
        }
    }

    private func reply(to request: [UInt8], fault: ModbusFault?, socket: Int32) {
        guard fault != .close, responder.reply(to: request, fault: fault, socket: socket) else { return drop(socket) }
        guard var client = clients[socket] else { return }
        client.replyCount += 1
        clients[socket] = client
        if let limit = state.value({ $0.faults.closesAfter }), client.replyCount >= limit { drop(socket) }
    }

    private func drop(_ socket: Int32) {
        guard clients.removeValue(forKey: socket) != nil else { return }
        close(socket)
    }
}
