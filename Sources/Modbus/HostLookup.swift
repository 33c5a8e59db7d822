import Dispatch
import Foundation
import ThreadKit

/// An address that a socket can be connected to.
struct SocketAddress: Sendable {
    private let storage: sockaddr_storage
    private let length: socklen_t

    /// The address family, such as `AF_INET`.
    var family: Int32 { Int32(storage.ss_family) }

    fileprivate init?(_ entry: addrinfo) {
        var storage = sockaddr_storage()
        let length = Int(entry.ai_addrlen)
        guard let address = entry.ai_addr, length <= MemoryLayout<sockaddr_storage>.size else { return nil }
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: length))
        }
        self.storage = storage
        self.length = entry.ai_addrlen
    }

    /// Lends the address in the form that the system calls take.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}

/// Finds the addresses of a host in a bounded time, which the system's own call does not promise.
struct HostLookup: Sendable {
    let host: String
    let port: UInt16

    /// The addresses in the system's order of preference.
    func resolve(until deadline: Deadline) -> Result<[SocketAddress], TCPDial.Failure> {
        // An address in digits needs no name server and so no thread that can be left waiting.
        if case .success(let found) = ask(flags: AI_NUMERICHOST) { return .success(found) }
        let result = Locked<Result<[SocketAddress], TCPDial.Failure>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread { @Sendable in
            let found = ask(flags: 0)
            result.withLock { $0 = found }
            done.signal()
        }
        thread.name = "host-lookup"
        thread.start()
        let limit = DispatchTime(uptimeNanoseconds: UInt64(max(0, deadline.nanoseconds)))
        _ = done.wait(timeout: limit)
        return result.current ?? .failure(TCPDial.Failure(reason: "the name server did not answer in time"))
    }

    private func ask(flags: Int32) -> Result<[SocketAddress], TCPDial.Failure> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = flags | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            return .failure(TCPDial.Failure(reason: "host \(host) not found: \(String(cString: gai_strerror(code)))"))
        }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var entry = list
        while let current = entry {
            if let address = SocketAddress(current.pointee) { found.append(address) }
            entry = current.pointee.ai_next
        }
        return .success(found)
    }
}
