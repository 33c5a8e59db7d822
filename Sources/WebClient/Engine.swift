import CCurl
import Glibc
import ThreadKit

/// Drives all transfers of one client on a thread of its own, which alone calls libcurl.
actor Engine {
    private let multi: CurlMulti
    private let executor: ThreadExecutor
    private let configuration: WebClientConfiguration
    private var transfers: [Int: Transfer] = [:]
    private var lastNumber = 0
    private var isRunning = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes an engine; its thread begins with the first request.
    /// - Throws: `WebClientError.invalidRequest` when the library can't start.
    init(_ configuration: WebClientConfiguration) throws(WebClientError) {
        self.configuration = configuration
        multi = try CurlMulti(maximumConnections: configuration.maximumConnections)
        executor = ThreadExecutor(name: "web-client", idling: multi)
    }

    isolated deinit {
        multi.setTurn(nil)
        for transfer in transfers.values { transfer.leave(multi.handle) }
        executor.stop()
    }

    /// How many transfers are not done, for tests.
    var count: Int { transfers.count }
    /// How often all transfers were moved on, for tests.
    private(set) var rounds = 0

    /// Sends a request and waits for the head of its answer.
    /// - Returns: the head, and the number under which the body is to be had; it must be given back with `end(_:)`.
    /// - Throws: `WebClientError`, `CancellationError`.
    func begin(_ request: WebRequest, _ address: WebAddress) async throws -> (WebAnswerHead, Int) {
        try Task.checkCancellation()
        run()
        let transfer = try Transfer(request, address, configuration)
        lastNumber += 1
        let number = lastNumber
        transfers[number] = transfer
        transfer.join(multi.handle)
        do {
            let head = try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { self.keep($0, forHeadOf: number) }
            } onCancel: {
                Task { await self.cancel(number) }
            }
            return (head, number)
        } catch {
            end(number)
            throw error
        }
    }

    /// The next piece of the body; nil at its end.
    /// - Throws: `WebClientError`, `CancellationError`.
    func piece(_ number: Int) async throws -> [UInt8]? {
        try Task.checkCancellation()
        guard let transfer = transfers[number] else { return nil }
        if let piece = transfer.takePiece() { return try piece.get() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { self.keep($0, forPieceOf: number) }
        } onCancel: {
            Task { await self.cancel(number) }
        }
    }

    /// Forgets a transfer, and closes its connection if the body was not read to its end.
    func end(_ number: Int) {
        guard let transfer = transfers.removeValue(forKey: number) else { return }
        transfer.leave(multi.handle)
    }

    // A closure that is handed to withTaskCancellationHandler runs on the actor only if it captures the actor; one that
    // touched a transfer without it ran on another thread, and the compiler said nothing. Hence these two.

    private func keep(_ waiter: CheckedContinuation<WebAnswerHead, any Error>, forHeadOf number: Int) {
        guard let transfer = transfers[number] else { return waiter.resume(throwing: CancellationError()) }
        transfer.wait(forHead: waiter)
    }

    private func keep(_ waiter: CheckedContinuation<[UInt8]?, any Error>, forPieceOf number: Int) {
        guard let transfer = transfers[number] else { return waiter.resume(throwing: CancellationError()) }
        transfer.wait(forPiece: waiter)
    }

    private func cancel(_ number: Int) {
        guard let transfer = transfers[number] else { return }
        transfer.leave(multi.handle)
        transfer.cancel()
    }

    // MARK: - The thread

    private func run() {
        guard !isRunning else { return }
        isRunning = true
        // OpenSSL writes without the flag that suppresses the signal; only this thread is to ignore it.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        multi.setTurn { [weak self] in self?.assumeIsolated { $0.turn() } ?? 60_000 }
    }

    /// Moves all transfers on, and tells those who wait; it follows every call of this actor.
    private func turn() -> Int32 {
        guard !transfers.isEmpty else { return 3_600_000 }
        rounds += 1
        var running: Int32 = 0
        curl_multi_perform(multi.handle, &running)
        collectEndings()
        let now = ContinuousClock.now
        var left = Duration.seconds(60)
        for transfer in transfers.values {
            left = min(left, transfer.checkLimits(now: now))
            if transfer.outcome != nil { transfer.leave(multi.handle) }
            transfer.serve()
        }
        return left.milliseconds
    }

    private func collectEndings() {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi.handle, &remaining) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            let code = message.pointee.data.result
            // Few transfers run at once; a look at each is cheaper than keeping a second table.
            transfers.values.first { $0.has(handle) }?.finish(code)
        }
    }
}
