import CShims
import Synchronization

/// A value that only one thread at a time may touch, and that the thread sanitizer understands.
///
/// `Mutex` is a bare futex on Linux, so the sanitizer reports correct code as a race; the two calls into `CShims`
/// tell it about the lock. Actors come first; this is for state that synchronous code or a C callback must reach.
package final class Locked<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    /// Wraps `value`.
    package init(_ value: Value) {
        mutex = Mutex(value)
    }

    /// Runs `body` with exclusive access to the value.
    ///
    /// Keep it short, and never take the same lock or call out from it: the lock does not count its holder.
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let address = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        return try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            offpeak_tsan_acquire(address)
            defer { offpeak_tsan_release(address) }
            return try body(&value)
        }
    }

    /// A copy of the value as it is now.
    package var current: Value {
        withLock { $0 }
    }
}
