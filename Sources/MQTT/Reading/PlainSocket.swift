import Foundation

/// What a reader speaks over; closed with its last reference.
///
/// ## Thread Safety
/// None: it belongs to the reader's actor, on whose thread it waits.
package protocol ReaderConnection: AnyObject {
    /// Sends everything.
    /// - Throws: `MQTTError.connectionLost`, also when the other side takes nothing for so long.
    func send(_ bytes: [UInt8], within wait: Duration) throws(MQTTError)

    /// What is there.
    /// - Returns: nil where nothing came in time.
    /// - Throws: `MQTTError.connectionLost`, also at the end of the connection.
    func receive(within wait: Duration) throws(MQTTError) -> [UInt8]?
}

/// A TCP connection that waits no longer than it is told; closed with its last reference.
///
/// ## Thread Safety
/// None: it belongs to one actor.
final class PlainSocket: ReaderConnection {
    private let descriptor: Int32

    /// Connects, to the first of a name's addresses that answers.
    /// - Throws: `MQTTError.connectionLost` with the system's words.
    init(to place: MQTTPlace, within wait: Duration) throws(MQTTError) {
        var failure = MQTTError.connectionLost("\(place.host): no address")
        for address in try Addresses.resolve(place.host) {
            do throws(MQTTError) {
                descriptor = try Self.connect(to: address, place.port, within: wait)
                return
            } catch {
                failure = error
            }
        }
        throw failure
    }

    deinit { close(descriptor) }

    private static func connect(to address: String, _ port: Int, within wait: Duration) throws(MQTTError) -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICHOST
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address, String(port), &hints, &found) == 0, let info = found?.pointee else {
            throw .connectionLost("\(address): no address")
        }
        defer { freeaddrinfo(found) }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(info.ai_family, kind, 0)
        guard descriptor >= 0 else { throw lost() }
        do throws(MQTTError) {
            if Glibc.connect(descriptor, info.ai_addr, info.ai_addrlen) != 0 {
                guard errno == EINPROGRESS else { throw lost() }
                guard Self.wait(for: POLLOUT, descriptor, wait) else {
                    throw .connectionLost("no answer from \(address)")
                }
                var number: Int32 = 0
                var length = socklen_t(MemoryLayout<Int32>.size)
                getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
                guard number == 0 else { throw .connectionLost(String(cString: strerror(number))) }
            }
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Sends everything.
    /// - Throws: `MQTTError.connectionLost`, also when the other side takes nothing for so long.
    func send(_ bytes: [UInt8], within wait: Duration) throws(MQTTError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                guard Self.wait(for: POLLOUT, descriptor, wait) else {
                    throw .connectionLost("the broker takes nothing")
                }
            } else if errno != EINTR {
                throw Self.lost()
            }
        }
    }

    /// What is there.
    /// - Returns: nil where nothing came in time.
    /// - Throws: `MQTTError.connectionLost`, also at the end of the connection.
    func receive(within wait: Duration) throws(MQTTError) -> [UInt8]? {
        guard Self.wait(for: POLLIN, descriptor, wait) else { return nil }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 { return Array(buffer.prefix(count)) }
        if count < 0, errno == EAGAIN || errno == EINTR { return nil }
        throw count == 0 ? .connectionLost("the broker closed the connection") : Self.lost()
    }

    private static func wait(for events: Int32, _ descriptor: Int32, _ wait: Duration) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        let milliseconds = max(0, wait / .milliseconds(1)).rounded(.up)
        return poll(&entry, 1, Int32(min(milliseconds, 60_000))) > 0
    }

    private static func lost() -> MQTTError { .connectionLost(String(cString: strerror(errno))) }
}
