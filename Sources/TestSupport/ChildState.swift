import Foundation
import ThreadKit

/// What is known of a child, its output and its end.
///
/// Two reading threads and one waiting thread fill it.
final class ChildState: Sendable {
    enum Source: Sendable { case standardOutput, standardError }

    private struct State {
        var lines: [String] = []
        var bytes: [Source: [UInt8]] = [:]
        var openPipes: Set<Source> = []
        var watchers: [Int: AsyncStream<String>.Continuation] = [:]
        var nextWatcher = 0
        var exitStatus: Int32?
        var waiters: [CheckedContinuation<Int32, Never>] = []
    }

    private let processID: Int32
    private let state = Locked(State())

    init(processID: Int32) {
        self.processID = processID
    }

    var lines: [String] { state.withLock { $0.lines } }

    var exitStatus: Int32? { state.withLock { $0.exitStatus } }

    func text(of source: Source) -> String {
        String(decoding: state.withLock { $0.bytes[source] ?? [] }, as: UTF8.self)
    }

    /// The check and the signal are one step, so that a number the system has given to another process is never hit.
    func signal(_ number: Int32) {
        state.withLock { state in
            guard state.exitStatus == nil else { return }
            Foundation.kill(processID, number)
        }
    }

    func whenExited(_ continuation: CheckedContinuation<Int32, Never>) {
        let known = state.withLock { state in
            if state.exitStatus == nil { state.waiters.append(continuation) }
            return state.exitStatus
        }
        if let known { continuation.resume(returning: known) }
    }

    func stream() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let (number, isOver) = state.withLock { state in
            for line in state.lines { continuation.yield(line) }
            let number = state.nextWatcher
            state.nextWatcher += 1
            if !state.openPipes.isEmpty { state.watchers[number] = continuation }
            return (number, state.openPipes.isEmpty)
        }
        // Outside the lock: finishing calls onTermination, which takes it.
        continuation.onTermination = { [weak self] _ in self?.forget(number) }
        if isOver { continuation.finish() }
        return stream
    }

    private func forget(_ watcher: Int) {
        state.withLock { _ = $0.watchers.removeValue(forKey: watcher) }
    }

    /// Starts the thread that reads one pipe to its end.
    func read(_ descriptor: Int32, as source: Source) {
        state.withLock { _ = $0.openPipes.insert(source) }
        Thread.detachNewThread { [self] in
            var partial: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 16_384)
            while true {
                let count = Foundation.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                take(buffer[..<count], after: &partial, from: source)
            }
            close(descriptor)
            end(source, partial: partial)
        }
    }

    private func take(_ bytes: ArraySlice<UInt8>, after partial: inout [UInt8], from source: Source) {
        partial += bytes
        var pieces = partial.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        partial = pieces.popLast().map(Array.init) ?? []
        let lines = pieces.map { String(decoding: $0, as: UTF8.self) }
        state.withLock { state in
            state.bytes[source, default: []] += bytes
            state.lines += lines
            for watcher in state.watchers.values { for line in lines { watcher.yield(line) } }
        }
    }

    private func end(_ source: Source, partial: [UInt8]) {
        let finished = state.withLock { state in
            if !partial.isEmpty {
                let line = String(decoding: partial, as: UTF8.self)
                state.lines.append(line)
                for watcher in state.watchers.values { watcher.yield(line) }
            }
            state.openPipes.remove(source)
            guard state.openPipes.isEmpty else { return [AsyncStream<String>.Continuation]() }
            defer { state.watchers = [:] }
            return Array(state.watchers.values)
        }
        for watcher in finished { watcher.finish() }
    }

    /// Starts the thread that waits for the end.
    ///
    /// First it waits without reaping, then it reaps under the lock: so `signal` never meets a freed number.
    func reap() {
        Thread.detachNewThread { [self, processID] in
            var info = siginfo_t()
            while waitid(P_PID, id_t(processID), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            let (status, waiters) = state.withLock { state in
                var raw: Int32 = 0
                waitpid(processID, &raw, 0)
                let signal = raw & 0x7f
                let status = signal == 0 ? (raw >> 8) & 0xff : 128 + signal
                state.exitStatus = status
                defer { state.waiters = [] }
                return (status, state.waiters)
            }
            for waiter in waiters { waiter.resume(returning: status) }
        }
    }
}
