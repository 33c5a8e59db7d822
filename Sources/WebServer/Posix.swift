import Glibc

/// Calls on accepted sockets.
enum Posix {
    /// What a read brought.
    enum Received {
        case bytes(ArraySlice<UInt8>)
        case nothing
        case end
        case failed
    }

    /// Whether the last failure was for want of descriptors or memory.
    static var isOutOfDescriptors: Bool {
        [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno)
    }

    /// Takes the next waiting connection; negative if there is none.
    static func accept(_ listener: Int32) -> Int32 {
        while true {
            let descriptor = Glibc.accept(listener, nil, nil)
            if descriptor >= 0 { SocketOptions.makeNonBlocking(descriptor) }
            // A connection that broke while it waited is skipped.
            guard descriptor < 0, errno == EINTR || errno == ECONNABORTED else { return descriptor }
        }
    }

    /// Reads once into `scratch`.
    static func receive(_ descriptor: Int32, _ scratch: inout [UInt8]) -> Received {
        let count = scratch.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .bytes(scratch[..<count]) }
        if count == 0 { return .end }
        return errno == EAGAIN || errno == EINTR ? .nothing : .failed
    }

    /// Sends once.
    /// - Returns: how many bytes the socket took; negative where it is broken.
    static func send(_ descriptor: Int32, _ bytes: [UInt8]) -> Int {
        while true {
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count >= 0 { return count }
            if errno == EINTR { continue }
            return errno == EAGAIN ? 0 : -1
        }
    }

    /// Two sockets of which each reads what the other is sent.
    static func pair() -> (Int32, Int32)? {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return nil }
        for end in ends { SocketOptions.makeNonBlocking(end) }
        return (ends[0], ends[1])
    }

    /// Whether this process may read a file.
    static func canRead(_ path: String) -> Bool { access(path, R_OK) == 0 }

    /// When a file was last changed; nil where there is none.
    static func changed(_ path: String) -> Int? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mtim.tv_sec
    }

    /// Tells the peer that nothing more comes.
    static func finishSending(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// A second descriptor of the same socket; negative on failure.
    static func duplicate(_ descriptor: Int32) -> Int32 {
        let copy = dup(descriptor)
        if copy >= 0 { SocketOptions.makeNonBlocking(copy) }
        return copy
    }

    /// Answers a connection that is one too many, and closes it.
    static func turnAway(_ descriptor: Int32) {
        let answer = RequestRefusal(503, "too many connections are open; try again later").response
        if case .bytes(let body) = answer.body {
            let head = ResponseEncoder.head(
                status: answer.status, headers: answer.headers, framing: .length(body.count), keepsAlive: false)
            _ = send(descriptor, head + body)
        }
        close(descriptor)
    }

    /// Removes a name from the file system.
    static func remove(_ path: String) {
        unlink(path)
    }

    /// Closes a descriptor.
    static func close(_ descriptor: Int32) {
        Glibc.close(descriptor)
    }
}
