import Glibc

/// A bound and listening socket that closes itself, and removes its path if it is a unix socket.
struct ListeningSocket: ~Copyable {
    private var descriptor: Int32
    /// The path of a unix socket.
    let path: String?

    private static let backlog: Int32 = 512

    private init(descriptor: Int32, path: String?) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        guard descriptor >= 0 else { return }
        close(descriptor)
        if let path { unlink(path) }
    }

    /// Gives up the descriptor, which the caller now owns.
    consuming func release() -> Int32 {
        let released = descriptor
        descriptor = -1
        return released
    }

    /// Listens on a TCP port; 0 takes a free one.
    static func tcp(host: String, port: Int) throws(WebServerError) -> ListeningSocket {
        guard (0...65535).contains(port) else {
            throw .cannotListen(host: host, port: port, reason: "not a port number")
        }
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0, let first = found else {
            throw .cannotListen(host: host, port: port, reason: String(cString: gai_strerror(status)))
        }
        defer { freeaddrinfo(found) }
        var failure: Int32 = EADDRNOTAVAIL
        for candidate in sequence(first: first, next: { $0.pointee.ai_next }) {
            if let socket = listen(on: candidate.pointee, failure: &failure) { return socket }
        }
        if failure == EADDRINUSE { throw .portInUse(host: host, port: port) }
        throw .cannotListen(host: host, port: port, reason: String(cString: strerror(failure)))
    }

    private static func listen(on address: addrinfo, failure: inout Int32) -> ListeningSocket? {
        let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
        guard descriptor >= 0 else {
            failure = errno
            return nil
        }
        // Lets a restarted server take its port back while old connections of it still time out.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
            Glibc.listen(descriptor, backlog) == 0
        else {
            failure = errno
            close(descriptor)
            return nil
        }
        SocketOptions.makeNonBlocking(descriptor)
        return ListeningSocket(descriptor: descriptor, path: nil)
    }

    /// Listens on a unix socket that owner and group may use; a socket that nobody answers on is replaced.
    static func unix(path: String) throws(WebServerError) -> ListeningSocket {
        let fail = { (code: Int32) in
            WebServerError.cannotMakeUnixSocket(path: path, reason: String(cString: strerror(code)))
        }
        guard var address = UnixAddress(path) else { throw fail(ENAMETOOLONG) }
        try removeStale(path, &address, fail)
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw fail(errno) }
        // Before bind, so that there is no moment at which others could connect.
        fchmod(descriptor, 0o660)
        let status = address.withPointer { bind(descriptor, $0, $1) }
        guard status == 0 else {
            let code = errno
            close(descriptor)
            throw code == EADDRINUSE ? .unixSocketInUse(path: path) : fail(code)
        }
        guard chmod(path, 0o660) == 0, Glibc.listen(descriptor, backlog) == 0 else {
            let code = errno
            close(descriptor)
            unlink(path)
            throw fail(code)
        }
        SocketOptions.makeNonBlocking(descriptor)
        return ListeningSocket(descriptor: descriptor, path: path)
    }

    private static func removeStale(
        _ path: String, _ address: inout UnixAddress, _ fail: (Int32) -> WebServerError
    ) throws(WebServerError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw fail(EEXIST) }
        let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard probe >= 0 else { throw fail(errno) }
        defer { close(probe) }
        SocketOptions.makeNonBlocking(probe)
        let isAnswered = address.withPointer { connect(probe, $0, $1) } == 0 || errno == EAGAIN
        guard !isAnswered else { throw .unixSocketInUse(path: path) }
        unlink(path)
    }

    /// The port that the socket is bound to, or nil for a unix socket.
    var port: Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutableBytes(of: &storage) { bytes in
            getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
        guard status == 0 else { return nil }
        return withUnsafeBytes(of: storage) { bytes -> Int? in
            switch Int32(storage.ss_family) {
            case AF_INET: Int(UInt16(bigEndian: bytes.loadUnaligned(as: sockaddr_in.self).sin_port))
            case AF_INET6: Int(UInt16(bigEndian: bytes.loadUnaligned(as: sockaddr_in6.self).sin6_port))
            default: nil
            }
        }
    }
}
