import Foundation
import Guidance
import Testing

@Suite struct FetchPlanTests {
    private let daily = FetchPlan(publication: .dayAhead())

    private func memory(asked: String?, failures: Int = 0, kind: PayloadError.Kind = .serviceUnavailable) throws
        -> SourceMemory
    {
        var memory = SourceMemory(fingerprint: "test")
        memory.attemptedAt = try asked.map { try at($0) }
        memory.failures = failures
        if failures > 0 { memory.fault = .init(PayloadError(kind, "what", remedy: "how")) }
        return memory
    }

    @Test func aNewSourceIsAskedAtOnce() throws {
        let now = try at("2026-02-03T10:00:00Z")
        #expect(daily.next(try memory(asked: nil), knownUntil: nil, now: now, draw: 0.9) == now)
    }

    @Test(arguments: [
        // Before the publication all of today is enough.
        ("2026-02-03T08:00:00Z", "2026-02-03T23:00:00Z", "2026-02-03T12:00:00Z"),
        // Afterwards, with tomorrow in hand, the next day's.
        ("2026-02-03T12:10:00Z", "2026-02-04T23:00:00Z", "2026-02-04T12:00:00Z"),
        // In summer the publication is an hour earlier in UTC.
        ("2026-07-03T08:00:00Z", "2026-07-03T22:00:00Z", "2026-07-03T11:00:00Z"),
        // An agile tariff's day ends an hour before midnight in London, as the market's does.
        ("2026-02-03T12:10:00Z", "2026-02-04T22:30:00Z", "2026-02-04T12:00:00Z"),
        // The days on which clocks change.
        ("2026-03-28T13:00:00Z", "2026-03-29T22:00:00Z", "2026-03-29T11:00:00Z"),
        ("2026-10-24T13:00:00Z", "2026-10-25T23:00:00Z", "2026-10-25T12:00:00Z"),
    ])
    func aDayAheadSourceIsAskedWhenThereIsSomethingNew(now: String, known: String, next: String) throws {
        let moment = daily.next(try memory(asked: now), knownUntil: try at(known), now: try at(now), draw: 0)
        #expect(moment == (try at(next)))
    }

    @Test func jitterSpreadsHubsOverTenMinutes() throws {
        let moment = daily.next(
            try memory(asked: "2026-02-03T08:00:00Z"), knownUntil: try at("2026-02-03T23:00:00Z"),
            now: try at("2026-02-03T08:00:00Z"), draw: 0.999)
        let window = try span("2026-02-03T12:09:00Z", "2026-02-03T12:10:00Z")
        #expect(window.contains(moment))
    }

    @Test func aLatePublicationIsLookedForOftenAtFirst() throws {
        let known = try at("2026-02-03T23:00:00Z")
        let asked = "2026-02-03T12:30:00Z"
        var late = try memory(asked: asked)
        var waits: [Double] = []
        for count in [0, 1, 2, 3, 9, 50] {
            late.waits = count
            let moment = daily.next(late, knownUntil: known, now: try at(asked), draw: 0.5)
            waits.append(moment.timeIntervalSince(try at(asked)))
        }
        #expect(waits == [600, 900, 1350, 2025, 3600, 3600])
    }

    @Test func lateIsSaidAfterFourHours() throws {
        let known = try at("2026-02-03T23:00:00Z")
        #expect(daily.overdueSince(knownUntil: known, now: try at("2026-02-03T15:59:00Z")) == nil)
        #expect(
            daily.overdueSince(knownUntil: known, now: try at("2026-02-03T16:01:00Z"))
                == (try at("2026-02-03T16:00:00Z")))
        #expect(
            daily.overdueSince(knownUntil: try at("2026-02-04T23:00:00Z"), now: try at("2026-02-03T20:00:00Z")) == nil)
    }

    @Test(arguments: [
        (1, PayloadError.Kind.serviceUnavailable, 60.0), (2, .serviceUnavailable, 120), (4, .malformed, 480),
        (9, .serviceUnavailable, 3600), (500, .serviceUnavailable, 3600), (1, .permissionDenied, 3600),
        (1, .unsupportedRegion, 3600), (1, .rateLimitExceeded, 900), (5, .rateLimitExceeded, 960),
    ])
    func failuresAreTriedAgainLaterAndLater(failures: Int, kind: PayloadError.Kind, seconds: Double) throws {
        let asked = "2026-02-03T09:00:00Z"
        let moment = daily.next(
            try memory(asked: asked, failures: failures, kind: kind), knownUntil: nil, now: try at(asked), draw: 0.5)
        #expect(moment.timeIntervalSince(try at(asked)) == seconds)
    }

    @Test func theProvidersOwnWordIsKept_G6() throws {
        var refused = try memory(asked: "2026-02-03T09:00:00Z", failures: 1, kind: .rateLimitExceeded)
        refused.notBefore = try at("2026-02-03T21:00:00Z")
        for draw in [0, 0.5, 0.99] {
            let moment = daily.next(refused, knownUntil: nil, now: try at("2026-02-03T09:00:00Z"), draw: draw)
            #expect(moment == refused.notBefore)
        }
    }

    @Test(arguments: 1...20)
    func noQuotaIsEverExceeded(seed: Int) throws {
        var random = SeededNumbers(seed: seed)
        let quotas = [
            RequestQuota(Int.random(in: 1...12, using: &random), perSeconds: 3600),
            RequestQuota(40, perSeconds: 86_400),
        ]
        let plan = FetchPlan(
            publication: .rolling(seconds: Double.random(in: 60...900, using: &random)), quotas: quotas)
        var memory = SourceMemory(fingerprint: "test")
        var now = try at("2026-02-03T00:00:00Z")
        var moments: [Date] = []
        for _ in 0..<200 {
            now = plan.next(memory, knownUntil: nil, now: now, draw: Double.random(in: 0..<1, using: &random))
            memory.ledger.note(now, quotas: quotas)
            memory.attemptedAt = now
            moments.append(now)
            if Bool.random(using: &random) {
                memory.failures += 1
                memory.fault = .init(PayloadError(.malformed, "a", remedy: "b"))
            } else {
                memory.failures = 0
            }
            // A hub that is restarted knows its memory from disk.
            memory = try JSONDecoder().decode(SourceMemory.self, from: try JSONEncoder().encode(memory))
        }
        for quota in quotas {
            for moment in moments {
                let counted = moments.filter { $0 > moment.addingTimeInterval(-quota.seconds) && $0 <= moment }
                #expect(counted.count <= quota.requests)
            }
        }
        for (first, second) in zip(moments, moments.dropFirst()) { #expect(second.timeIntervalSince(first) >= 59.999) }
    }
}
