import Foundation

/// The addresses behind a broker's name.
///
/// Connecting without blocking, libmosquitto tries only the first one; where `localhost` means `::1` first and the broker
/// listens on 127.0.0.1, it would never arrive. So each attempt takes the next address.
enum Addresses {
    /// Looks a name up, which may block.
    /// - Returns: numeric addresses in the system's order of preference, each once.
    /// - Throws: `MQTTError.connectionLost` with the system's words.
    static func resolve(_ host: String) throws(MQTTError) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &first)
        guard code == 0 else { throw .connectionLost("\(host): \(String(cString: gai_strerror(code)))") }
        defer { freeaddrinfo(first) }
        var found: [String] = []
        for entry in sequence(first: first, next: { $0?.pointee.ai_next }) {
            guard let info = entry?.pointee, let address = numeric(info), !found.contains(address) else { continue }
            found.append(address)
        }
        return found
    }

    private static func numeric(_ info: addrinfo) -> String? {
        var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(info.ai_addr, info.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST)
        guard code == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
