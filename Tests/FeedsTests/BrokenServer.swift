import Foundation

/// A server that sends given bytes to whoever connects, and then closes or stays silent.
final class BrokenServer: Sendable {
    let port: Int
    private let listener: Int32

    /// - Parameters:
    ///   - bytes: what is sent once the question is there.
    ///   - closes: whether the connection is closed after that; else it stays open and silent.
    init(_ bytes: [UInt8], closes: Bool) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) | listen(descriptor, 16) | getsockname(descriptor, address, &length)
            }
        }
        guard status == 0 else { throw POSIXError(.EADDRINUSE) }
        listener = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread {
            while true {
                let accepted = accept(descriptor, nil, nil)
                guard accepted >= 0 else { return }
                Thread.detachNewThread { Self.serve(accepted, bytes, closes) }
            }
        }
    }

    private static func serve(_ connection: Int32, _ bytes: [UInt8], _ closes: Bool) {
        var head: [UInt8] = []
        var byte: UInt8 = 0
        while !head.suffix(4).elementsEqual([13, 10, 13, 10]), recv(connection, &byte, 1, 0) == 1 { head.append(byte) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        // Until the client gives up.
        while !closes, recv(connection, &byte, 1, 0) == 1 {}
        close(connection)
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// Bytes as gzip without compression: stored blocks and the sum at the end (RFC 1952).
func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var packed: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    var rest = bytes[...]
    repeat {
        let block = rest.prefix(65_535)
        rest = rest.dropFirst(block.count)
        let length = UInt16(block.count)
        packed.append(rest.isEmpty ? 1 : 0)
        for number in [length, ~length] { packed += [UInt8(number & 0xFF), UInt8(number >> 8)] }
        packed += block
    } while !rest.isEmpty
    var sum: UInt32 = ~0
    for byte in bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
    }
    for number in [~sum, UInt32(truncatingIfNeeded: bytes.count)] {
        for shift in [0, 8, 16, 24] as [UInt32] { packed.append(UInt8((number >> shift) & 0xFF)) }
    }
    return packed
}
