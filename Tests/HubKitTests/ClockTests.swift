import Foundation
import HubKit
import Testing
import ThreadKit

@Suite(.timeLimit(.minutes(3))) struct ClockTests {
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

/// The machine's clock is set while the hub runs.
@Suite(.timeLimit(.minutes(3))) struct ClockSetTests {
    /// A clock on the wall that a test sets.
    private final class Wall: Sendable {
        private let offset = Locked(0.0)
        private let began = ContinuousClock.now
        private let looks = Locked(0)
        let start = Date(timeIntervalSince1970: 1_780_000_000)

        func set(by seconds: Double) { offset.withLock { $0 += seconds } }

        var now: Date {
            looks.withLock { $0 += 1 }
            return start.addingTimeInterval(offset.current + (ContinuousClock.now - began).inSeconds)
        }

        /// Returns when somebody has looked so many times more.
        func untilLookedAt(times: Int, _ body: () -> Void) async {
            let before = looks.current
            body()
            while looks.current < before + times { await Task.yield() }
        }
    }

    @Test(arguments: [-3600, -1_576_800_000] as [Double]) func nobodyWaitsForAnHourThatIsLivedTwice(seconds: Double)
        async throws
    {
        let wall = Wall()
        let clock = SystemClock { wall.now }
        let deadline = clock.now.addingTimeInterval(1)
        var sleeper: Task<Void, any Error>?
        // The first look tells how long to wait, the second that it is not over.
        await wall.untilLookedAt(times: 2) { sleeper = Task { try await clock.sleep(until: deadline) } }
        wall.set(by: seconds)
        try await sleeper?.value
        #expect(clock.now < deadline, "it looks at the clock again and finds it set back")
    }

    @Test func aClockSetForwardEndsAWaitAtOnce() async throws {
        let wall = Wall()
        let clock = SystemClock { wall.now }
        let deadline = clock.now.addingTimeInterval(3600)
        wall.set(by: 3600)
        try await clock.sleep(until: deadline)
        #expect(clock.now >= deadline)
    }

    @Test(
        arguments: [
            (3600, 5, true), (-3600, 5, true), (1_766_016_000, 5, true), (31, 5, true), (-31, 5, true),
            // A drift, a network's correction and a sleeping machine are none.
            (0, 5, false), (2, 5, false), (-2, 5, false), (0, 86_400, false),
        ] as [(Double, Double, Bool)])
    func aSettingIsNoticed(set: Double, passed: Double, isNoticed: Bool) {
        let wall = Wall()
        let steady = Locked(Duration.zero)
        var watch = ClockWatch(StandingWall(wall)) { steady.current }
        #expect(watch.look() == nil)
        wall.set(by: set + passed)
        steady.withLock { $0 = .seconds(passed) }
        let found = watch.look()
        #expect((found != nil) == isNoticed)
        if let found { #expect(abs(found - set) < 5) }
        #expect(watch.look() == nil, "it is told once")
    }

    private struct StandingWall: HubClock {
        let wall: Wall
        var now: Date { wall.now }
        let speed = 1.0
        init(_ wall: Wall) { self.wall = wall }
        func sleep(until deadline: Date) async throws {}
    }

    @Test(arguments: [(0, false), (1_600_000_000, false), (1_780_000_000, true)] as [(Double, Bool)])
    func aClockBeforeThisProgramCanNotBeRight(seconds: Double, isRight: Bool) {
        let moment = Date(timeIntervalSince1970: seconds)
        #expect(SystemClock { moment }.isBelievable == isRight)
        #expect(ScaledClock(start: moment, speed: 1).isBelievable, "a demo may play in any year")
    }
}
