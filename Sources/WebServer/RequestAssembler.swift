/// Puts requests together from bytes in whatever pieces they come; no input or output of its own.
///
/// Give it bytes with `append`, then ask `next()` until it says `.incomplete`. After a request, `next()` goes on with
/// the one behind it, if a client sent several at once. After a refusal it is of no further use.
struct RequestAssembler {
    /// What the bytes so far amount to.
    enum Step: Equatable {
        /// More bytes are needed.
        case incomplete
        /// The client waits for `100 Continue` before it sends the body.
        case sendContinue
        /// A whole request.
        case request(RequestHead, body: [UInt8])
        /// Answer this status and close: what follows cannot be understood.
        case refused(RequestRefusal)
    }

    private enum State {
        case head
        case body(RequestHead, remaining: Int)
        case chunked(RequestHead, ChunkedDecoder)
    }

    private let maximumHeaderBytes: Int
    private let maximumBodyBytes: Int
    private var buffer = InboundBuffer()
    private var state = State.head
    private var body: [UInt8] = []
    private var searched = 0

    init(maximumHeaderBytes: Int, maximumBodyBytes: Int) {
        self.maximumHeaderBytes = maximumHeaderBytes
        self.maximumBodyBytes = maximumBodyBytes
    }

    /// Whether nothing of a next request has come yet.
    var isIdle: Bool {
        guard case .head = state else { return false }
        return buffer.isEmpty
    }

    /// The number of bytes that were not looked at yet.
    var bufferedBytes: Int { buffer.count }

    /// The bytes that came behind the last request; the assembler gives them up.
    mutating func takeRest() -> [UInt8] {
        buffer.take(buffer.count)
    }

    mutating func append(_ bytes: some Collection<UInt8>) {
        buffer.append(bytes)
    }

    /// Goes as far as the bytes allow.
    mutating func next() -> Step {
        do throws(RequestRefusal) {
            switch state {
            case .head: return try readHead()
            case .body(let head, let remaining): return readBody(head, remaining: remaining)
            case .chunked(let head, let decoder): return try readChunks(head, decoder)
            }
        } catch {
            return .refused(error)
        }
    }

    private mutating func readHead() throws(RequestRefusal) -> Step {
        guard let head = try takeHead() else { return .incomplete }
        let isOpen = head.expectsContinue && buffer.isEmpty
        switch head.bodyLength {
        case .known(0):
            return .request(head, body: [])
        case .known(let length):
            guard length <= maximumBodyBytes else { throw RequestRefusal.body(limit: maximumBodyBytes) }
            state = .body(head, remaining: length)
        case .chunked:
            state = .chunked(head, ChunkedDecoder())
        }
        return isOpen ? .sendContinue : next()
    }

    private mutating func takeHead() throws(RequestRefusal) -> RequestHead? {
        // Empty lines before a request are skipped, as RFC 9112, section 2.2 advises.
        if searched == 0 { buffer.dropLineBreaks() }
        // One byte may be half of such an empty line, and is no head.
        guard buffer.count > 1 else { return nil }
        guard let end = buffer.endOfHead(from: &searched) else {
            guard buffer.count > maximumHeaderBytes else { return nil }
            throw buffer.hasWholeLine ? longHead : longLine
        }
        guard end.head <= maximumHeaderBytes else { throw longHead }
        let bytes = buffer.take(end.next)
        searched = 0
        return try RequestHead(bytes[..<end.head])
    }

    private var longHead: RequestRefusal {
        RequestRefusal(431, "the head is longer than \(maximumHeaderBytes) bytes; send fewer or shorter header fields")
    }

    private var longLine: RequestRefusal {
        RequestRefusal(414, "the address is longer than \(maximumHeaderBytes) bytes; shorten its query")
    }

    private mutating func readBody(_ head: RequestHead, remaining: Int) -> Step {
        let part = buffer.take(min(remaining, buffer.count))
        body += part
        guard part.count == remaining else {
            state = .body(head, remaining: remaining - part.count)
            return .incomplete
        }
        return finish(head)
    }

    private mutating func readChunks(_ head: RequestHead, _ decoder: ChunkedDecoder) throws(RequestRefusal) -> Step {
        var decoder = decoder
        let isComplete = try decoder.decode(&buffer, into: &body, limit: maximumBodyBytes)
        state = .chunked(head, decoder)
        return isComplete ? finish(head) : .incomplete
    }

    private mutating func finish(_ head: RequestHead) -> Step {
        let whole = body
        body = []
        state = .head
        return .request(head, body: whole)
    }
}
