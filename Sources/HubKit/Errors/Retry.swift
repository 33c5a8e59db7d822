public import Foundation

/// Runs `operation` until it succeeds, an error says that trying again is useless, or the attempts are used up.
///
/// The one retry loop of the hub: waits follow `backoff`, a rate limit's own time is kept, a fault that needs a person
/// is tried again only at the longest interval.
/// - Parameters:
///   - attempts: how often at most; `nil` for no limit.
///   - backoff: the rule of waiting.
///   - clock: whose time the waits are in.
///   - operation: what to try.
/// - Returns: what `operation` returned.
/// - Throws: the last error, or `CancellationError` when cancelled while waiting.
public func retrying<Result: Sendable>(
    attempts: Int? = nil, backoff: Backoff = Backoff(), clock: any HubClock,
    _ operation: () async throws -> Result
) async throws -> Result {
    var failures = 0
    while true {
        do {
            return try await operation()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            failures += 1
            if let attempts, failures >= attempts { throw error }
            guard let wait = waitingTime(after: error, failures: failures, backoff: backoff, now: clock.now) else {
                throw error
            }
            try await clock.sleep(seconds: wait)
        }
    }
}

/// Seconds to wait before the next attempt after `error`, or `nil` when no further attempt makes sense.
/// - Parameters:
///   - error: what the last attempt threw.
///   - failures: failures so far, this one included.
///   - backoff: the rule of waiting.
///   - now: the present moment, to turn a rate limit's end into a wait.
public func waitingTime(after error: any Error, failures: Int, backoff: Backoff, now: Date) -> Double? {
    let jittered = backoff.delay(attempt: failures, draw: Double.random(in: 0..<1))
    return switch RetryClass(of: error) {
    case .transient: jittered
    case .rateLimited(let until): max(jittered, until.map { $0.timeIntervalSince(now) } ?? 0)
    case .permanent: nil
    case .needsPerson: backoff.cap
    }
}
