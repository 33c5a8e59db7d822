import Foundation
import HubKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ClockTests {
    private let start = Date(timeIntervalSince1970: 1_780_000_000)

    @Test func aFastClockSleepsShorter() async throws {
        let clock = ScaledClock(start: start, speed: 3600)
        try await clock.sleep(seconds: 60)
        #expect(clock.now >= start.addingTimeInterval(60))
        // Sixty clock seconds are a sixtieth of a real one; an hour would be a whole one.
        #expect(clock.now < start.addingTimeInterval(24 * 3600))
    }

    @Test func aPastDeadlineReturnsAtOnce() async throws {
        try await ScaledClock(start: start, speed: 1).sleep(until: start)
        let system = SystemClock()
        try await system.sleep(until: system.now)
        #expect(system.speed == 1)
    }

    @Test func cancellingEndsASleep() async {
        for clock in [SystemClock(), ScaledClock(start: start, speed: 1)] as [any HubClock] {
            let sleeper = Task { try await clock.sleep(seconds: 3600) }
            sleeper.cancel()
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
    }

    @Test func aFastClockAllowsThreeRealSeconds() {
        #expect(ScaledClock(start: start, speed: 600).tolerance(seconds: 60) == 1800)
        #expect(ScaledClock(start: start, speed: 600).tolerance(seconds: 7200) == 7200)
        #expect(SystemClock().tolerance(seconds: 60) == 60)
    }
}
