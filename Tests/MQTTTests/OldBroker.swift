import Foundation
import ThreadKit

/// As much of a broker of MQTT 3.1.1 as is needed to see what a client of version 5 does with it.
///
/// It serves one connection after the other, on a thread of its own. No broker that is still to be had refuses version 5.
final class OldBroker: Sendable {
    /// What it does where a client speaks version 5.
    enum Manner: CaseIterable, Sendable { case answers, closes }

    let port: Int
    private let descriptor: Int32
    private let seen = Locked<[UInt8]>([])

    /// The protocol levels of the connections so far: 5, or 4 for version 3.1.1.
    var levels: [UInt8] { seen.current }

    init(_ manner: Manner) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        port = Int(UInt16(bigEndian: address.sin_port))
        self.descriptor = descriptor
        let seen = seen
        Thread.detachNewThread {
            while true {
                let client = accept(descriptor, nil, nil)
                guard client >= 0 else {
                    // Not in deinit, where its number could be another socket's before this thread looks at it again.
                    close(descriptor)
                    return
                }
                Self.serve(client, manner, seen)
                close(client)
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private static func serve(_ client: Int32, _ manner: Manner, _ seen: Locked<[UInt8]>) {
        while let (kind, body) = packet(client) {
            switch kind >> 4 {
            case 1:
                let level = body.count > 6 ? body[6] : 0
                seen.withLock { $0.append(level) }
                guard level == 4 else {
                    if manner == .answers { write(client, [0x20, 2, 0, 1]) }
                    return
                }
                write(client, [0x20, 2, 0, 0])
            case 3 where kind & 6 == 2:
                let topic = Int(body[0]) << 8 | Int(body[1])
                write(client, [0x40, 2, body[2 + topic], body[3 + topic]])
            case 8: write(client, [0x90, 3, body[0], body[1], 1])
            case 12: write(client, [0xD0, 0])
            case 14: return
            default: break
            }
        }
    }

    private static func packet(_ client: Int32) -> (UInt8, [UInt8])? {
        guard let kind = bytes(client, 1)?.first else { return nil }
        var length = 0
        var shift = 0
        repeat {
            guard shift <= 21, let byte = bytes(client, 1)?.first else { return nil }
            length |= Int(byte & 0x7F) << shift
            shift += 7
            if byte < 0x80 { break }
        } while true
        return bytes(client, length).map { (kind, $0) }
    }

    private static func bytes(_ client: Int32, _ count: Int) -> [UInt8]? {
        var all: [UInt8] = []
        while all.count < count {
            var chunk = [UInt8](repeating: 0, count: count - all.count)
            let got = recv(client, &chunk, chunk.count, 0)
            guard got > 0 else { return nil }
            all += chunk.prefix(got)
        }
        return all
    }

    private static func write(_ client: Int32, _ bytes: [UInt8]) {
        _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }
}
