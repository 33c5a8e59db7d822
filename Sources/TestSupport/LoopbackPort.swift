import Foundation
import ThreadKit

/// Ports for servers that cannot choose one themselves, and ports at which nobody listens.
package enum LoopbackPort {
    private static let given = Locked<Set<Int>>([])
    /// Below the range from which Linux gives ports to whoever binds to 0 or connects: no other test gets one by chance.
    private static let range = 20_000..<32_000

    /// A TCP port on the loopback interface that is free, and that no other test of this process gets.
    ///
    /// A server that can `bind` to port 0 itself should: nobody can take the port in between.
    /// - Throws: `POSIXError` when there is none.
    package static func free() throws -> Int {
        for _ in 0..<2_000 {
            let port = Int.random(in: range)
            guard given.withLock({ $0.insert(port).inserted }) else { continue }
            if isFree(port) { return port }
        }
        throw POSIXError(.EADDRINUSE)
    }

    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
