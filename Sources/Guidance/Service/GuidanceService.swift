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
    private let sources: [any WatchedSource]
    private let monthToDateKWh: @Sendable (UUID) async -> Double?
    private let store: HubStore
    let clock: any HubClock
    private let log: HubLog
    private var signals: [UUID: VenueSignals] = [:]
    private var issued: [Key: StoredGuidance] = [:]
    private var drafts: [Key: GuidanceDraft] = [:]
    private var listeners: [Int: Listener] = [:]
    private var nextListener = 0
    private var noted: Set<String> = []
    private var writeFault: StandingFault

    /// Makes a service.
    /// - Parameters:
    ///   - venues: the homes and what their guidance is made from.
    ///   - sources: every source that has a life of its own, once, however many homes use it.
    ///   - store: where guidance is kept.
    ///   - clock: the hub's time.
    ///   - log: where changes of state are said.
    ///   - monthToDateKWh: the energy a home used this month, for plans with tiers; nil where it is not known.
    package init(
        venues: [VenueGuidance], sources: [any WatchedSource] = [], store: HubStore, clock: any HubClock, log: HubLog,
        monthToDateKWh: @escaping @Sendable (UUID) async -> Double? = { _ in nil }
    ) {
        self.venues = Dictionary(venues.map { ($0.venue.id, $0) }) { first, _ in first }
        self.sources = sources
        self.monthToDateKWh = monthToDateKWh
        self.store = store
        self.clock = clock
        self.log = log.labelled("guidance")
        writeFault = StandingFault(reminderSeconds: 3600 * max(1, clock.speed))
    }

    /// Issues the first guidance of every venue; what was in force before a restart stays so where it still holds.
    /// - Throws: when the store can't be read or written.
    package func start() async throws {
        for source in sources { await source.start() }
        try await store.forgetSources(except: sources.map(\.shelfName))
        for id in venues.keys {
            for action in [ElectricityGuidance.SuggestedAction.shift, .reduce] {
                issued[Key(venue: id, action: action)] = try await store.latestGuidance(venue: id, action: action)
            }
        }
        await refresh()
    }

    /// Runs every source and keeps guidance up to date until the task is cancelled.
    package func run() async {
        let (triggers, continuation) = AsyncStream.makeStream(of: Set<String>?.self)
        await withDiscardingTaskGroup { group in
            for source in sources {
                // Listened to before it runs: its first news must not be missed.
                let changes = await source.changes()
                group.addTask {
                    for await _ in changes { continuation.yield([source.name]) }
                }
                group.addTask { await source.run() }
            }
            group.addTask { [clock] in
                await GuidanceService.beat(clock, continuation)
                continuation.finish()
            }
            // One after the other: two refreshes at once could issue the same guidance twice.
            for await names in triggers { await refresh(names) }
            group.cancelAll()
        }
        for listener in listeners.values { listener.continuation.finish() }
        listeners.removeAll()
    }

    /// A look at everything every five minutes and at each full hour.
    private nonisolated static func beat(
        _ clock: any HubClock, _ continuation: AsyncStream<Set<String>?>.Continuation
    ) async {
        while !Task.isCancelled {
            let now = clock.now
            let hour = Date(timeIntervalSince1970: ((now.timeIntervalSince1970 / 3600).rounded(.down) + 1) * 3600)
            guard (try? await clock.sleep(until: min(hour, now.addingTimeInterval(300)))) != nil else { return }
            continuation.yield(nil)
        }
    }

    /// Rates and issues what is new, from what the sources have at hand.
    /// - Parameter names: the sources that changed; nil for all homes.
    package func refresh(_ names: Set<String>? = nil) async {
        for (id, venue) in venues where names?.contains(where: { venue.uses($0) }) ?? true {
            let now = clock.now
            var signals = signals[id] ?? VenueSignals()
            await signals.refresh(venue, around: now)
            let used = venue.ratePlan?.hasTiers == true ? await monthToDateKWh(id) : nil
            for action in [ElectricityGuidance.SuggestedAction.shift, .reduce] {
                let draft = composeGuidance(inputs(venue, signals, action, now, used))
                if action == .shift { sayWhetherNowIsKnown(draft, venue, &signals) }
                await issue(Key(venue: id, action: action), draft, venue, signals)
            }
            self.signals[id] = signals
        }
    }

    private func inputs(
        _ venue: VenueGuidance, _ signals: VenueSignals, _ action: ElectricityGuidance.SuggestedAction, _ now: Date,
        _ monthToDateKWh: Double?
    ) -> GuidanceInputs {
        GuidanceInputs(
            price: signals.price, carbon: signals.carbon, ratePlan: venue.ratePlan, hasPriceSource: venue.price != nil,
            timeZone: venue.venue.timeZone, currency: venue.venue.currency ?? "EUR", weights: venue.weights,
            action: action == .shift ? .shift : .reduce, now: now, thresholds: venue.thresholds,
            monthToDateKWh: monthToDateKWh)
    }

    /// One line when the present loses its rating or has one again, not one for each look (G-3).
    private func sayWhetherNowIsKnown(_ draft: GuidanceDraft, _ venue: VenueGuidance, _ signals: inout VenueSignals) {
        let isKnown = draft.value(at: draft.composedAt) != nil
        defer { signals.knowsNow = isKnown }
        guard venue.hasSource, isKnown != signals.knowsNow ?? true else { return }
        if isKnown { return log.notice("the present has a rating again at \(venue.venue.name)") }
        let later =
            draft.values.first.map { "what is known begins at \(InstantText.text($0.start))" } ?? "nor what is to come"
        log.warning("nothing is known of the present at \(venue.venue.name); \(later)")
    }

    private func issue(_ key: Key, _ draft: GuidanceDraft, _ venue: VenueGuidance, _ signals: VenueSignals) async {
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
            noteWriting("a new guidance can't be written and is not given out", error)
            return
        }
        noteWriting("", nil)
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
    package func faults(at venue: UUID) -> [String: String] {
        signals[venue]?.faults.mapValues { String(describing: $0) } ?? [:]
    }

    /// How every source is doing, in the order of the configuration.
    package func sourceStatuses() async -> [SourceStatus] {
        var statuses: [SourceStatus] = []
        for source in sources { statuses.append(await source.status()) }
        return statuses
    }

    /// The names of the sources that a venue's guidance is made from.
    package func sourceNames(at venue: UUID) -> [String] {
        guard let guidance = venues[venue] else { return [] }
        return [guidance.price, guidance.carbon, guidance.solar].flatMap { $0?.sourceNames ?? [] }
    }

    /// What a venue's solar system is expected to give from now on, in watts; nil where nothing is known.
    package func solarForecast(at venue: UUID) -> EnergySeries? {
        let now = clock.now
        return signals[venue]?.solar?.series.clipped(to: now..<now.addingTimeInterval(KeptSeries.aheadSeconds))
    }

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
            throw signals[key.venue]?.failure(at: venue.venue.name, now: clock.now)
                ?? EnergyKitFailure(.guidanceUnavailable, detail: "\(venue.venue.name) was not looked at yet")
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
        } catch  where venues[key.venue]?.hasSource == true {
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
            noteWriting("who was given a token can't be written", error)
        }
    }

    private func noteWriting(_ what: String, _ error: (any Error)?) {
        if let error {
            if let line = writeFault.failed("\(what): \(plainWords(of: error))", at: clock.now) { log.warning(line) }
        } else if let line = writeFault.ended("guidance can be written again", at: clock.now) {
            log.notice(line)
        }
    }
}
