import EnergyKit
import Foundation
package import HubKit
package import Storage
import ThreadKit

/// Delivers one sink's queue: in order, in batches, until it is empty, and then whenever something new is there.
///
/// A fault that may pass keeps the events and waits longer each time; a refusal for good is narrowed down to the one
/// event, which is set aside so that those behind it go on.
package actor SinkDelivery {
    /// The most events of one delivery.
    package static let batchSize = 500
    /// Failures in a row after which single events test whether the sink is back.
    package static let breakerFailures = 5
    /// The longest wait that another side may ask for, in seconds: a day.
    package static let longestWait = 86_400.0
    /// The longest wait for the hub's own store, in seconds.
    static let longestWaitForStore = 5.0
    /// How long events may gather after a batch that was not full.
    static let gathering = Duration.milliseconds(100)

    private let sink: any EventSink
    private let store: HubStore
    private let clock: any HubClock
    private let log: HubLog
    private let backoff: Backoff
    private let pause: @Sendable (Double) async throws -> Void
    private let wakes: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation
    private let queue = Locked(Queue())

    private var failures = 0
    private var fault: StandingFault
    private var refusals: StandingFault
    private var delivered = 0
    private var lastError: String?
    private var nextAttempt: Date?
    private var waiting: Task<Void, any Error>?
    /// Whether someone wanted another attempt while the last one was under way.
    private var isWantedAtOnce = false
    /// Events at the head of the queue among which one is refused for good.
    private var suspects: Int?
    /// The most events of the next delivery after one was refused for good, since those behind it often are too; it
    /// doubles with each that is taken, and is nothing once it is a batch again.
    private var cautious: Int?
    /// Events of the last attempt, where it failed: the same ones are tried again, so that the other side can know them.
    private var attempted: Int?
    private var watchers: [AsyncStream<Void>.Continuation] = []

    /// What is known of the queue on disk, also to those that only add to it.
    private struct Queue {
        /// How often something was added.
        var additions = 0
        /// Whether it was empty after the last addition that is counted.
        var isEmpty = false
    }

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
    package nonisolated func wake() {
        queue.withLock { queue in
            queue.additions += 1
            queue.isEmpty = false
        }
        waker.yield()
    }

    /// Ends a wait after a failure, since the other side may be back.
    package func retryNow() {
        wake()
        isWantedAtOnce = true
        waiting?.cancel()
    }

    /// How the deliveries are doing.
    package func status() async -> SinkStatus {
        let depth = try? await store.depth(sink: sink.name)
        let oldest = try? await store.oldestWaiting(sink: sink.name)
        return SinkStatus(
            name: sink.name, depth: depth?.waiting ?? 0, delivered: delivered, oldestWaiting: oldest,
            failures: failures, isBroken: failures >= Self.breakerFailures, nextAttempt: nextAttempt,
            lastError: lastError, deadLetters: depth?.dead ?? 0)
    }

    /// Delivers until the task is cancelled.
    package func run() async {
        await withTaskGroup(of: Void.self) { group in
            if let reconnections = await sink.reconnections() {
                group.addTask { for await _ in reconnections { await self.retryNow() } }
            }
            await deliverAll()
            group.cancelAll()
        }
    }

    private func deliverAll() async {
        var signals = wakes.makeAsyncIterator()
        while !Task.isCancelled {
            do {
                let additions = queue.withLock { $0.additions }
                let events = try await store.nextBatch(sink: sink.name, limit: batchLimit)
                guard !events.isEmpty else {
                    settle(emptyAfter: additions)
                    if await signals.next(isolation: self) == nil { return }
                    continue
                }
                attempted = events.count
                isWantedAtOnce = false
                try await deliver(events)
                attempted = nil
                if events.count < Self.batchSize, suspects == nil, cautious == nil { try await gather() }
            } catch is CancellationError {
                return
            } catch {
                guard await waitAfter(error) else { return }
            }
        }
    }

    /// Waits a moment after a batch that was not full, so that under load events travel together.
    private func gather() async throws { try await Task.sleep(for: Self.gathering) }

    /// Returns once the queue is empty or the sink fails; for the way out.
    package func settled() async {
        guard !queue.withLock({ $0.isEmpty }), nextAttempt == nil else { return }
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        watchers.append(continuation)
        for await _ in stream { return }
    }

    private var batchLimit: Int {
        if let suspects { return max(suspects / 2, 1) }
        return failures >= Self.breakerFailures ? 1 : attempted ?? cautious ?? Self.batchSize
    }

    private func deliver(_ events: [StoredEvent]) async throws {
        do {
            try await sink.deliver(events)
        } catch let partial as PartialDelivery {
            let count = min(max(partial.delivered, 0), events.count)
            if count > 0 { try await acknowledge(Array(events.prefix(count))) }
            attempted = count < events.count ? events.count - count : nil
            guard RetryClass(of: partial.cause) == .permanent, count < events.count else { throw partial.cause }
            return try await bury(events[count], partial.cause)
        } catch let error where !(error is CancellationError) && RetryClass(of: error) == .permanent {
            return try await refuse(events, error)
        }
        try await acknowledge(events)
        if let count = cautious { cautious = count * 2 < Self.batchSize ? count * 2 : nil }
        recover()
    }

    private func acknowledge(_ events: [StoredEvent]) async throws {
        try await store.acknowledge(sink: sink.name, sequences: events.map(\.sequence))
        delivered += events.count
        if let count = suspects { suspects = count > events.count ? count - events.count : nil }
    }

    /// Narrows a refusal down by halves; the one event that is left goes to the dead letters.
    private func refuse(_ events: [StoredEvent], _ error: any Error) async throws {
        recover()
        guard events.count == 1, let event = events.first else {
            suspects = events.count
            return
        }
        cautious = 1
        try await bury(event, error)
    }

    private func bury(_ event: StoredEvent, _ error: any Error) async throws {
        recover()
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
        guard !isWantedAtOnce else {
            letGo()
            return !Task.isCancelled
        }
        // Only the store can fail for good here, and that too may be mended while the hub runs.
        let speed = clock.speed
        let asked = waitingTime(after: error, failures: failures, backoff: backoff, now: clock.now) ?? backoff.cap
        // The hub's own store is not a service that wants to be spared, and a full disk may have room again at once.
        let isOwn = (error as? HubError)?.code == .storage
        let wait = min(asked, isOwn ? Self.longestWaitForStore : Self.longestWait)
        // As precise as the clock itself.
        let next = clock.now.addingTimeInterval(wait * speed).timeIntervalSince1970
        nextAttempt = Date(timeIntervalSince1970: (next * 1000).rounded(.up) / 1000)
        letGo()
        let sleep = Task { [pause] in try await pause(wait) }
        waiting = sleep
        // Whoever ends the sleep early wants another attempt, or the end of all.
        await withTaskCancellationHandler {
            _ = try? await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        (waiting, nextAttempt) = (nil, nil)
        return !Task.isCancelled
    }

    private func settle(emptyAfter additions: Int) {
        let isEmpty = queue.withLock { queue in
            queue.isEmpty = queue.additions == additions
            return queue.isEmpty
        }
        if isEmpty { letGo() }
    }

    private func letGo() {
        for watcher in watchers { watcher.yield() }
        watchers = []
    }
}
