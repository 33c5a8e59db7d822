import Glibc
import ThreadKit

/// A client that sends and receives bytes as they are, on a thread of its own, so that a wait never holds up the
/// handlers under test.
actor RawClient {
    struct Failure: Error {
        let reason: String
    }

    struct Response: Sendable {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private let executor = ThreadExecutor(name: "raw client")
    private var descriptor: Int32
    private var buffer: [UInt8] = []

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(port: Int, receiveBufferBytes: Int32? = nil) throws {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var bytes = receiveBufferBytes {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(UInt32(0x7F00_0001).bigEndian)
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            let code = errno
            Glibc.close(socket)
            throw Failure(reason: "connect: \(code)")
        }
        Self.limitWaits(socket)
        descriptor = socket
    }

    init(path: String) throws {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0 else {
            let code = errno
            Glibc.close(socket)
            throw Failure(reason: "connect: \(code)")
        }
        Self.limitWaits(socket)
        descriptor = socket
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
        executor.stop()
    }

    private static func limitWaits(_ descriptor: Int32) {
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    // MARK: Sending

    func send(_ text: String) throws {
        try send(Array(text.utf8))
    }

    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(reason: "send: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends as far as the server takes it; an error (it closed) is no failure.
    func trySend(_ text: String) {
        try? send(text)
    }

    /// Sends each byte in a packet of its own.
    func sendByteByByte(_ text: String) throws {
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        for byte in text.utf8 { try send([byte]) }
    }

    func finishSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        Glibc.close(descriptor)
        descriptor = -1
    }

    /// Closes with a reset instead of a farewell.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    // MARK: Receiving

    private func fill() throws -> Bool {
        var scratch = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &scratch, scratch.count, 0)
        guard count >= 0 else { throw Failure(reason: "recv: \(errno)") }
        buffer += scratch[..<count]
        return count > 0
    }

    /// Whether an answer has begun to come, without waiting.
    func hasInput() -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) >= 0
    }

    /// Everything until the server closes; a reset counts as that.
    func readToEnd() -> String {
        while (try? fill()) == true {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Takes bytes up to and with a marker.
    func read(until marker: String) throws -> String {
        let marker = Array(marker.utf8)
        var start = 0
        while true {
            if let end = position(of: marker, from: start) {
                let part = Array(buffer[..<(end + marker.count)])
                buffer.removeFirst(part.count)
                return String(decoding: part, as: UTF8.self)
            }
            start = max(0, buffer.count - marker.count)
            guard try fill() else { throw Failure(reason: "closed before \(marker)") }
        }
    }

    private func position(of marker: [UInt8], from start: Int) -> Int? {
        guard buffer.count >= start + marker.count else { return nil }
        return (start...(buffer.count - marker.count)).first { buffer[$0...].starts(with: marker) }
    }

    func read(count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw Failure(reason: "closed after \(buffer.count) of \(count) bytes") }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// A response's head: status and fields by lower-case name.
    func readHead() throws -> (status: Int, headers: [String: String]) {
        let lines = try read(until: "\r\n\r\n").split(separator: "\r\n")
        let parts = lines.first?.split(separator: " ") ?? []
        guard parts.count > 1, let status = Int(parts[1]) else { throw Failure(reason: "no status line") }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Failure(reason: "no field: \(line)") }
            headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        return (status, headers)
    }

    func readResponse(toHead: Bool = false) throws -> Response {
        let (status, headers) = try readHead()
        if toHead { return Response(status: status, headers: headers, body: []) }
        if headers["transfer-encoding"] == "chunked" {
            var body: [UInt8] = []
            while let chunk = try readChunk() { body += chunk }
            return Response(status: status, headers: headers, body: body)
        }
        let body = try read(count: headers["content-length"].flatMap(Int.init) ?? 0)
        return Response(status: status, headers: headers, body: body)
    }

    /// The next chunk, or nil for the last.
    func readChunk() throws -> [UInt8]? {
        let line = try read(until: "\r\n").dropLast()
        guard let size = Int(line, radix: 16) else { throw Failure(reason: "no chunk size: \(line)") }
        let chunk = try read(count: size)
        guard try read(count: 2) == [13, 10] else { throw Failure(reason: "no end of chunk") }
        return size == 0 ? nil : chunk
    }

    func exchange(_ request: String) throws -> Response {
        try send(request)
        return try readResponse()
    }

    func get(_ target: String, headers: String = "") throws -> Response {
        try exchange("GET \(target) HTTP/1.1\r\nHost: test\r\n\(headers)\r\n")
    }
}
