/// The thread of a `ThreadExecutor` as a place for tasks: a task that prefers it runs there whatever is no actor's with a
/// thread of its own, so that calls of the thread's actor cost no change of thread.
///
/// Only for short work that ends in such calls; what blocks or computes long delays everybody else's.
package final class ThreadPreference: TaskExecutor {
    private let thread: ThreadExecutor

    /// Prefers the thread of an executor.
    package init(_ thread: ThreadExecutor) { self.thread = thread }

    /// Puts a job at the end of the thread's queue.
    package func enqueue(_ job: consuming ExecutorJob) {
        thread.enqueue(UnownedJob(job), as: asUnownedTaskExecutor())
    }
}
