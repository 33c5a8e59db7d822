/// Decodes the chunked transfer coding (RFC 9112, section 7.1).
///
/// Extensions and trailers are read and left out.
struct ChunkedDecoder {
    private enum State {
        case size
        case data(remaining: Int)
        case dataEnd
        case trailers(bytes: Int)
    }

    private static let maximumLineBytes = 1024
    private static let maximumTrailerBytes = 8192
    private var state = State.size

    /// Whatever in a chunked body is not as RFC 9112, section 7.1 has it.
    static let malformed = RequestRefusal(
        400, "the chunked body is malformed; each chunk is its length in hexadecimal, its bytes, and a line end")

    /// Decodes what the buffer holds.
    /// - Parameter limit: the longest body allowed.
    /// - Returns: whether the body is complete.
    /// - Throws: 413 for a longer body, 400 for anything malformed.
    mutating func decode(
        _ buffer: inout InboundBuffer, into body: inout [UInt8], limit: Int
    ) throws(RequestRefusal) -> Bool {
        while true {
            switch state {
            case .size:
                guard let line = try buffer.takeLine(limit: Self.maximumLineBytes) else { return false }
                let size = try Self.size(line, limit: limit)
                guard size <= limit - body.count else { throw RequestRefusal.body(limit: limit) }
                state = size == 0 ? .trailers(bytes: 0) : .data(remaining: size)
            case .data(let remaining):
                let part = buffer.take(min(remaining, buffer.count))
                body += part
                state = part.count == remaining ? .dataEnd : .data(remaining: remaining - part.count)
                guard part.count == remaining else { return false }
            case .dataEnd:
                guard let line = try buffer.takeLine(limit: 1) else { return false }
                guard line.isEmpty else { throw Self.malformed }
                state = .size
            case .trailers(let bytes):
                guard let line = try buffer.takeLine(limit: Self.maximumTrailerBytes) else { return false }
                guard !line.isEmpty else { return true }
                guard bytes + line.count <= Self.maximumTrailerBytes else { throw Self.malformed }
                state = .trailers(bytes: bytes + line.count)
            }
        }
    }

    private static func size(_ line: [UInt8], limit: Int) throws(RequestRefusal) -> Int {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let digits = line.prefix { $0 != UInt8(ascii: ";") && !isBlank($0) }
        let rest = line.dropFirst(digits.count).drop(while: isBlank)
        guard !digits.isEmpty, rest.isEmpty || rest.first == UInt8(ascii: ";") else { throw Self.malformed }
        guard digits.count <= 15 else { throw RequestRefusal.body(limit: limit) }
        var size = 0
        for digit in digits {
            guard let value = PercentEncoding.hexDigit(digit) else { throw Self.malformed }
            size = size << 4 | Int(value)
        }
        return size
    }
}
