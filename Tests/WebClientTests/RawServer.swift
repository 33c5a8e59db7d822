import Foundation
import ThreadKit

/// A server that sends exactly the bytes it is told, right or wrong; each connection has a thread of its own.
final class RawServer: Sendable {
    /// One accepted connection, used by one thread.
    struct Connection {
        fileprivate let descriptor: Int32

        /// Reads until the end of a request's head.
        @discardableResult
        func readHead() -> String {
            var text = ""
            var byte: UInt8 = 0
            while !text.hasSuffix("\r\n\r\n"), recv(descriptor, &byte, 1, 0) == 1 {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            }
            return text
        }

        /// Sends bytes; false once the client is gone.
        @discardableResult
        func send(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes {
                    Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Sends text.
        @discardableResult
        func send(_ text: String) -> Bool { send(Array(text.utf8)) }

        /// Waits until the client has closed the connection.
        func waitForEnd() {
            var byte: UInt8 = 0
            while recv(descriptor, &byte, 1, 0) == 1 {}
        }

        /// Whether the client has not made room for more within that time.
        func isBlocked(milliseconds: Int32) -> Bool {
            var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&entry, 1, milliseconds) == 0
        }
    }

    /// The port on 127.0.0.1.
    let port: Int
    private let listener: Int32

    init(_ serve: @escaping @Sendable (Connection) -> Void) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) | listen(descriptor, 64) | getsockname(descriptor, address, &length)
            }
        }
        guard status == 0 else { throw POSIXError(.EADDRINUSE) }
        listener = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while true {
                let accepted = accept(descriptor, nil, nil)
                guard accepted >= 0 else { return }
                Thread.detachNewThread {
                    serve(Connection(descriptor: accepted))
                    close(accepted)
                }
            }
        }
    }

    deinit {
        // Shutting down wakes the thread in accept, which closing alone would not.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// A server that reads the head and sends the same bytes to everyone.
    convenience init(answering bytes: [UInt8]) throws {
        try self.init { connection in
            connection.readHead()
            connection.send(bytes)
        }
    }

    /// A server that reads the head and sends the same text to everyone.
    convenience init(answering text: String) throws {
        try self.init(answering: Array(text.utf8))
    }

    var url: String { "http://127.0.0.1:\(port)/" }
}
