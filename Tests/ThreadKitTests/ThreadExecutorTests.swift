import Dispatch
import Foundation
import Testing
import ThreadKit

/// An actor on a thread of its own, as every wrapper of a blocking library has.
private actor Worker {
    private let executor: ThreadExecutor
    private(set) var seen: [Int] = []
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: ThreadExecutor = ThreadExecutor(name: "worker")) {
        self.executor = executor
    }

    deinit {
        executor.stop()
    }

    var thread: UInt { UInt(pthread_self()) }
    var isOnExecutor: Bool { executor.isIsolatingCurrentContext() == true }

    func note(_ number: Int) {
        assertIsolated()
        seen.append(number)
    }

    func block(until semaphore: DispatchSemaphore) {
        semaphore.wait()
    }

    func visit(_ other: Worker, depth: Int) async -> Int {
        guard depth > 0 else { return 0 }
        let rest = await other.visit(self, depth: depth - 1)
        assertIsolated()
        return rest + 1
    }
}

@Suite(.timeLimit(.minutes(3)))
struct ThreadExecutorTests {
    /// Waits for the executor's thread to end, by asking the system for the names of this process's threads.
    private func waitForEnd(ofThread name: String) async throws {
        let folder = "/proc/self/task"
        while true {
            let tasks = try FileManager.default.contentsOfDirectory(atPath: folder)
            let names = tasks.compactMap { try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8) }
            if !names.contains(name + "\n") { return }
            await Task.yield()
        }
    }

    @Test func runsEveryJobOnOneThreadThatIsNotThePools() async {
        let worker = Worker()
        let first = await worker.thread
        for _ in 0..<100 { #expect(await worker.thread == first) }
        #expect(await worker.isOnExecutor)
        #expect(await Worker().thread != first)
    }

    @Test func keepsTheOrderOfTenThousandJobs() async {
        let worker = Worker()
        for number in 0..<10_000 { await worker.note(number) }
        #expect(await worker.seen == Array(0..<10_000))
    }

    @Test func losesNoJobOfManyTasks() async {
        let worker = Worker()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<10_000 { group.addTask { await worker.note(number) } }
        }
        #expect(await worker.seen.sorted() == Array(0..<10_000))
    }

    @Test func leavesThePoolFreeWhileItsJobsBlock() async {
        let semaphore = DispatchSemaphore(value: 0)
        let workers = (0..<(ProcessInfo.processInfo.activeProcessorCount + 2)).map { _ in Worker() }
        await withTaskGroup(of: Void.self) { group in
            for worker in workers { group.addTask { await worker.block(until: semaphore) } }
            // This runs on the pool: were the pool's threads the ones that wait, nothing would ever signal.
            group.addTask { for _ in workers { semaphore.signal() } }
        }
    }

    @Test func survivesVisitsBackAndForth() async {
        #expect(await Worker().visit(Worker(), depth: 50) == 50)
    }

    @Test func isIsolatedOnlyOnItsOwnThread() async {
        let executor = ThreadExecutor(name: "isolated")
        #expect(executor.isIsolatingCurrentContext() == false)
        let worker = Worker(executor)
        #expect(await worker.isOnExecutor)
        #expect(executor.isIsolatingCurrentContext() == false)
    }

    @Test func trapsWhenCheckedElsewhere() async {
        await #expect(processExitsWith: .failure) {
            ThreadExecutor(name: "elsewhere").checkIsolated()
        }
    }

    @Test func endsItsThreadWithItsActor() async throws {
        var worker: Worker? = Worker(ThreadExecutor(name: "ends"))
        await worker?.note(1)
        worker = nil
        try await waitForEnd(ofThread: "ends")
    }

    @Test func runsJobsThatComeAfterTheStop() async throws {
        let executor = ThreadExecutor(name: "late")
        let worker = Worker(executor)
        await worker.note(0)
        for number in 1...20 {
            executor.stop()
            try await waitForEnd(ofThread: "late")
            #expect(executor.isIsolatingCurrentContext() == false)
            await worker.note(number)
            #expect(await worker.isOnExecutor)
        }
        #expect(await worker.seen == Array(0...20))
    }

    @Test func finishesEveryJobThatRacesWithTheStop() async {
        await withTaskGroup(of: Int.self) { group in
            for _ in 0..<50 {
                let executor = ThreadExecutor(name: "race")
                let worker = Worker(executor)
                for number in 0..<20 {
                    group.addTask {
                        await worker.note(number)
                        return 1
                    }
                    if number.isMultiple(of: 5) {
                        group.addTask {
                            executor.stop(); return 0
                        }
                    }
                }
            }
            #expect(await group.reduce(0, +) == 1_000)
        }
    }
}
