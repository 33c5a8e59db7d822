package import Foundation
import HubKit
import ThreadKit

/// A clock that moves only when a test says so.
///
/// A test waits for what it started to sleep, moves the clock, and waits again: nothing ever sleeps for real.
///
///     await clock.waitForSleepers(1)           // the poll loop has read once
///     await clock.advance(by: 60, keeping: 1)  // and now every reading of the next minute
///     #expect(meter.requestCount == 7)
package final class ManualClock: HubClock {
    private struct Sleeper: Sendable {
        let id: Int
        let deadline: Date
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Waiter: Sendable {
        let id: Int
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var now: Date
        var sleepers: [Sleeper] = []
        var waiters: [Waiter] = []
        var cancelled: Set<Int> = []
        var nextID = 0
    }

    private enum Entry {
        case due, cancelled, waiting([Waiter])
    }

    package let speed: Double
    private let state: Locked<State>

    /// Makes a clock that stands still.
    /// - Parameters:
    ///   - now: what it shows.
    ///   - speed: what it claims as its speed; it moves by hand all the same.
    package init(_ now: Date = Date(timeIntervalSince1970: 1_780_000_000), speed: Double = 1) {
        state = Locked(State(now: now))
        self.speed = speed
    }

    package var now: Date { state.withLock { $0.now } }

    /// How many tasks wait for the clock now.
    package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The earliest moment a task waits for.
    package var nextDeadline: Date? { state.withLock { $0.sleepers.map(\.deadline).min() } }

    package func sleep(until deadline: Date) async throws {
        let id = nextID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                switch enter(Sleeper(id: id, deadline: deadline, continuation: continuation)) {
                case .due: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                case .waiting(let satisfied): for waiter in satisfied { waiter.continuation.resume() }
                }
            }
        } onCancel: {
            cancel(id)
        }
        try Task.checkCancellation()
    }

    private func enter(_ sleeper: Sleeper) -> Entry {
        state.withLock { state in
            if state.cancelled.remove(sleeper.id) != nil { return .cancelled }
            guard sleeper.deadline > state.now else { return .due }
            state.sleepers.append(sleeper)
            let count = state.sleepers.count
            let satisfied = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return .waiting(satisfied)
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }

    /// Returns as soon as at least `count` tasks wait for the clock, or the calling task is cancelled.
    package func waitForSleepers(_ count: Int) async {
        let id = nextID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDone = state.withLock { state in
                    if state.cancelled.remove(id) != nil || state.sleepers.count >= count { return true }
                    state.waiters.append(Waiter(id: id, count: count, continuation: continuation))
                    return false
                }
                if isDone { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume()
        }
    }

    private func nextID() -> Int {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    /// Moves the clock forward by `seconds`; see `advance(to:keeping:)`.
    package func advance(by seconds: Double, keeping count: Int = 0) async {
        await advance(to: now.addingTimeInterval(seconds), keeping: count)
    }

    /// Moves the clock to `moment`, waking the sleepers on the way in the order of their deadlines.
    ///
    /// - Parameters:
    ///   - moment: where to stop; a moment in the past moves nothing.
    ///   - count: how many tasks must wait again before the clock moves on. With 0 each woken task only gets a few
    ///     turns of the scheduler, which is enough for work without I/O.
    package func advance(to moment: Date, keeping count: Int = 0) async {
        while let sleeper = takeSleeper(before: moment) {
            sleeper.continuation.resume()
            await settle(count)
        }
        state.withLock { $0.now = max($0.now, moment) }
        await settle(count)
    }

    private func takeSleeper(before moment: Date) -> Sleeper? {
        state.withLock { state in
            let next = state.sleepers.indices.min { left, right in
                let (a, b) = (state.sleepers[left], state.sleepers[right])
                return (a.deadline, a.id) < (b.deadline, b.id)
            }
            guard let next, state.sleepers[next].deadline <= moment else { return nil }
            let sleeper = state.sleepers.remove(at: next)
            state.now = max(state.now, sleeper.deadline)
            return sleeper
        }
    }

    private func settle(_ count: Int) async {
        if count > 0 { await waitForSleepers(count) }
        for _ in 0..<10 { await Task.yield() }
    }
}
