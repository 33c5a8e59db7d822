import CShims
import Dispatch
import Foundation

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
        var jobs: [UnownedJob] = []
        var isStopping = false
        var isRunning = false
    }

    private let state = Locked(State())
    private let wake = DispatchSemaphore(value: 0)
    private let identity = Locked<UInt?>(nil)
    private let name: String

    /// Makes an executor; its thread starts with the first job.
    /// - Parameter name: the thread's name in debuggers and `top`; the first 15 bytes count.
    package init(name: String) {
        self.name = name
    }

    /// Lets the thread end after the jobs that wait now.
    package func stop() {
        state.withLock { $0.isStopping = true }
        wake.signal()
    }

    /// Puts a job at the end of the queue.
    package func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        let startThread = state.withLock { state in
            state.jobs.append(unowned)
            guard !state.isRunning else { return false }
            state.isRunning = true
            return true
        }
        if startThread { start() }
        wake.signal()
    }

    /// Traps unless the caller runs on this executor's thread.
    package func checkIsolated() {
        precondition(isIsolatingCurrentContext() == true, "not on the thread \(name)")
    }

    /// Whether the caller runs on this executor's thread.
    package func isIsolatingCurrentContext() -> Bool? {
        identity.current == UInt(pthread_self())
    }

    private func start() {
        let thread = Thread { [self] in run() }
        thread.stackSize = 512 * 1024
        thread.start()
    }

    private func run() {
        offpeak_name_thread(name)
        identity.withLock { $0 = UInt(pthread_self()) }
        while true {
            let (jobs, isDone) = state.withLock { state in
                let jobs = state.jobs
                state.jobs.removeAll(keepingCapacity: true)
                let isDone = jobs.isEmpty && state.isStopping
                if isDone { state.isRunning = false }
                return (jobs, isDone)
            }
            if isDone { return }
            if jobs.isEmpty { wake.wait() }
            for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }
}
