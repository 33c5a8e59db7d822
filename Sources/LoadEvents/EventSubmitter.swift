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
    private let sinkNames: [String]
    private let clock: any HubClock
    private let log: HubLog
    private var limits: SubmissionLimits
    private var queue = SubmissionQueue()
    private var memory = SubmissionMemory()
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
        sinkNames = sinks.map(\.name)
        self.clock = clock
        self.log = log.labelled("events")
        validator = LoadEventValidator(venues: venues, strictVenues: strictVenues, ownDevices: ownDevices)
        deliveries = sinks.map { SinkDelivery($0, store: store, clock: clock, log: log) }
        limits = SubmissionLimits(perMinute: submissionsPerMinute, programsPerMinute: programsPerMinute)
    }

    /// Makes every sink known to the store; call it before the first submission.
    package func start() async throws {
        for sink in sinks { try await store.register(sink: sink.name, withHistory: sink.wantsHistory) }
        for (name, waiting) in try await store.pauseSinks(except: sinkNames) {
            log.notice(
                "the sink '\(name)' is not configured any more; \(waiting) events and all that follow are kept for its return"
            )
        }
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
        let submission = LoadEventValidator.Submission(events: events, venueID: venue, client: client, now: clock.now)
        // Written outside the transaction; what can't be written mostly breaks a rule with a better name.
        let texts = events.map { try? EnergyKitJSON.text(of: $0) }
        let new = try await store { [validator] scope, memory in
            let judged = try validator.judge(submission, scope, &memory)
            guard let unwritten = judged.new.first(where: { texts[$0] == nil }) else {
                return EventBatch(
                    venueID: venue, events: judged.new.map { EventRow(submission.events[$0], json: texts[$0]) },
                    sessions: Self.summaries(of: judged, submission))
            }
            memory = SubmissionMemory()
            throw Self.unwritable(unwritten, submission.events[unwritten])
        }
        return SubmissionReceipt(accepted: new, duplicates: events.count - new)
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
        let rows = try events.enumerated().map { index, event in
            guard let text = try? EnergyKitJSON.text(of: event) else { throw Self.unwritable(index, event) }
            return EventRow(event, json: text)
        }
        _ = try await store { _, memory in
            for session in rows.compactMap(\.session) { memory.forget(session: session) }
            return EventBatch(
                venueID: venue, events: rows,
                recorders: [(device: device.rawValue, body: recorder)])
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
    /// - Parameters:
    ///   - sink: its name.
    ///   - sequences: which; all where nil.
    /// - Returns: how many.
    /// - Throws: `HubError` with `notFound` where there is no such sink.
    package func resend(sink: String, sequences: [Int64]? = nil) async throws -> Int {
        let delivery = try delivery(sink)
        let count = try await store.resend(sink: sink, sequences: sequences)
        await delivery.retryNow()
        return count
    }

    /// Gives a sink the events of the past, such as one that was added later; what waits for it already stays once.
    /// - Parameters:
    ///   - sink: its name.
    ///   - since: only events that happened at this time or later.
    /// - Returns: how many events were put into its queue.
    /// - Throws: `HubError` with `notFound` where there is no such sink.
    package func replay(sink: String, since: Date?) async throws -> Int {
        let delivery = try delivery(sink)
        let count = try await store.enqueueHistory(sink: sink, since: since)
        await delivery.retryNow()
        return count
    }

    /// Lets a sink that waits after a failure be tried at once.
    /// - Throws: `HubError` with `notFound` where there is no such sink.
    package func retry(sink: String) async throws { try await delivery(sink).retryNow() }

    private func delivery(_ sink: String) throws -> SinkDelivery {
        try requireSink(sink)
        let index = sinkNames.firstIndex(of: sink) ?? 0
        return deliveries[index]
    }

    /// - Throws: `HubError` with `notFound` where there is no such sink.
    package nonisolated func requireSink(_ sink: String) throws(HubError) {
        guard !sinkNames.contains(sink) else { return }
        throw HubError(
            .notFound, "there is no sink '\(sink)'; there are \(sinkNames.joined(separator: ", "))")
    }

    /// Lets go of the sinks' connections; nothing is delivered after it.
    package func close() async {
        for sink in sinks { await sink.close() }
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

    private static func unwritable(_ index: Int, _ event: AnyLoadEvent) -> EnergyKitFailure {
        EnergyKitFailure(
            InvalidLoadEvent(
                index: index, eventID: event.id, rule: .malformed,
                detail: "it has a number or a date that can't be written as JSON"))
    }

    private static func summaries(
        of judged: LoadEventValidator.Judged, _ submission: LoadEventValidator.Submission
    ) -> [SessionSummary] {
        guard !judged.wholeSessions.isEmpty else { return [] }
        let sessions = Dictionary(grouping: judged.new.map { submission.events[$0] }) { $0.sessionID }
        return judged.wholeSessions.compactMap { id in
            let events = (sessions[id] ?? []).sorted { $0.timestamp < $1.timestamp }
            guard var summary = SessionLedger.summary(of: events, at: submission.venueID, guidance: [:]) else {
                return nil
            }
            summary.irregularities.append(SessionLedger.inOneCall)
            return summary
        }
    }

    /// Stores a submission in its turn, and tells listeners and sinks.
    /// - Returns: how many events are new.
    private func store(_ work: @escaping SubmissionQueue.Work) async throws -> Int {
        guard queue.count < Self.longestQueue else {
            throw EnergyKitFailure(.serviceUnavailable, detail: "too many submissions wait", retryAfter: .seconds(1))
        }
        do {
            return try await outcome(of: work).get().count
        } catch let failure as EnergyKitFailure {
            throw failure
        } catch let error as HubError {
            throw EnergyKitFailure(.serviceUnavailable, detail: error.message, retryAfter: .seconds(5))
        } catch {
            throw EnergyKitFailure(wrapping: error)
        }
    }

    private func outcome(of work: @escaping SubmissionQueue.Work) async -> SubmissionQueue.Outcome {
        if !queue.lead() {
            let word = await withCheckedContinuation { queue.wait(work, $0) }
            if case .done(let outcome) = word { return outcome }
        }
        let followers = queue.takeFollowers()
        let outcomes = await commit([work] + followers.map(\.work))
        // Before anyone is told, so that listeners hear in the order of acceptance.
        for case .success(let new) in outcomes { announce(new) }
        for (follower, outcome) in zip(followers, outcomes.dropFirst()) {
            follower.continuation.resume(returning: .done(outcome))
        }
        queue.pass()
        return outcomes.first ?? .failure(HubError(.storage, "the store gave no answer", retry: .transient))
    }

    /// One transaction for all; where the database fails, each is tried alone, so that none suffers for another.
    private func commit(_ group: [SubmissionQueue.Work]) async -> [SubmissionQueue.Outcome] {
        // Moved and not copied, since this one uses it until the answer is here.
        let known = memory
        memory = SubmissionMemory()
        do {
            let (results, learned) = try await store.accept(group, memory: known, sinks: sinkNames)
            memory = learned
            return results
        } catch {
            guard group.count > 1 else { return [.failure(error)] }
            var outcomes: [SubmissionQueue.Outcome] = []
            for work in group { outcomes += await commit([work]) }
            return outcomes
        }
    }

    private func announce(_ new: [StoredEvent]) {
        guard !new.isEmpty else { return }
        for listener in listeners.values {
            for event in new { listener.yield(event) }
        }
        for delivery in deliveries { delivery.wake() }
    }
}

extension EventRow {
    /// The row of an event.
    init(_ event: AnyLoadEvent, json: String? = nil) {
        self.init(event: event, session: event.sessionID, state: event.stateName, json: json)
    }
}
