import Glibc

/// Opens a TCP connection within a bounded time.
struct TCPDial {
    let host: String
    let port: UInt16
    let timeout: Duration

    /// Why no connection came about.
    struct Failure: Error {
        let reason: String
    }

    /// Looks the host up, then tries its addresses in turn; the time left is shared among those still to try.
    /// - Returns: a connected socket in blocking mode, which the caller owns.
    func open() throws(Failure) -> Int32 {
        let deadline = Deadline(after: timeout)
        let addresses: [SocketAddress]
        switch HostLookup(host: host, port: port).resolve(until: deadline) {
        case .success(let found): addresses = found
        case .failure(let failure): throw failure
        }
        var last = Failure(reason: "the host has no address")
        for (index, address) in addresses.enumerated() {
            let share = deadline.remaining / (addresses.count - index)
            do throws(Failure) {
                return try connect(to: address, within: share)
            } catch {
                last = error
            }
            if deadline.isPast { break }
        }
        throw last
    }

    private func connect(to address: SocketAddress, within share: Duration) throws(Failure) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(address.family, kind, 0)
        guard socket >= 0 else { throw Failure(reason: reason(errno)) }
        do throws(Failure) {
            if address.withPointer({ Glibc.connect(socket, $0, $1) }) != 0 {
                guard errno == EINPROGRESS else { throw Failure(reason: reason(errno)) }
                try waitUntilConnected(socket, Deadline(after: share))
            }
            prepare(socket)
            return socket
        } catch {
            close(socket)
            throw error
        }
    }

    private func waitUntilConnected(_ socket: Int32, _ deadline: Deadline) throws(Failure) {
        var entry = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
        while poll(&entry, 1, deadline.pollMilliseconds) <= 0 {
            if deadline.isPast { throw Failure(reason: "no answer within \(timeout.inSeconds)") }
        }
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size)
        guard error == 0 else { throw Failure(reason: reason(error)) }
    }

    private func prepare(_ socket: Int32) {
        _ = fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) & ~O_NONBLOCK)
        set(socket, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        // A peer that vanished while the line was idle is noticed after two minutes instead of two hours.
        set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 60)
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 20)
        set(socket, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    }

    private func set(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(socket, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
}
