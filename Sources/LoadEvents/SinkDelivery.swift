import EnergyKit
import Foundation
package import HubKit
package import Storage

/// Delivers one sink's queue: in order, in batches, until it is empty, and then whenever something new is there.
///
/// A fault that may pass keeps the events and waits longer each time; a refusal for good is narrowed down to the one
/// event, which is set aside so that those behind it go on.
package actor SinkDelivery {
    /// The most events of one delivery.
    package static let batchSize = 500
    /// Failures in a row after which single events test whether the sink is back.
    package static let breakerFailures = 5

    private let sink: any EventSink
    private let store: HubStore
    private let clock: any HubClock
    private let log: HubLog
    private let backoff: Backoff
    private let pause: @Sendable (Double) async throws -> Void
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    private var failures = 0
    private var fault: StandingFault
    private var refusals: StandingFault
    private var lastError: String?
    private var nextAttempt: Date?
    /// Events at the head of the queue among which one is refused for good.
    private var suspects: Int?
    private var isIdle = false
    private var watchers: [AsyncStream<Void>.Continuation] = []

    /// Makes the delivery of a sink.
    /// - Parameters:
    ///   - sink: where events go.
    ///   - store: where its queue is.
    ///   - clock: the hub's time, for what is shown.
    ///   - log: told of changes of state.
    ///   - backoff: how waits grow.
    ///   - pause: how real seconds are waited; the network's time does not run faster in a demo.
    package init(
        _ sink: any EventSink, store: HubStore, clock: any HubClock, log: HubLog, backoff: Backoff = Backoff(),
        pause: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.sink = sink
        self.store = store
        self.clock = clock
        self.log = log.labelled("sink.\(sink.name)")
        self.backoff = backoff
        self.pause = pause
        fault = StandingFault(reminderSeconds: 3600 * max(1, clock.speed))
        refusals = fault
        (wakes, waker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Says that something new is in the queue.
    package func wake() {
        isIdle = false
        waker.yield()
    }

    /// How the deliveries are doing.
    package func status() async -> SinkStatus {
        let depth = try? await store.depth(sink: sink.name)
        return SinkStatus(
            name: sink.name, depth: depth?.waiting ?? 0, failures: failures, nextAttempt: nextAttempt,
            lastError: lastError, deadLetters: depth?.dead ?? 0)
    }

    /// Delivers until the task is cancelled.
    package func run() async {
        var signals = wakes.makeAsyncIterator()
        while !Task.isCancelled {
            do {
                let events = try await store.nextBatch(sink: sink.name, limit: batchLimit)
                guard !events.isEmpty else {
                    settle(idle: true)
                    if await signals.next(isolation: self) == nil { return }
                    continue
                }
                isIdle = false
                try await deliver(events)
            } catch is CancellationError {
                return
            } catch {
                guard await waitAfter(error) else { return }
            }
        }
    }

    /// Returns once the queue is empty or the sink fails; for the way out.
    package func settled() async {
        guard !isIdle, nextAttempt == nil else { return }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        watchers.append(continuation)
        for await _ in stream { return }
    }

    private var batchLimit: Int {
        if let suspects { return max(suspects / 2, 1) }
        return failures >= Self.breakerFailures ? 1 : Self.batchSize
    }

    private func deliver(_ events: [StoredEvent]) async throws {
        do {
            try await sink.deliver(events)
        } catch let error where !(error is CancellationError) && RetryClass(of: error) == .permanent {
            return try await refuse(events, error)
        }
        try await store.acknowledge(sink: sink.name, sequences: events.map(\.sequence))
        if let count = suspects { suspects = count > events.count ? count - events.count : nil }
        recover()
    }

    /// Narrows a refusal down by halves; the one event that is left goes to the dead letters.
    private func refuse(_ events: [StoredEvent], _ error: any Error) async throws {
        recover()
        guard events.count == 1, let event = events.first else {
            suspects = events.count
            return
        }
        try await store.bury(sink: sink.name, sequence: event.sequence, reason: plainWords(of: error))
        suspects = nil
        let text = "an event was refused for good and set aside among the dead letters: \(plainWords(of: error))"
        if let line = refusals.failed(text, at: clock.now) { log.warning(line) }
    }

    private func recover() {
        if let line = fault.ended("deliveries work again", at: clock.now) { log.notice(line) }
        (failures, lastError, nextAttempt) = (0, nil, nil)
    }

    /// Waits as the error demands.
    /// - Returns: whether to go on.
    private func waitAfter(_ error: any Error) async -> Bool {
        failures += 1
        let text = plainWords(of: error)
        let said = fault.failed("delivery failed, the events are kept and tried again: \(text)", at: clock.now)
        if let said { log.warning(said) }
        lastError = text
        // Only the store can fail for good here, and that too may be mended while the hub runs.
        let speed = clock.speed
        let wait = waitingTime(after: error, failures: failures, backoff: backoff, now: clock.now) ?? backoff.cap
        nextAttempt = clock.now.addingTimeInterval(wait * speed)
        settle(idle: false)
        do {
            try await pause(wait)
        } catch {
            return false
        }
        nextAttempt = nil
        return !Task.isCancelled
    }

    private func settle(idle: Bool) {
        isIdle = idle
        for watcher in watchers { watcher.yield() }
        watchers = []
    }
}
