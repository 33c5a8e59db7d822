import Dispatch

/// How an executor's thread waits while it has no job.
package protocol ThreadIdling: Sendable {
    /// Whether the thread is to look for another job a few times before it waits; not where something else than a job
    /// is waited for as well.
    var isWorthLingering: Bool { get }

    /// Waits for `wake()`; may return earlier. Called on the executor's thread only.
    func wait()

    /// Makes the present call of `wait()` return, or the next one if there is none; from any thread.
    func wake()
}

/// Waits for nothing but the next job.
package final class Sleeping: ThreadIdling {
    package let isWorthLingering = true
    private let semaphore = DispatchSemaphore(value: 0)

    /// Makes one, for one executor.
    package init() {}

    package func wait() {
        semaphore.wait()
    }

    package func wake() {
        semaphore.signal()
    }
}
