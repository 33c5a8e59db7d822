/// Bytes that came in and wait to be understood; taking from the front is cheap.
struct InboundBuffer {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { count == 0 }
    var count: Int { bytes.count - start }

    /// Whether a line has ended among the bytes.
    var hasWholeLine: Bool { bytes[start...].contains(UInt8(ascii: "\n")) }

    mutating func append(_ more: some Collection<UInt8>) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 16)
            start = 0
        } else if start > 1 << 16 {
            bytes.removeSubrange(..<start)
            start = 0
        }
        bytes += more
    }

    /// Removes bytes from the front; there must be as many.
    mutating func take(_ count: Int) -> [UInt8] {
        let part = Array(bytes[start..<start + count])
        start += count
        return part
    }

    /// Puts the last bytes that were taken back in front; nothing was added since.
    mutating func putBack(_ count: Int) { start -= count }

    /// Removes empty lines from the front.
    mutating func dropLineBreaks() {
        while start < bytes.count {
            if bytes[start] == UInt8(ascii: "\n") {
                start += 1
            } else if bytes[start] == UInt8(ascii: "\r"), start + 1 < bytes.count,
                bytes[start + 1] == UInt8(ascii: "\n")
            {
                start += 2
            } else {
                return
            }
        }
    }

    /// Finds the empty line that ends a head.
    /// - Parameter searched: how far an earlier call came, so that a head in many pieces is searched once.
    /// - Returns: the length of the head without the empty line, and where the next thing starts.
    func endOfHead(from searched: inout Int) -> (head: Int, next: Int)? {
        var index = start + searched
        while let feed = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) {
            let next = feed + 1
            if next < bytes.count, bytes[next] == UInt8(ascii: "\n") {
                return (headEnd(feed), next + 1 - start)
            }
            if next + 1 < bytes.count, bytes[next] == UInt8(ascii: "\r"), bytes[next + 1] == UInt8(ascii: "\n") {
                return (headEnd(feed), next + 2 - start)
            }
            guard next + 1 < bytes.count else {
                searched = feed - start
                return nil
            }
            index = next
        }
        searched = bytes.count - start
        return nil
    }

    private func headEnd(_ feed: Int) -> Int {
        feed > start && bytes[feed - 1] == UInt8(ascii: "\r") ? feed - 1 - start : feed - start
    }

    /// Removes one line from the front and gives it without its end, or nil if it is not whole yet.
    /// - Parameter limit: the longest line allowed.
    mutating func takeLine(limit: Int) throws(RequestRefusal) -> [UInt8]? {
        guard let feed = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else {
            guard count <= limit else { throw ChunkedDecoder.malformed }
            return nil
        }
        guard feed - start <= limit else { throw ChunkedDecoder.malformed }
        var line = take(feed + 1 - start)
        line.removeLast()
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }
}
