package import EnergyKit
import Foundation
package import HubKit
package import Storage

/// The way in for load events: judged as a whole, on disk in one transaction, then delivered to every sink.
package actor EventSubmitter: EventSubmitting {
    /// Callers that may wait for their turn before more are sent away.
    static let longestQueue = 1_000

    private let store: HubStore
    private let validator: LoadEventValidator
    private let deliveries: [SinkDelivery]
    private let sinks: [any EventSink]
    private let clock: any HubClock
    private let log: HubLog
    private var limits: SubmissionLimits
    private var turns = TurnQueue()
    private var listeners: [Int: AsyncStream<StoredEvent>.Continuation] = [:]
    private var nextListener = 0

    /// Makes the submitter.
    /// - Parameters:
    ///   - store: where events are kept.
    ///   - venues: the homes.
    ///   - sinks: where accepted events go.
    ///   - clock: the hub's time.
    ///   - log: told of changes of state.
    ///   - submissionsPerMinute: how many calls each credential may make in a minute.
    ///   - programsPerMinute: how many calls each program that names itself may make in a minute.
    ///   - ownDevices: devices that the hub records itself; a client that names one is refused.
    ///   - strictVenues: homes at which a token counts only for the client or device that fetched it.
    package init(
        store: HubStore, venues: VenueRegistry, sinks: [any EventSink], clock: any HubClock, log: HubLog,
        submissionsPerMinute: Int = 6_000, programsPerMinute: Int = 60, ownDevices: Set<String> = [],
        strictVenues: Set<UUID> = []
    ) {
        self.store = store
        self.sinks = sinks
        self.clock = clock
        self.log = log.labelled("events")
        validator = LoadEventValidator(
            store: store, venues: venues, strictVenues: strictVenues, ownDevices: ownDevices)
        deliveries = sinks.map { SinkDelivery($0, store: store, clock: clock, log: log) }
        limits = SubmissionLimits(perMinute: submissionsPerMinute, programsPerMinute: programsPerMinute)
    }

    /// Makes every sink known to the store; call it before the first submission.
    package func start() async throws {
        for sink in sinks { try await store.register(sink: sink.name, withHistory: sink.wantsHistory) }
    }

    /// Delivers to every sink until the task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for delivery in deliveries { group.addTask { await delivery.run() } }
        }
    }

    package func submit(_ events: [AnyLoadEvent], at venue: UUID, from client: String?) async throws
        -> SubmissionReceipt
    {
        if let client { try limits.take(client, at: clock.now) }
        return try await inTurn {
            let judged = try await validator.judge(events, at: venue, from: client, now: clock.now)
            let sessions = summaries(of: judged, at: venue)
            let accepted = try await append(
                EventBatch(venueID: venue, events: judged.new.map { EventRow($0) }, sessions: sessions))
            return SubmissionReceipt(accepted: accepted, duplicates: events.count - accepted)
        }
    }

    /// Stores a recorder's events together with its state, in one transaction.
    ///
    /// The hub's own events are not judged: they are made from readings and quote guidance that the hub issued.
    /// - Parameters:
    ///   - events: what happened, in order; may be empty to keep the state alone.
    ///   - venue: the home.
    ///   - device: the device.
    ///   - recorder: the state to go on from after a restart; `nil` where nothing is open.
    /// - Throws: `EnergyKitFailure` with `serviceUnavailable` when it can't be written; nothing is stored then.
    package func record(_ events: [AnyLoadEvent], at venue: UUID, device: DeviceID, recorder: String?) async throws {
        try await inTurn {
            _ = try await append(
                EventBatch(
                    venueID: venue, events: events.map { EventRow($0) },
                    recorders: [(device: device.rawValue, body: recorder)]))
        }
    }

    /// What is accepted from now on; a listener that does not keep up loses the oldest.
    package func acceptedEvents() -> AsyncStream<StoredEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StoredEvent.self, bufferingPolicy: .bufferingNewest(256))
        nextListener += 1
        let key = nextListener
        listeners[key] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.forget(key) }
        }
        return stream
    }

    /// How the deliveries are doing.
    package func sinkStatuses() async -> [SinkStatus] {
        var statuses: [SinkStatus] = []
        for delivery in deliveries { statuses.append(await delivery.status()) }
        return statuses
    }

    /// Puts events that a sink refused back into its queue.
    /// - Returns: how many.
    package func resend(sink: String) async throws -> Int {
        let count = try await store.resend(sink: sink)
        for delivery in deliveries { await delivery.wake() }
        return count
    }

    /// Waits until every queue is empty or its sink fails, at most for `limit` of real time.
    package func drain(within limit: Duration) async {
        let deliveries = deliveries
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for delivery in deliveries { await delivery.settled() } }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    private func forget(_ key: Int) { listeners[key] = nil }

    private func summaries(of judged: LoadEventValidator.Judged, at venue: UUID) -> [SessionSummary] {
        guard !judged.wholeSessions.isEmpty else { return [] }
        let sessions = Dictionary(grouping: judged.new) { $0.sessionID }
        return judged.wholeSessions.compactMap { id in
            let events = (sessions[id] ?? []).sorted { $0.timestamp < $1.timestamp }
            guard var summary = SessionLedger.summary(of: events, at: venue, guidance: [:]) else { return nil }
            summary.irregularities.append(SessionLedger.inOneCall)
            return summary
        }
    }

    /// Appends, tells listeners and sinks.
    /// - Returns: how many events are new.
    private func append(_ batch: EventBatch) async throws -> Int {
        let new: [StoredEvent]
        do {
            new = try await store.appendNew(batch, sinks: sinks.map(\.name))
        } catch let error as EncodingError {
            throw EnergyKitFailure(
                InvalidLoadEvent(
                    rule: .malformed, detail: "an event can't be written as JSON: \(plainWords(of: error))"))
        }
        guard !new.isEmpty else { return 0 }
        for event in new {
            for listener in listeners.values { listener.yield(event) }
        }
        for delivery in deliveries { await delivery.wake() }
        return new.count
    }

    /// Runs one submission at a time, so that what one was judged by still holds when it is stored.
    private func inTurn<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        guard turns.count < Self.longestQueue else {
            throw EnergyKitFailure(.serviceUnavailable, detail: "too many submissions wait", retryAfter: .seconds(1))
        }
        if !turns.take() {
            await withCheckedContinuation { turns.wait($0) }
        }
        defer { turns.pass() }
        do {
            return try await body()
        } catch let failure as EnergyKitFailure {
            throw failure
        } catch let error as HubError {
            throw EnergyKitFailure(.serviceUnavailable, detail: error.message, retryAfter: .seconds(5))
        } catch {
            throw EnergyKitFailure(wrapping: error)
        }
    }
}

extension EventRow {
    /// The row of an event.
    init(_ event: AnyLoadEvent) {
        self.init(event: event, session: event.sessionID, state: event.stateName)
    }
}
