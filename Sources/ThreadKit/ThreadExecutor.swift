import CShims
import Foundation
import Synchronization

/// A serial executor whose jobs all run on one thread of its own.
///
/// An actor that talks to a blocking C library uses it as its executor, so that a slow call never occupies the
/// cooperative pool, which has only as many threads as the machine has cores.
///
/// ## Thread Safety
/// `enqueue` may be called from any thread. The thread ends once `stop()` was called and its queue is empty; jobs that
/// arrive after that still run, on a thread made for them, so that no task is ever left hanging.
package final class ThreadExecutor: SerialExecutor {
    private struct State {
        var jobs: [Waiting] = []
        var isStopping = false
        /// A thread exists, or is being made.
        var isRunning = false
        /// The thread found nothing to do and waits for one signal.
        var isWaiting = false

        /// Whether the thread needs the signal it waits for.
        mutating func wakes() -> Bool {
            defer { isWaiting = false }
            return isWaiting
        }
    }

    /// A job, and as whose it runs: an actor's or that of a task that prefers the thread; or work that is no task's.
    private enum Waiting {
        case ofActor(UnownedJob)
        case ofTask(UnownedJob, UnownedTaskExecutor)
        case work(@Sendable () -> Void)
    }

    private enum Step {
        case run
        case wait
        case end
    }

    private let state = Locked(State())
    private let idling: any ThreadIdling
    /// The running thread, 0 when there is none; a thread that has ended must not count, since its number is given again.
    private let identity = Atomic<UInt>(0)
    /// The jobs that the thread has taken from the queue and not begun.
    private let taken = Atomic<Int>(0)
    private let name: String

    /// Makes an executor; its thread starts with the first job.
    /// - Parameters:
    ///   - name: the thread's name in debuggers and `top`; the first 15 bytes count.
    ///   - idling: how the thread waits while there is no job; by default it only sleeps.
    package init(name: String, idling: any ThreadIdling = Sleeping()) {
        self.name = name
        self.idling = idling
    }

    /// Lets the thread end after the jobs that wait now.
    package func stop() {
        let isAsleep = state.withLock { state in
            state.isStopping = true
            return state.wakes()
        }
        if isAsleep { idling.wake() }
    }

    /// Puts a job at the end of the queue.
    package func enqueue(_ job: consuming ExecutorJob) { enqueue(.ofActor(UnownedJob(job))) }

    /// Puts a job of a task that prefers this thread at the end of the queue.
    func enqueue(_ job: UnownedJob, as executor: UnownedTaskExecutor) { enqueue(.ofTask(job, executor)) }

    /// Puts work at the end of the queue that nobody awaits; in it the thread's actor may be assumed.
    ///
    /// A call that the caller awaits ends with a change of thread back to the caller; this one ends where it is.
    package func perform(_ work: @escaping @Sendable () -> Void) { enqueue(.work(work)) }

    private func enqueue(_ job: Waiting) {
        let (needsThread, isAsleep) = state.withLock { state in
            state.jobs.append(job)
            defer { state.isRunning = true }
            return (!state.isRunning, state.wakes())
        }
        if needsThread { start() }
        if isAsleep { idling.wake() }
    }

    /// Whether jobs wait while another one runs.
    package var hasWaitingJobs: Bool {
        taken.load(ordering: .relaxed) > 0 || state.withLock { !$0.jobs.isEmpty }
    }

    /// Traps unless the caller runs on this executor's thread.
    package func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the thread \(name)")
    }

    /// Whether the caller runs on this executor's thread.
    package func isIsolatingCurrentContext() -> Bool? {
        identity.load(ordering: .relaxed) == UInt(pthread_self())
    }

    private func start() {
        let thread = Thread { [self] in run() }
        thread.stackSize = 1 << 20
        thread.start()
    }

    private func run() {
        offpeak_name_thread(name)
        identity.store(UInt(pthread_self()), ordering: .relaxed)
        // Two arrays change places, so that neither is ever allocated again.
        var batch: [Waiting] = []
        while true {
            switch next(&batch) {
            case .run:
                for (index, job) in batch.enumerated() {
                    taken.store(batch.count - index - 1, ordering: .relaxed)
                    switch job {
                    case .ofActor(let job): job.runSynchronously(on: asUnownedSerialExecutor())
                    case .ofTask(let job, let executor): job.runSynchronously(on: executor)
                    case .work(let work): work()
                    }
                }
                batch.removeAll(keepingCapacity: true)
                if idling.isWorthLingering { lingerForNextJob() }
            case .wait: idling.wait()
            case .end: return
            }
        }
    }

    /// Gives the processor away a few times before the thread goes to sleep.
    ///
    /// Whoever awaits one call after the other enqueues the next job within microseconds; waking a thread that sleeps
    /// takes longer than that. Measured with Modbus reads over loopback, this raises their rate by about a third.
    private func lingerForNextJob() {
        for _ in 0..<60 {
            guard state.withLock({ $0.jobs.isEmpty && !$0.isStopping }) else { return }
            sched_yield()
        }
    }

    /// Decides under the lock what the thread does next; `batch` is empty before and holds the jobs of `.run` after.
    private func next(_ batch: inout [Waiting]) -> Step {
        var empty = batch
        batch = []
        defer { batch = empty }
        return state.withLock { state in
            if !state.jobs.isEmpty {
                swap(&state.jobs, &empty)
                return .run
            }
            guard state.isStopping else {
                state.isWaiting = true
                return .wait
            }
            identity.store(0, ordering: .relaxed)
            state.isRunning = false
            return .end
        }
    }
}
