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
