package import Foundation
package import HubKit
package import Storage

/// A provider that is asked over and over: keeps the last good figures, the quota and the waits, and never throws.
///
/// What it knows outlives a restart. A dead, slow or lying provider leaves what was there in force until its slots end, and says since when.
package actor SeriesSource: WatchedSource {
    package nonisolated let name: String
    private let spec: SourceSpec
    private let currency: String?
    private let plan: FetchPlan
    private let fetcher: SourceFetcher
    private let shelf: SourceShelf
    private let clock: any HubClock
    private let log: HubLog
    private let draw: @Sendable () -> Double
    private var memory: SourceMemory
    private var kept = KeptSeries()
    private var listeners = SourceListeners()

    /// Makes a source; nothing is asked before `run`.
    /// - Parameters:
    ///   - spec: what is configured.
    ///   - currency: the currency of the homes that take its prices, nil where that is not one.
    ///   - transport: the way to the provider.
    ///   - store: where memory and figures are kept.
    ///   - clock: the hub's time.
    ///   - log: where changes of state are said.
    ///   - draw: gives random numbers in 0..<1 for jitter.
    package init(
        _ spec: SourceSpec, currency: String? = nil, transport: any SourceTransport, store: HubStore,
        clock: any HubClock, log: HubLog,
        draw: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
    ) {
        name = spec.name
        self.spec = spec
        self.currency = currency
        plan = spec.plan
        fetcher = SourceFetcher(
            provider: spec.provider, settings: spec.settings, key: spec.key, transport: transport, token: TokenBox())
        self.clock = clock
        self.log = log.labelled("guidance")
        shelf = SourceShelf(name: spec.name, store: store, log: log.labelled("guidance"))
        self.draw = draw
        memory = SourceMemory(fingerprint: spec.fingerprint)
    }

    package func start() async {
        let loaded = await shelf.load(fingerprint: spec.fingerprint)
        memory = loaded.memory
        kept = loaded.kept
        if kept.series == nil { memory.validators = [:] }
        memory.nextFetchAt = plan.atStart(memory, now: clock.now)
        if memory.nextFetchAt != loaded.memory.nextFetchAt { memory.failures = min(memory.failures, 1) }
    }

    package func run() async {
        while !Task.isCancelled {
            let now = clock.now
            let wanted =
                memory.nextFetchAt ?? plan.next(memory, knownUntil: kept.knownUntil(from: now), now: now, draw: draw())
            // A clock that was set back must not silence a source for longer than any provider asks for.
            let next = Self.wholeMilliseconds(min(wanted, now.addingTimeInterval(26 * 3600)))
            memory.nextFetchAt = next
            guard (try? await clock.sleep(until: next)) != nil else { break }
            await fetch()
        }
        listeners.finish()
    }

    /// Asks the provider once, now, as far as the quota allows.
    package func fetch() async {
        let ask = ask(at: clock.now)
        var outcome = SourceFetcher.Outcome()
        do {
            for request in try fetcher.requests(ask) {
                let moment = clock.now
                let room = memory.ledger.room(from: moment, quotas: plan.quotas)
                guard room <= moment else {
                    // With some answers in hand the rest can wait; with none that is all there is to say.
                    if outcome.series == nil, !outcome.isUnchanged { outcome.failure = Self.ownQuota(room) }
                    outcome.notBefore = room
                    break
                }
                memory.ledger.note(moment, quotas: plan.quotas)
                memory.attemptedAt = moment
                // Counted on disk before it is sent, so that a crash in between asks no more than allowed.
                await shelf.keep(memory, nil)
                let known = memory.validators[request.address]
                guard await fetcher.run(request, ask, known: known, into: &outcome) else { break }
            }
        } catch {
            outcome.failure = error
        }
        // A hub that ends in the middle of a question learnt nothing about its provider.
        if !Task.isCancelled { await settle(outcome, ask) }
    }

    /// Draws the consequences of a fetch.
    private func settle(_ outcome: SourceFetcher.Outcome, _ ask: SourceAsk) async {
        let now = clock.now
        var failure = outcome.failure
        var isAnswered = outcome.isUnchanged
        var isChanged = false
        if let fresh = outcome.series {
            do {
                isChanged = try kept.take(fresh, currency: currency, now: now)
                isAnswered = true
            } catch {
                failure = error
            }
        }
        memory.attemptedAt = now
        memory.notBefore = [outcome.notBefore, failure?.retryAt].compactMap(\.self).max().flatMap {
            $0 > now ? $0 : nil
        }
        let known = kept.knownUntil(from: now)
        // Nothing new yet is no fault while the present is known (G-7).
        let isOnlyLate = failure?.kind == .guidanceUnavailable && (isAnswered || known != nil)
        let before = memory.fault
        if let failure, !isOnlyLate {
            memory.failures += 1
            memory.staleSince = memory.staleSince ?? now
            memory.fault = .init(failure)
        } else {
            memory.failures = 0
            memory.staleSince = nil
            memory.fault = nil
            memory.waits = isChanged ? 0 : memory.waits + 1
        }
        if isAnswered {
            memory.succeededAt = now
            memory.validators = outcome.validators
            if ask.now.timeIntervalSince(ask.start) > 3 * 86_400 { memory.historyAskedAt = now }
        }
        memory.nextFetchAt = Self.wholeMilliseconds(plan.next(memory, knownUntil: known, now: now, draw: draw()))
        await shelf.keep(memory, isChanged ? kept : nil)
        say(before)
        if isChanged || before != memory.fault { listeners.notify() }
    }

    /// As precise as the hub's clock; never earlier, since a quota's room begins at just this moment.
    private static func wholeMilliseconds(_ moment: Date) -> Date {
        Date(timeIntervalSince1970: (moment.timeIntervalSince1970 * 1000).rounded(.up) / 1000)
    }

    /// One line for a change of state, never one for each fetch.
    private func say(_ before: SourceMemory.Fault?) {
        guard before?.kind != memory.fault?.kind else { return }
        guard let fault = memory.fault else { return log.notice("the source \(name) gives figures again") }
        let rest =
            kept.end.map { "what it gave until \(InstantText.text($0)) stays in force" } ?? "nothing is known of it"
        log.warning("the source \(name): \(fault.kind): \(fault.text); \(rest)")
    }

    private static func ownQuota(_ room: Date) -> PayloadError {
        PayloadError(
            .rateLimitExceeded, "the requests that the provider allows are used up",
            remedy: "nothing; it is asked again when there is room", retryAt: room)
    }

    /// What to ask for: from yesterday on, and once a day the whole week where it has holes.
    ///
    /// Edges fall on days, so that the same question has the same address and can be asked "only if it changed".
    private func ask(at now: Date) -> SourceAsk {
        let day = Date(timeIntervalSince1970: (now.timeIntervalSince1970 / 86_400).rounded(.down) * 86_400)
        let week = now.addingTimeInterval(-GuidanceInputs.historySeconds)..<now
        let asked = memory.historyAskedAt.map { now.timeIntervalSince($0) < 86_400 } ?? false
        let isWhole = spec.settings.side == .solar || asked || kept.series?.gaps(in: week).isEmpty == true
        let back = isWhole ? 86_400 : KeptSeries.historySeconds
        return SourceAsk(
            now: now, start: day.addingTimeInterval(-back), end: day.addingTimeInterval(KeptSeries.aheadSeconds))
    }

    // MARK: - WatchedSource

    package func delivery(covering range: Range<Date>) -> Delivery {
        let now = clock.now
        let series = kept.series.map { spec.provider.completed($0, now: now).clipped(to: range) }
        var faults: [String: PayloadError] = [:]
        if let fault = memory.fault, let kind = PayloadError.Kind(rawValue: fault.kind) {
            faults[name] = PayloadError(kind, fault.what, remedy: fault.remedy, retryAt: fault.retryAt)
        }
        return Delivery(series: series, fetchedAt: memory.succeededAt, staleSince: staleSince(now), faults: faults)
    }

    package func changes() -> AsyncStream<Void> {
        listeners.add { [weak self] number in Task { await self?.forget(number) } }
    }

    private func forget(_ number: Int) { listeners.forget(number) }

    private func staleSince(_ now: Date) -> Date? {
        memory.staleSince ?? plan.overdueSince(knownUntil: kept.knownUntil(from: now), now: now)
    }

    package func status() -> SourceStatus {
        let now = clock.now
        return SourceStatus(
            name: name, provider: spec.provider.name, kind: spec.settings.side.rawValue, lastFetch: memory.attemptedAt,
            lastSuccess: memory.succeededAt, nextFetch: memory.nextFetchAt, staleSince: staleSince(now),
            knownUntil: kept.end, failures: memory.failures,
            requestsLeft: memory.ledger.left(at: now, quotas: plan.quotas),
            lastError: memory.fault.map { "\($0.kind): \($0.text)" })
    }
}
