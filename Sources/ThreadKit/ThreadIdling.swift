import Dispatch

/// How an executor's thread waits while it has no job.
package protocol ThreadIdling: Sendable {
    /// Waits for `wake()`; may return earlier. Called on the executor's thread only.
    func wait()

    /// Makes the present call of `wait()` return, or the next one if there is none; from any thread.
    func wake()
}

/// Waits for nothing but the next job.
package final class Sleeping: ThreadIdling {
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
