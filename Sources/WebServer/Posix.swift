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
            _ = (head + body).withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
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
