import Foundation
import ThreadKit

/// A listener that takes any Modbus TCP request, remembers it as it was on the wire, and answers that it was done.
final class RequestTap: Sendable {
    let port: UInt16
    private let listener: Int32
    private let kept = Locked<[[UInt8]]>([])

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0 && listen(listener, 4) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        self.listener = listener
        port = UInt16(bigEndian: address.sin_port)
        let kept = kept
        Thread.detachNewThread { RequestTap.serve(listener, kept) }
    }

    deinit {
        // The thread closes it, because its number may belong to another test's socket right after.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// The requests without the transport's header: the function code, then its data.
    var requests: [[UInt8]] { kept.current }

    private static func serve(_ listener: Int32, _ kept: Locked<[[UInt8]]>) {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else {
                close(listener)
                return
            }
            var buffer = [UInt8](repeating: 0, count: 300)
            while true {
                let count = recv(client, &buffer, buffer.count, 0)
                guard count >= 8 else { break }
                kept.withLock { $0.append(Array(buffer[7..<count])) }
                // The answer to every kind of write is the head of its request.
                let answer = [buffer[0], buffer[1], 0, 0, 0, 6] + buffer[6..<12]
                _ = send(client, answer, answer.count, Int32(MSG_NOSIGNAL))
            }
            close(client)
        }
    }
}
