import Foundation
import HubKit
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3))) struct ManualClockTests {
    private let start = Date(timeIntervalSince1970: 1_780_000_000)

    @Test func standsStillUntilItIsMoved() async {
        let clock = ManualClock(start)
        #expect(clock.now == start)
        await clock.advance(by: 90)
        #expect(clock.now == start.addingTimeInterval(90))
        await clock.advance(to: start)
        #expect(clock.now == start.addingTimeInterval(90))
    }

    @Test func aDeadlineThatIsPastDoesNotWait() async throws {
        let clock = ManualClock(start)
        try await clock.sleep(until: start)
        try await clock.sleep(seconds: -1)
        #expect(clock.sleeperCount == 0)
    }

    @Test func wakesSleepersInTheOrderOfTheirDeadlines() async {
        let clock = ManualClock(start)
        let (woken, waking) = AsyncStream.makeStream(of: Double.self)
        let tasks = [30.0, 10, 20].map { seconds in
            Task {
                try? await clock.sleep(seconds: seconds)
                waking.yield(seconds)
            }
        }
        await clock.waitForSleepers(3)
        var order = woken.makeAsyncIterator()
        for (index, seconds) in [10.0, 20, 30].enumerated() {
            #expect(clock.nextDeadline == start.addingTimeInterval(seconds))
            await clock.advance(to: start.addingTimeInterval(seconds))
            #expect(clock.sleeperCount == 2 - index)
            #expect(await order.next() == seconds)
        }
        for task in tasks { await task.value }
    }

    @Test func aLoopSleepsAtEveryStepOfALongAdvance() async {
        let clock = ManualClock(start)
        let log = CollectingLog()
        let loop = Task {
            while (try? await clock.sleep(seconds: 10)) != nil { log.log.info("\(clock.now.timeIntervalSince(start))") }
        }
        await clock.waitForSleepers(1)
        await clock.advance(by: 45, keeping: 1)
        #expect(log.texts() == ["10.0", "20.0", "30.0", "40.0"])
        loop.cancel()
        await loop.value
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancellingEndsASleep() async {
        let clock = ManualClock(start)
        let sleeper = Task { try await clock.sleep(seconds: 10) }
        await clock.waitForSleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func cancellingEndsTheWaitForSleepers() async {
        let clock = ManualClock(start)
        let waiter = Task { await clock.waitForSleepers(1) }
        waiter.cancel()
        await waiter.value
    }
}
