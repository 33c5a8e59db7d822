package import EnergyKit
import Foundation
package import HubKit
package import Storage

/// Rates the coming hours of every venue and hands out guidance under tokens that are on disk before anyone sees them.
///
/// A new guidance is issued only when a person would notice the difference, or the hour turns.
package actor GuidanceService: GuidanceProviding {
    private struct Key: Hashable {
        var venue: UUID
        var action: ElectricityGuidance.SuggestedAction
    }

    private struct Listener {
        var key: Key
        var requester: String
        var continuation: AsyncThrowingStream<ElectricityGuidance, any Error>.Continuation
    }

    private let venues: [UUID: VenueGuidance]
    private let store: HubStore
    let clock: any HubClock
    private let log: HubLog
    private var signals: [UUID: VenueSignals] = [:]
    private var issued: [Key: StoredGuidance] = [:]
    private var drafts: [Key: GuidanceDraft] = [:]
    private var listeners: [Int: Listener] = [:]
    private var nextListener = 0
    private var noted: Set<String> = []
    private var isStarted = false

    /// Makes a service.
    package init(venues: [VenueGuidance], store: HubStore, clock: any HubClock, log: HubLog) {
        self.venues = Dictionary(venues.map { ($0.venue.id, $0) }) { first, _ in first }
        self.store = store
        self.clock = clock
        self.log = log.labelled("guidance")
    }

    /// Issues the first guidance of every venue; what was in force before a restart stays so where it still holds.
    /// - Throws: when the store can't be read or written.
    package func start() async throws {
        for id in venues.keys {
            for action in [ElectricityGuidance.SuggestedAction.shift, .reduce] {
                issued[Key(venue: id, action: action)] = try await store.latestGuidance(venue: id, action: action)
            }
        }
        isStarted = true
        await refresh()
    }

    /// Keeps guidance up to date until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            let now = clock.now
            let hour = Date(timeIntervalSince1970: ((now.timeIntervalSince1970 / 3600).rounded(.down) + 1) * 3600)
            guard (try? await clock.sleep(until: min(hour, now.addingTimeInterval(300)))) != nil else { break }
            await refresh()
        }
        for listener in listeners.values { listener.continuation.finish() }
        listeners.removeAll()
    }

    /// Fetches, rates and issues what is new.
    package func refresh() async {
        for (id, venue) in venues {
            let now = clock.now
            var signals = signals[id] ?? VenueSignals()
            await signals.refresh(venue, around: now, log: log)
            self.signals[id] = signals
            for action in [ElectricityGuidance.SuggestedAction.shift, .reduce] {
                await issue(Key(venue: id, action: action), venue, signals, now)
            }
        }
    }

    private func issue(_ key: Key, _ venue: VenueGuidance, _ signals: VenueSignals, _ now: Date) async {
        let inputs = GuidanceInputs(
            price: signals.price, carbon: signals.carbon, ratePlan: venue.ratePlan, hasPriceSource: venue.price != nil,
            timeZone: venue.venue.timeZone, currency: venue.venue.currency ?? "EUR", weights: venue.weights,
            action: key.action == .shift ? .shift : .reduce, now: now, thresholds: venue.thresholds)
        let draft = composeGuidance(inputs)
        let before = drafts[key] ?? issued[key].map { GuidanceDraft($0) }
        if let before, issued[key] != nil, !draft.isNoticeablyDifferent(from: before), !draft.values.isEmpty {
            drafts[key] = before
            return
        }
        guard let record = draft.record(venue: key.venue, signals: signals, hasRatePlan: venue.ratePlan != nil) else {
            return
        }
        do {
            try await store.keep(record)
        } catch {
            log.warning("a new guidance could not be written and is not given out: \(error)")
            return
        }
        drafts[key] = draft
        issued[key] = record
        for listener in listeners.values where listener.key == key {
            listener.continuation.yield(record.guidance)
            await note(record.guidance.guidanceToken, listener.requester)
        }
    }

    // MARK: - GuidanceProviding

    package func guidance(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) async throws -> ElectricityGuidance {
        let guidance = try inForce(Key(venue: venue, action: action)).guidance
        await note(guidance.guidanceToken, requester)
        return guidance
    }

    package nonisolated func updates(
        _ action: ElectricityGuidance.SuggestedAction, at venue: UUID, for requester: String
    ) -> AsyncThrowingStream<ElectricityGuidance, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: ElectricityGuidance.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(4))
        Task { await self.listen(Key(venue: venue, action: action), requester, continuation) }
        return stream
    }

    /// The whole record of the guidance in force, with what stands beside each value.
    package func record(_ action: ElectricityGuidance.SuggestedAction, at venue: UUID) throws -> StoredGuidance {
        try inForce(Key(venue: venue, action: action))
    }

    /// What is wrong with a venue's sources right now, by source.
    package func faults(at venue: UUID) -> [String: String] { signals[venue]?.faults ?? [:] }

    private func inForce(_ key: Key) throws -> StoredGuidance {
        guard let venue = venues[key.venue] else {
            throw EnergyKitFailure(.venueUnavailable, detail: "there is no venue \(key.venue)")
        }
        guard venue.hasSource else {
            throw EnergyKitFailure(
                .unsupportedRegion,
                detail: "\(venue.venue.name) has no source of prices or carbon; add rate_plan or guidance to it")
        }
        guard let record = issued[key], record.guidance.interval.end > clock.now else {
            let faults =
                signals[key.venue]?.faults.map { "\($0.key): \($0.value)" }.sorted().joined(separator: "; ") ?? ""
            throw EnergyKitFailure(
                .guidanceUnavailable,
                detail: "nothing is known of the coming hours of \(venue.venue.name)"
                    + (faults.isEmpty ? "" : " (\(faults))"))
        }
        return record
    }

    private func listen(
        _ key: Key, _ requester: String,
        _ continuation: AsyncThrowingStream<ElectricityGuidance, any Error>.Continuation
    ) async {
        do {
            let first = try inForce(key).guidance
            continuation.yield(first)
            await note(first.guidanceToken, requester)
        } catch let failure as EnergyKitFailure where failure.error == .guidanceUnavailable {
            // It may come; the stream stays open for it.
        } catch {
            continuation.finish(throwing: error)
            return
        }
        nextListener += 1
        let number = nextListener
        listeners[number] = Listener(key: key, requester: requester, continuation: continuation)
        continuation.onTermination = { [weak self] _ in
            Task { await self?.forget(number) }
        }
    }

    private func forget(_ listener: Int) { listeners[listener] = nil }

    /// Notes once who was given a token.
    private func note(_ token: UUID, _ requester: String) async {
        let key = "\(token) \(requester)"
        guard !noted.contains(key) else { return }
        if noted.count > 10_000 { noted.removeAll() }
        do {
            try await store.noteRequest(token: token, by: requester, at: clock.now)
            noted.insert(key)
        } catch {
            log.warning("who was given a token could not be written: \(error)")
        }
    }
}
