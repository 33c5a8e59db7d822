import Foundation
import ThreadKit

/// A way to a server on the loopback interface that a test makes slow, silent or broken.
///
/// The server itself stays as it is, so its own memory of connections is real.
package final class LoopbackProxy: Sendable {
    /// How connections fare.
    package enum Manner: Sendable, Equatable {
        /// They pass at once.
        case open
        /// A few bytes at a time, with a pause after each few.
        case slow(bytes: Int, pause: Duration)
        /// They stand, and nothing passes.
        case silent
        /// They are closed as soon as they come.
        case closed
    }

    private struct State {
        var manner = Manner.open
        var target: Int
        var open: Set<Int32> = []
    }

    /// The port to connect to, on 127.0.0.1.
    package let port: Int
    private let listener: Int32
    private let state: Locked<State>

    /// Begins to listen on a free port.
    /// - Parameter target: the server's port on 127.0.0.1.
    /// - Throws: `POSIXError` when there is no port.
    package init(to target: Int) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw POSIXError(.EADDRINUSE)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        listener = descriptor
        let state = Locked(State(target: target))
        self.state = state
        Thread.detachNewThread { Self.accept(on: descriptor, state) }
    }

    deinit {
        cut()
        // Its thread closes it: here the number could be another socket's before that thread looks at it again.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// Changes how connections fare, those that stand too; `closed` ends them.
    package func become(_ manner: Manner) {
        state.withLock { $0.manner = manner }
        if manner == .closed { cut() }
    }

    /// Leads new connections to another server.
    package func lead(to target: Int) { state.withLock { $0.target = target } }

    /// Ends every connection; new ones are possible.
    package func cut() {
        state.withLock { state in
            // Only shut: whoever serves a connection closes it, so no number is closed twice.
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    // MARK: - On threads of its own

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return address
    }

    private static func accept(on listener: Int32, _ state: Locked<State>) {
        while true {
            let client = Glibc.accept(listener, nil, nil)
            guard client >= 0 else {
                close(listener)
                return
            }
            let (manner, target) = state.withLock { ($0.manner, $0.target) }
            guard manner != .closed, let server = connect(to: target) else {
                close(client)
                continue
            }
            state.withLock { $0.open.formUnion([client, server]) }
            Thread.detachNewThread { serve(client, server, state) }
        }
    }

    private static func connect(to port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = address(port: port)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Passes both ways until one side ends.
    private static func serve(_ client: Int32, _ server: Int32, _ state: Locked<State>) {
        let back = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            pass(from: server, to: client, state)
            back.signal()
        }
        pass(from: client, to: server, state)
        back.wait()
        state.withLock { $0.open.subtract([client, server]) }
        close(client)
        close(server)
    }

    private static func pass(from source: Int32, to destination: Int32, _ state: Locked<State>) {
        defer {
            shutdown(source, Int32(SHUT_RDWR))
            shutdown(destination, Int32(SHUT_RDWR))
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            var size = buffer.count
            if case .slow(let bytes, let pause) = state.withLock({ $0.manner }) {
                size = min(bytes, size)
                Thread.sleep(forTimeInterval: pause / .seconds(1))
            }
            let count = recv(source, &buffer, size, 0)
            guard count > 0 else { return }
            while state.withLock({ $0.manner }) == .silent {
                // Ended meanwhile: nothing is to pass any more.
                var one: UInt8 = 0
                if recv(destination, &one, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0 { return }
                Thread.sleep(forTimeInterval: 0.01)
            }
            var sent = 0
            while sent < count {
                let more = buffer.withUnsafeBytes {
                    send(destination, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
                }
                guard more > 0 else { return }
                sent += more
            }
        }
    }
}
