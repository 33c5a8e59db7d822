import Foundation
import Testing
import ThreadKit

/// An actor whose executor is the thread that tasks prefer.
private actor Owner {
    private let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: ThreadExecutor) { self.executor = executor }

    func thread() -> UInt {
        assertIsolated()
        return currentThread()
    }
}

/// An actor that runs wherever its caller's task does.
private actor Guest {
    func thread() -> UInt { currentThread() }

    func around(_ owner: Owner) async -> [UInt] {
        let before = currentThread()
        let within = await owner.thread()
        return [before, within, currentThread()]
    }
}

private func currentThread() -> UInt { UInt(pthread_self()) }

@Suite(.timeLimit(.minutes(3)))
struct ThreadPreferenceTests {
    private let executor = ThreadExecutor(name: "preferred")

    @Test func aTaskThatPrefersTheThreadStaysOnItThroughCallsOfActors() async {
        defer { executor.stop() }
        let owner = Owner(executor)
        let guest = Guest()
        let home = await owner.thread()
        let seen = await Task.detached(executorPreference: ThreadPreference(executor)) {
            var seen = [currentThread(), await owner.thread(), currentThread(), await guest.thread()]
            seen += await guest.around(owner)
            await withTaskGroup(of: UInt.self) { group in
                for _ in 0..<10 { group.addTask { currentThread() } }
                for await thread in group { seen.append(thread) }
            }
            return seen
        }.value
        #expect(seen.count == 17 && Set(seen) == [home], "\(seen) and \(home)")
    }

    @Test func anActorWithAThreadOfItsOwnIsNotDrawnOver() async {
        defer { executor.stop() }
        let other = ThreadExecutor(name: "other")
        defer { other.stop() }
        let elsewhere = Owner(other)
        let home = await Owner(executor).thread()
        let seen = await Task.detached(executorPreference: ThreadPreference(executor)) {
            [currentThread(), await elsewhere.thread(), currentThread()]
        }.value
        #expect(seen[0] == home && seen[2] == home && seen[1] != home)
    }

    @Test func tasksAndActorsShareTheThreadWithoutLosingAJobOrRunningTwoAtOnce() async {
        defer { executor.stop() }
        let owner = Owner(executor)
        let home = await owner.thread()
        let threads = await withTaskGroup(of: UInt.self) { group in
            for number in 0..<2_000 {
                if number.isMultiple(of: 2) {
                    group.addTask { await owner.thread() }
                } else {
                    group.addTask(executorPreference: ThreadPreference(executor)) { currentThread() }
                }
            }
            return await group.reduce(into: [UInt: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(threads == [home: 2_000])
    }

    @Test func aTaskAfterTheStopStillRuns() async {
        executor.stop()
        let value = await Task.detached(executorPreference: ThreadPreference(executor)) { 42 }.value
        #expect(value == 42)
    }
}
