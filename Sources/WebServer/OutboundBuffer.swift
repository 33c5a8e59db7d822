import Glibc

/// Bytes that wait for the client to take them.
struct OutboundBuffer {
    /// What an attempt to send came to.
    enum Progress: Equatable {
        /// Everything was sent.
        case empty
        /// Something is left; the flag tells whether anything was sent.
        case waiting(didSend: Bool)
        /// The connection is broken.
        case failed
    }

    private static let turnBytes = 256 << 10
    private var pieces: [[UInt8]] = []
    private var firstPiece = 0
    private var sentOfFirst = 0
    /// How many bytes wait.
    private(set) var count = 0

    mutating func append(_ piece: [UInt8]) {
        guard !piece.isEmpty else { return }
        pieces.append(piece)
        count += piece.count
    }

    mutating func removeAll() {
        self = OutboundBuffer()
    }

    /// Sends until the socket takes no more, or one connection's turn is over.
    mutating func send(to descriptor: Int32) -> Progress {
        var sent = 0
        while firstPiece < pieces.count, sent < Self.turnBytes {
            let offset = sentOfFirst
            let written = pieces[firstPiece].withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...].prefix(Self.turnBytes))
                return Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            guard written >= 0 else {
                if errno == EINTR { continue }
                return errno == EAGAIN ? .waiting(didSend: sent > 0) : .failed
            }
            sent += written
            advance(written)
        }
        return count == 0 ? .empty : .waiting(didSend: sent > 0)
    }

    private mutating func advance(_ written: Int) {
        count -= written
        sentOfFirst += written
        guard sentOfFirst == pieces[firstPiece].count else { return }
        pieces[firstPiece] = []
        firstPiece += 1
        sentOfFirst = 0
        guard firstPiece == pieces.count || firstPiece > 256 else { return }
        pieces.removeSubrange(..<firstPiece)
        firstPiece = 0
    }
}
