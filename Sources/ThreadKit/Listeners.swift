/// Everyone who wants to hear of changes, each with a stream of its own.
///
/// ## Thread Safety
/// All members may be called from anywhere and never wait for a listener.
package final class Listeners<Element: Sendable>: Sendable {
    private struct State {
        var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
        var last = 0
    }

    private let state = Locked(State())
    private let limit: Int

    /// Nobody yet.
    /// - Parameter limit: how many unread elements a listener keeps; one that does not keep up loses the oldest.
    package init(bufferingNewest limit: Int) { self.limit = limit }

    /// What is told from now on, until the stream's reader goes.
    package func stream() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(limit))
        let key = state.withLock { state in
            state.last += 1
            state.continuations[state.last] = continuation
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.continuations.removeValue(forKey: key) }
        }
        return stream
    }

    /// Tells everyone who listens now.
    package func tell(_ element: Element) {
        let continuations = state.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(element) }
    }

    /// How many listen.
    package var count: Int { state.withLock { $0.continuations.count } }
}
