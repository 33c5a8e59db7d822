import Foundation
import Testing
import ThreadKit

/// Reads bytes from a pipe on its own thread while it takes jobs.
private actor PipeReader {
    private let executor: ThreadExecutor
    private let polling: Polling
    private let descriptor: Int32
    private let bytes: AsyncStream<UInt8>.Continuation
    private var hasSeenEnd = false
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ descriptor: Int32, _ bytes: AsyncStream<UInt8>.Continuation) throws {
        polling = try Polling()
        executor = ThreadExecutor(name: "pipe", idling: polling)
        self.descriptor = descriptor
        self.bytes = bytes
    }

    isolated deinit {
        bytes.finish()
        executor.stop()
    }

    func start() {
        polling.setTurn { [weak self] ready in
            self?.assumeIsolated { $0.turn(ready) } ?? Polling.Interest()
        }
    }

    func answer() -> Int { 42 }

    private func turn(_ ready: Polling.Readiness) -> Polling.Interest {
        var byte: UInt8 = 0
        if ready.contains(.reading) {
            if read(descriptor, &byte, 1) == 1 { bytes.yield(byte) } else { hasSeenEnd = true }
        }
        if hasSeenEnd { bytes.finish() }
        return Polling.Interest(descriptor: hasSeenEnd ? nil : descriptor)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct PollingTests {
    @Test func servesTheDescriptorAndTheJobsInTurn() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let (stream, continuation) = AsyncStream<UInt8>.makeStream()
        let reader = try PipeReader(ends[0], continuation)
        await reader.start()
        var received = stream.makeAsyncIterator()
        for sent in UInt8(0)..<100 {
            _ = withUnsafeBytes(of: sent) { write(ends[1], $0.baseAddress, 1) }
            #expect(await received.next() == sent)
            #expect(await reader.answer() == 42)
        }
        close(ends[1])
        #expect(await received.next() == nil)
        #expect(await reader.answer() == 42)
    }

    @Test func endsWithItsActor() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let (stream, continuation) = AsyncStream<UInt8>.makeStream()
        var reader: PipeReader? = try PipeReader(ends[0], continuation)
        await reader?.start()
        reader = nil
        for await _ in stream {}
    }

    @Test func takesNoMoreThanItsTimeout() async throws {
        let polling = try Polling()
        let turns = Locked(0)
        polling.setTurn { _ in
            turns.withLock { $0 += 1 }
            return Polling.Interest(timeout: .milliseconds(1))
        }
        for _ in 0..<3 { polling.wait() }
        #expect(turns.current == 3)
    }

    /// Somebody waits for what a turn brings, such as an answer from the network: it resumes on the same thread.
    private actor Expecting {
        private let executor: ThreadExecutor
        private let polling: Polling
        private var waiter: CheckedContinuation<Int, Never>?
        private var turns = 0
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init() throws {
            polling = try Polling()
            executor = ThreadExecutor(name: "turns", idling: polling)
        }

        isolated deinit { executor.stop() }

        func start() {
            // Without a limit of time: only the job itself can end the wait.
            polling.setTurn { [weak self] _ in
                self?.assumeIsolated { $0.turn() }
                return Polling.Interest()
            }
        }

        func next() async -> Int { await withCheckedContinuation { waiter = $0 } }

        private func turn() {
            turns += 1
            waiter?.resume(returning: turns)
            waiter = nil
        }
    }

    @Test func whatATurnBringsIsNotSleptOver() async throws {
        let expecting = try Expecting()
        await expecting.start()
        var last = 0
        for _ in 0..<500 {
            let now = await expecting.next()
            #expect(now > last)
            last = now
        }
    }
}
