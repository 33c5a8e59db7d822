import Foundation

/// One connection of the tests' HTTP client: blocking, and used by one thread only.
final class HTTPConnection {
    let descriptor: Int32
    private var buffer: [UInt8] = []
    private var isAtEnd = false
    private let deadline: ContinuousClock.Instant

    init(port: Int, limitSeconds: Int) throws {
        deadline = .now + .seconds(limitSeconds)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        // A short wait, so that the deadline is seen also while nothing comes.
        var wait = timeval(tv_sec: 0, tv_usec: 200_000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        var patience = timeval(tv_sec: limitSeconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            throw HTTPClient.Failure(description: "port \(port): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Sends as much as the server takes: one that refuses early still answers.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Reads the whole answer; one to HEAD, and one with status 204, has no body whatever its headers say.
    func readAnswer(hasBody: Bool) throws -> HTTPClient.Answer {
        let (status, headers) = try readHead()
        var body: [UInt8] = []
        guard hasBody, status != 204 else { return HTTPClient.Answer(status: status, headers: headers, body: body) }
        if headers["transfer-encoding"]?.contains("chunked") == true {
            while let chunk = try readChunk() { body += chunk }
        } else if let length = headers["content-length"].flatMap({ Int($0) }) {
            body = try take(length)
        } else {
            while try fill() {}
            body = buffer
        }
        return HTTPClient.Answer(status: status, headers: headers, body: body)
    }

    /// Hands on events until the end, the deadline, or until `handle` wants no more.
    func readEvents(_ handle: (StreamEvent) -> Bool) throws {
        let (status, headers) = try readHead()
        guard status == 200, headers["content-type"]?.hasPrefix("text/event-stream") == true else {
            throw HTTPClient.Failure(description: "not a stream: status \(status), \(headers)")
        }
        let isChunked = headers["transfer-encoding"]?.contains("chunked") == true
        var text: [UInt8] = []
        while true {
            if isChunked {
                guard let chunk = try readChunk() else { return }
                text += chunk
            } else {
                guard try fill() || !buffer.isEmpty else { return }
                text += buffer
                buffer = []
            }
            while let end = text.firstRange(of: [10, 10]) {
                let block = String(decoding: text[..<end.lowerBound], as: UTF8.self)
                text.removeSubrange(..<end.upperBound)
                if let event = Self.event(block), !handle(event) { return }
            }
        }
    }

    private static func event(_ block: String) -> StreamEvent? {
        var fields: [String: String] = [:]
        for line in block.split(separator: "\n") where !line.hasPrefix(":") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard let name = parts.first else { continue }
            let value = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
            fields[String(name)] = fields[String(name)].map { $0 + "\n" + value } ?? value
        }
        return fields["data"].map { StreamEvent(name: fields["event"] ?? "message", id: fields["id"], data: $0) }
    }

    func readHead() throws -> (Int, [String: String]) {
        let head = String(decoding: try take(until: [13, 10, 13, 10]), as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n")
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else {
            throw HTTPClient.Failure(description: "not an answer: \(head.prefix(80))")
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
        }
        return (status, headers)
    }

    private func readChunk() throws -> [UInt8]? {
        let size = String(decoding: try take(until: [13, 10]), as: UTF8.self)
        guard let count = Int(size.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces), radix: 16) else {
            throw HTTPClient.Failure(description: "not a chunk: \(size)")
        }
        guard count > 0 else { return nil }
        let chunk = try take(count)
        _ = try take(2)
        return chunk
    }

    private func take(until mark: [UInt8]) throws -> [UInt8] {
        while true {
            if let end = buffer.firstRange(of: mark) {
                defer { buffer.removeSubrange(..<end.upperBound) }
                return Array(buffer[..<end.lowerBound])
            }
            guard try fill() else { throw HTTPClient.Failure(description: "the hub ended the connection early") }
        }
    }

    func take(_ count: Int) throws -> [UInt8] {
        while buffer.count < count {
            guard try fill() else { throw HTTPClient.Failure(description: "the hub ended the connection early") }
        }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// - Returns: whether bytes came; false at the end of the connection.
    private func fill() throws -> Bool {
        guard !isAtEnd else { return false }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count > 0 {
                buffer += bytes[..<count]
                return true
            }
            if count < 0, errno == EAGAIN || errno == EINTR {
                guard ContinuousClock.now < deadline else {
                    throw HTTPClient.Failure(description: "the hub did not answer in time")
                }
                continue
            }
            isAtEnd = true
            return false
        }
    }
}
