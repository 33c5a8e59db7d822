package import Foundation
package import Storage

/// One place that load events are delivered to.
package protocol EventSink: Sendable {
    /// Its name in the store and in metrics; stable, since its queue is kept under it.
    var name: String { get }
    /// Whether a sink that is new gets the whole history, or only events from now on.
    var wantsHistory: Bool { get }

    /// Delivers events in order; a repeat of an event has to be harmless.
    /// - Throws: an error whose `RetryClass` says whether the same events may be tried again; `permanent` means that
    ///   one of them is refused for good. `PartialDelivery` says how many the other side has for certain.
    func deliver(_ events: [StoredEvent]) async throws

    /// A word each time the other side is there again, where the sink keeps a connection that shows it; what waits is
    /// then tried at once.
    func reconnections() async -> AsyncStream<Void>?

    /// Lets go of connections; nothing is delivered after it.
    func close() async
}

extension EventSink {
    /// Only events from now on.
    package var wantsHistory: Bool { false }
    /// There is no connection to watch.
    package func reconnections() async -> AsyncStream<Void>? { nil }
    /// There is nothing to let go of.
    package func close() async {}
}

/// A delivery that broke off: the first events arrived, the next did not.
package struct PartialDelivery: Error {
    /// How many of the events, from the first on, the other side has for certain.
    package let delivered: Int
    /// What happened to the one after them; where it is refused for good, to that one alone.
    package let cause: any Error

    /// Tells how far it went.
    package init(delivered: Int, cause: any Error) {
        self.delivered = delivered
        self.cause = cause
    }
}

/// How a sink's deliveries are doing.
package struct SinkStatus: Sendable, Equatable, Codable {
    /// The sink.
    package var name: String
    /// Events that wait for it.
    package var depth: Int
    /// Events that it took since the hub started.
    package var delivered: Int
    /// When the oldest event that waits for it happened.
    package var oldestWaiting: Date?
    /// Failed attempts in a row.
    package var failures: Int
    /// Whether it failed so often in a row that single events test whether it is back.
    package var isBroken: Bool
    /// When it is tried again, after a failure.
    package var nextAttempt: Date?
    /// Why the last attempt failed; absent while it works.
    package var lastError: String?
    /// Events that it refused for good.
    package var deadLetters: Int
}
