import Foundation
import HubKit
import TestSupport
import Testing

@Suite struct BackoffTests {
    @Test func ceilingsDoubleUpToFiveMinutes() {
        let ceilings = (1...10).map { Backoff().ceiling(attempt: $0) }
        #expect(ceilings == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        #expect(Backoff().ceiling(attempt: 0) == 0)
        #expect(Backoff().ceiling(attempt: .max) == 300)
    }

    @Test(arguments: 1...12) func jitterSpreadsFromZeroToTheCeiling(attempt: Int) {
        let backoff = Backoff()
        let ceiling = backoff.ceiling(attempt: attempt)
        #expect(backoff.delay(attempt: attempt, draw: 0) == 0)
        #expect(backoff.delay(attempt: attempt, draw: 0.25) == ceiling / 4)
        for _ in 0..<200 {
            let delay = backoff.delay(attempt: attempt, draw: Double.random(in: 0..<1))
            #expect(delay >= 0 && delay < ceiling)
        }
        #expect(backoff.delay(attempt: attempt, draw: 7) == ceiling)
    }
}

@Suite(.timeLimit(.minutes(3))) struct RetryTests {
    private struct Failure: RetryableError { let retryClass: RetryClass }
    private let clock = ManualClock()

    @Test func anErrorThatSaysNothingIsTransient() {
        struct Plain: Error {}
        #expect(RetryClass(of: Plain()) == .transient)
        #expect(RetryClass(of: HubError(.device, "gone", retry: .needsPerson)) == .needsPerson)
        #expect(RetryClass(of: HubError(.configuration, "wrong")) == .permanent)
    }

    @Test func waitsFollowTheClass() throws {
        let now = clock.now
        for failures in 1...10 {
            let wait = try #require(
                waitingTime(after: Failure(retryClass: .transient), failures: failures, backoff: Backoff(), now: now))
            #expect((0...Backoff().ceiling(attempt: failures)).contains(wait))
        }
        let until = now.addingTimeInterval(12 * 3600)
        #expect(
            waitingTime(
                after: Failure(retryClass: .rateLimited(until: until)), failures: 1, backoff: Backoff(), now: now)
                == 43_200)
        let past = now.addingTimeInterval(-60)
        let wait = waitingTime(
            after: Failure(retryClass: .rateLimited(until: past)), failures: 1, backoff: Backoff(), now: now)
        #expect(try #require(wait) >= 0)
        #expect(waitingTime(after: Failure(retryClass: .permanent), failures: 1, backoff: Backoff(), now: now) == nil)
        #expect(waitingTime(after: Failure(retryClass: .needsPerson), failures: 1, backoff: Backoff(), now: now) == 300)
    }

    @Test func triesAgainUntilItSucceeds() async throws {
        let attempts = CollectingLog()
        let task = Task { [clock] in
            try await retrying(clock: clock) { () async throws -> Int in
                attempts.log.info("")
                if attempts.lines.count < 4 { throw Failure(retryClass: .needsPerson) }
                return attempts.lines.count
            }
        }
        for expected in 1...3 {
            await clock.waitForSleepers(1)
            #expect(attempts.lines.count == expected)
            await clock.advance(by: 299)
            #expect(attempts.lines.count == expected)
            await clock.advance(by: 1)
        }
        #expect(try await task.value == 4)
    }

    @Test func aPermanentErrorIsTriedOnce() async {
        let attempts = CollectingLog()
        await #expect(throws: Failure.self) {
            try await retrying(clock: clock) { () async throws -> Int in
                attempts.log.info("")
                throw Failure(retryClass: .permanent)
            }
        }
        #expect(attempts.lines.count == 1)
    }

    @Test func theLastOfTheAttemptsThrowsItsError() async {
        let attempts = CollectingLog()
        await #expect(throws: Failure.self) {
            try await retrying(attempts: 1, clock: clock) { () async throws -> Int in
                attempts.log.info("")
                throw Failure(retryClass: .transient)
            }
        }
        #expect(attempts.lines.count == 1)
    }

    @Test func cancellingEndsTheWait() async {
        let task = Task { [clock] in
            try await retrying(clock: clock) { () async throws -> Int in throw Failure(retryClass: .needsPerson) }
        }
        await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
