import Foundation
import HubKit
import ThreadKit

/// Wakes one loop at a chosen time or at once; several calls before the loop looks are one signal.
final class WakeUp: Sendable {
    /// One element for each reason to look.
    let signals: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let clock: any HubClock
    private let timer = Locked<Task<Void, Never>?>(nil)

    init(clock: any HubClock) {
        self.clock = clock
        (signals, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        continuation.yield()
    }

    deinit {
        timer.withLock { $0?.cancel() }
        continuation.finish()
    }

    /// Wakes the loop at once.
    func now() { continuation.yield() }

    /// Wakes the loop at `date`, instead of any time chosen before.
    func schedule(at date: Date) {
        let (clock, continuation) = (clock, continuation)
        let task = Task {
            guard (try? await clock.sleep(until: date)) != nil else { return }
            continuation.yield()
        }
        timer.withLock { old in
            old?.cancel()
            old = task
        }
    }
}
