import EnergyKit
import Foundation

/// How many submissions each client may make in a minute: a bucket of tokens that fills evenly.
struct RateLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var at: Date
    }

    /// Submissions a minute for each client.
    let perMinute: Int
    private var buckets: [String: Bucket] = [:]

    init(perMinute: Int) { self.perMinute = max(perMinute, 1) }

    /// Takes one submission from the client's allowance.
    /// - Returns: the seconds to wait where there is none left; `nil` where the submission may go on.
    mutating func take(_ client: String, at now: Date) -> Double? {
        if buckets.count >= 1_000, buckets[client] == nil { forgetIdle(at: now) }
        let capacity = Double(perMinute)
        let perSecond = capacity / 60
        var bucket = buckets[client] ?? Bucket(tokens: capacity, at: now)
        let elapsed = max(now.timeIntervalSince(bucket.at), 0)
        bucket.tokens = min(capacity, bucket.tokens + elapsed * perSecond)
        bucket.at = now
        defer { buckets[client] = bucket }
        guard bucket.tokens >= 1 else { return (1 - bucket.tokens) / perSecond }
        bucket.tokens -= 1
        return nil
    }

    /// A client that was quiet for a minute has its whole allowance again, as one that was never seen.
    private mutating func forgetIdle(at now: Date) {
        buckets = buckets.filter { now.timeIntervalSince($0.value.at) < 60 }
    }
}

/// The two limits on submissions: what a credential may do in all, and what one program that names itself may do.
///
/// A client is a credential's key, with a slash and the program's name behind it where it gave one.
struct SubmissionLimits: Sendable {
    private var credentials: RateLimiter
    private var programs: RateLimiter

    init(perMinute: Int, programsPerMinute: Int) {
        credentials = RateLimiter(perMinute: perMinute)
        programs = RateLimiter(perMinute: programsPerMinute)
    }

    /// Takes one submission from the client's allowances.
    /// - Throws: `EnergyKitFailure` of `rateLimitExceeded` with the time to wait.
    mutating func take(_ client: String, at now: Date) throws(EnergyKitFailure) {
        let parts = client.split(separator: "/", maxSplits: 1)
        if parts.count == 2, let wait = programs.take(client, at: now) { throw Self.failure(programs, wait) }
        let credential = parts.first.map { String($0) } ?? client
        if let wait = credentials.take(credential, at: now) { throw Self.failure(credentials, wait) }
    }

    private static func failure(_ limiter: RateLimiter, _ wait: Double) -> EnergyKitFailure {
        EnergyKitFailure(
            .rateLimitExceeded, detail: "at most \(limiter.perMinute) submissions a minute",
            retryAfter: .seconds(wait.rounded(.up)))
    }
}
