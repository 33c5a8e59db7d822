import Foundation
import Synchronization

/// Waits for the next job, for a file descriptor and for a moment at once.
///
/// An actor that drives a C library's socket uses it: the library is then only called from the actor's own thread, and
/// neither side has to lock or copy.
package final class Polling: ThreadIdling {
    /// What a descriptor is ready for.
    package struct Readiness: OptionSet, Sendable {
        package let rawValue: Int

        /// Makes a set from its bits.
        package init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// Reading would give bytes, the end, or an error.
        package static let reading = Readiness(rawValue: 1)
        /// Writing would take bytes or give an error.
        package static let writing = Readiness(rawValue: 2)
        /// The connection is broken; comes with `reading`, since there may be bytes left.
        package static let failed = Readiness(rawValue: 4)
    }

    /// What to wait for besides the next job.
    package struct Interest: Sendable {
        /// The descriptor to read from; nil for none.
        package var descriptor: Int32?
        /// Whether to wait for room to write, too.
        package var wantsWriting: Bool
        /// The longest wait; nil for no limit.
        package var timeout: Duration?

        /// Makes an interest, by default in nothing.
        package init(descriptor: Int32? = nil, wantsWriting: Bool = false, timeout: Duration? = nil) {
            self.descriptor = descriptor
            self.wantsWriting = wantsWriting
            self.timeout = timeout
        }
    }

    /// One turn of work on the executor's thread: told what is ready, it says what to wait for next.
    package typealias Turn = @Sendable (Readiness) -> Interest

    private struct State {
        var turn: Turn?
        var ready: Readiness = []
    }

    package let isWorthLingering = false
    private let state = Locked(State())
    /// The thread while it is in a turn, else 0.
    private let turning = Atomic<UInt>(0)
    /// Whether the turn itself brought a job.
    private let isWoken = Atomic<Bool>(false)
    private let readEnd: Int32
    private let writeEnd: Int32

    /// Makes one, for one executor.
    /// - Throws: `POSIXError` when the process has no descriptor left.
    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EMFILE) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Sets the work that is done before each wait; nil ends it.
    package func setTurn(_ turn: Turn?) {
        state.withLock { $0.turn = turn }
    }

    package func wait() {
        let (turn, ready) = state.withLock { state in
            defer { state.ready = [] }
            return (state.turn, state.ready)
        }
        turning.store(UInt(pthread_self()), ordering: .relaxed)
        let interest = turn?(ready) ?? Interest()
        turning.store(0, ordering: .relaxed)
        if isWoken.exchange(false, ordering: .relaxed) { return }
        var descriptors = [pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)]
        if let descriptor = interest.descriptor {
            let events = POLLIN | (interest.wantsWriting ? POLLOUT : 0)
            descriptors.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
        }
        guard poll(&descriptors, nfds_t(descriptors.count), Self.milliseconds(interest.timeout)) > 0 else { return }
        if descriptors[0].revents != 0 { drain() }
        if descriptors.count > 1 { note(Int32(descriptors[1].revents)) }
    }

    package func wake() {
        // From the turn itself there is nothing to wake.
        if turning.load(ordering: .relaxed) == UInt(pthread_self()) {
            isWoken.store(true, ordering: .relaxed)
            return
        }
        var byte: UInt8 = 0
        // A full pipe refuses the byte, and wakes just as well.
        _ = write(writeEnd, &byte, 1)
    }

    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 64)
        while read(readEnd, &buffer, buffer.count) == buffer.count {}
    }

    private func note(_ events: Int32) {
        var ready: Readiness = []
        if events & POLLOUT != 0 { ready.insert(.writing) }
        if events & (POLLERR | POLLHUP | POLLNVAL) != 0 { ready.insert(.failed) }
        if events & ~POLLOUT != 0 { ready.insert(.reading) }
        state.withLock { $0.ready = ready }
    }

    /// Rounded up, so that the moment has come when the wait is over.
    private static func milliseconds(_ timeout: Duration?) -> Int32 {
        guard let timeout else { return -1 }
        let (seconds, attoseconds) = timeout.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 86_400 else { return 86_400_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
