package import Foundation

/// What a source must not forget over a restart, beside its series: quota, waits, and what went wrong.
package struct SourceMemory: Sendable, Equatable, Codable {
    /// What a server gave to ask "only if it changed" with.
    package struct Validator: Sendable, Equatable, Codable {
        /// The `ETag` header.
        package var entityTag: String?
        /// The `Last-Modified` header.
        package var lastModified: String?
    }

    /// A failure as it is kept and shown.
    package struct Fault: Sendable, Equatable, Codable {
        /// The name of its kind.
        package var kind: String
        /// What is wrong.
        package var what: String
        /// How to mend it.
        package var remedy: String
        /// Not to be asked again before, where the provider said so.
        package var retryAt: Date?

        /// Keeps an error.
        package init(_ error: PayloadError) {
            kind = error.kind.rawValue
            what = error.what
            remedy = error.remedy
            retryAt = error.retryAt
        }

        /// What and how to mend it.
        package var text: String { "\(what); \(remedy)" }
    }

    /// Tells settings apart; what was kept under other settings is not used.
    package var fingerprint: String
    /// The requests of the last time.
    package var ledger = RequestLedger()
    /// When it was asked last.
    package var attemptedAt: Date?
    /// When it last answered with something usable, unchanged or not.
    package var succeededAt: Date?
    /// Not to be asked before, by the provider's own word.
    package var notBefore: Date?
    /// When it is asked next.
    package var nextFetchAt: Date?
    /// Failures in a row.
    package var failures = 0
    /// Answers in a row that had nothing new although it was due.
    package var waits = 0
    /// Since when it has not answered as it should, nil while all is well.
    package var staleSince: Date?
    /// The last failure, nil while all is well.
    package var fault: Fault?
    /// When the past was asked for last.
    package var historyAskedAt: Date?
    /// By address without the key.
    package var validators: [String: Validator] = [:]

    /// Makes the memory of a source that was never asked.
    package init(fingerprint: String) { self.fingerprint = fingerprint }
}

/// When to ask a source next: pure arithmetic on what is known of it.
package struct FetchPlan: Sendable {
    /// When it has something new.
    package var publication: Publication
    /// How much it may be asked.
    package var quotas: [RequestQuota]
    /// The least time between two fetches, in seconds.
    package var leastSeconds: Double

    /// Makes a plan.
    package init(publication: Publication, quotas: [RequestQuota] = [], leastSeconds: Double = 60) {
        self.publication = publication
        self.quotas = quotas
        self.leastSeconds = leastSeconds
    }

    /// When to ask next.
    /// - Parameters:
    ///   - memory: what is known of the source.
    ///   - known: until when its figures reach, nil when there are none.
    ///   - now: the present.
    ///   - draw: a random number in 0..<1, drawn anew for each fetch, so that hubs do not ask all at once.
    package func next(_ memory: SourceMemory, knownUntil known: Date?, now: Date, draw: Double) -> Date {
        guard let last = memory.attemptedAt else { return memory.ledger.room(from: now, quotas: quotas) }
        let wanted = memory.failures > 0 ? afterFailure(memory, last, draw) : wish(memory, last, known, now, draw)
        let floor = max(last.addingTimeInterval(leastSeconds), memory.notBefore ?? last)
        return memory.ledger.room(from: max(wanted, floor, now), quotas: quotas)
    }

    /// When to ask at the hub's start: what is kept, but at once where something failed that a person can mend, such as a key.
    ///
    /// Who mended it restarts the hub to see it work. Quotas and the provider's own word hold all the same, and the pause between two
    /// fetches where nobody can have mended anything.
    package func atStart(_ memory: SourceMemory, now: Date) -> Date? {
        guard let kind = memory.fault.flatMap({ PayloadError.Kind(rawValue: $0.kind) }), kind != .rateLimitExceeded,
            memory.notBefore ?? now <= now
        else { return memory.nextFetchAt }
        let pause = kind.needsPerson ? 0 : leastSeconds
        let earliest = pause > 0 ? max(now, memory.attemptedAt?.addingTimeInterval(pause) ?? now) : now
        // An attempt of a clock that was ahead is no reason to wait.
        return memory.ledger.room(from: min(earliest, now.addingTimeInterval(leastSeconds)), quotas: quotas)
    }

    /// The moment at which an answer that should have come is late enough to call the source stale; nil while all is known that can be.
    package func overdueSince(knownUntil known: Date?, now: Date) -> Date? {
        guard case .daily = publication, let day = due(at: now) else { return nil }
        let late = day.published.addingTimeInterval(4 * 3600)
        return late < now && (known ?? .distantPast) < day.needed ? late : nil
    }

    /// A minute, doubled with each failure up to an hour; what only a person can mend is looked at each hour.
    private func afterFailure(_ memory: SourceMemory, _ last: Date, _ draw: Double) -> Date {
        let kind = memory.fault.flatMap { PayloadError.Kind(rawValue: $0.kind) }
        var seconds = min(3600, 60 * pow(2, Double(min(memory.failures, 20) - 1)))
        switch kind {
        case let kind? where kind.needsPerson: seconds = 3600
        case .rateLimitExceeded: seconds = max(regularSeconds, seconds)
        default: break
        }
        return last.addingTimeInterval(seconds * (0.75 + 0.5 * draw))
    }

    /// The time between two fetches when all is well.
    private var regularSeconds: Double {
        switch publication {
        case .rolling(let seconds): seconds
        case .daily: 900
        }
    }

    private func wish(_ memory: SourceMemory, _ last: Date, _ known: Date?, _ now: Date, _ draw: Double) -> Date {
        switch publication {
        case .rolling(let seconds): return last.addingTimeInterval(seconds * (0.9 + 0.2 * draw))
        case .daily:
            guard let day = due(at: now) else { return last.addingTimeInterval(3600) }
            if (known ?? .distantPast) >= day.needed { return day.next.addingTimeInterval(600 * draw) }
            // It is late: often at first, then each hour; the last look may have been before it was due at all.
            if last < day.published { return day.published.addingTimeInterval(600 * draw) }
            let seconds = min(3600, 600 * pow(1.5, Double(min(memory.waits, 10))))
            return last.addingTimeInterval(seconds * (0.75 + 0.5 * draw))
        }
    }

    /// The last publication before an instant, until when figures should reach since then, and the next publication.
    private func due(at now: Date) -> (published: Date, needed: Date, next: Date)? {
        guard case .daily(let hour, let minute, let zone) = publication, let zone = TimeZone(identifier: zone) else {
            return nil
        }
        let clock = LocalClock(zone: zone)
        let today = clock.day(at: now).daysSince1970
        let moment = { (day: Int) -> Date in
            let wall = Double(day) * 86_400 + Double(hour * 3600 + minute * 60)
            return clock.instants(showing: wall).first ?? clock.start(of: CivilDay(daysSince1970: day))
        }
        let day = moment(today) <= now ? today : today - 1
        // The last hour may be another market day's in the source's own zone.
        let needed = clock.start(of: CivilDay(daysSince1970: day + 2)).addingTimeInterval(-3600)
        return (moment(day), needed, moment(day + 1))
    }
}
