import Glibc

/// A client that asks for something, reads the status of the answer, and then reads nothing more.
final class SilentReader {
    struct Failure: Error {
        let step: String
        let code: Int32
    }

    private let descriptor: Int32

    /// Connects from 127.0.0.`host`.
    init(port: Int, from host: UInt8) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard call(bind, 0x7F00_0000 + UInt32(host), 0) == 0 else { throw Failure(step: "bind", code: errno) }
        guard call(connect, 0x7F00_0001, UInt16(port)) == 0 else { throw Failure(step: "connect", code: errno) }
    }

    deinit { close(descriptor) }

    private func call(
        _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ host: UInt32, _ port: UInt16
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Asks for a path and gives the status of the answer.
    func ask(_ path: String) throws -> Int {
        let request = Array("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw Failure(step: "send", code: errno)
        }
        var bytes = [UInt8](repeating: 0, count: 12)
        var count = 0
        while count < bytes.count {
            let read = bytes.withUnsafeMutableBytes {
                recv(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count, 0)
            }
            guard read > 0 else { throw Failure(step: "recv", code: errno) }
            count += read
        }
        return Int(String(decoding: bytes[9..<12], as: UTF8.self)) ?? 0
    }
}
