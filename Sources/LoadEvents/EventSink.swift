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
    ///   one of them is refused for good.
    func deliver(_ events: [StoredEvent]) async throws
}

extension EventSink {
    /// Only events from now on.
    package var wantsHistory: Bool { false }
}

/// How a sink's deliveries are doing.
package struct SinkStatus: Sendable, Equatable, Codable {
    /// The sink.
    package var name: String
    /// Events that wait for it.
    package var depth: Int
    /// Failed attempts in a row.
    package var failures: Int
    /// When it is tried again, after a failure.
    package var nextAttempt: Date?
    /// Why the last attempt failed; absent while it works.
    package var lastError: String?
    /// Events that it refused for good.
    package var deadLetters: Int
}
