/// An answer whose body is read as it comes.
///
/// It can be read once. The server has to wait while nobody reads; letting the stream go, or cancelling the task that
/// reads, closes the connection.
package struct WebStream: AsyncSequence, Sendable {
    package typealias Element = [UInt8]
    package typealias Failure = any Error

    /// Status and header fields.
    package let head: WebAnswerHead
    fileprivate let source: Source

    init(head: WebAnswerHead, engine: Engine, number: Int) {
        self.head = head
        source = Source(engine: engine, number: number)
    }

    /// The status code.
    package var status: Int { head.status }

    /// Gives the transfer back when nobody can read it any more.
    fileprivate final class Source: Sendable {
        let engine: Engine
        let number: Int

        init(engine: Engine, number: Int) {
            self.engine = engine
            self.number = number
        }

        deinit {
            Task { [engine, number] in await engine.end(number) }
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(source: source) }

    /// Reads the body, piece by piece, of whatever length.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Source

        /// The next piece; nil at the end of the body.
        /// - Throws: `WebClientError`, `CancellationError`.
        package mutating func next() async throws -> [UInt8]? {
            try await source.engine.piece(source.number)
        }

        package mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
            try await source.engine.piece(source.number)
        }
    }

    /// Reads the rest of the body.
    /// - Throws: `WebClientError`, also `bodyTooLarge` for more than `limit` bytes; `CancellationError`.
    package func collect(limit: Int? = nil) async throws -> WebResponse {
        var body: [UInt8] = []
        for try await piece in self {
            body += piece
            if let limit, body.count > limit { throw WebClientError.bodyTooLarge(limit: limit) }
        }
        return WebResponse(head: head, body: body)
    }
}
