/// Those who want to know when a source changes; part of the actor that is the source.
struct SourceListeners {
    private var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
    private var next = 0

    /// A stream for one more listener, and the number to forget it by.
    mutating func add(_ forget: @escaping @Sendable (Int) -> Void) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = next
        next += 1
        continuations[number] = continuation
        continuation.onTermination = { _ in forget(number) }
        return stream
    }

    mutating func forget(_ number: Int) { continuations[number] = nil }

    func notify() {
        for continuation in continuations.values { continuation.yield() }
    }

    mutating func finish() {
        for continuation in continuations.values { continuation.finish() }
        continuations.removeAll()
    }
}
