import ThreadKit

/// Lets one sequence of writes to a device go on at a time, in the order of asking.
///
/// An actor alone does not do that: at each `await` another of its calls may step in, and a limit that is written again
/// would resume a charger that was paused a moment before.
package final class Turn: Sendable {
    private struct State: Sendable {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())

    /// Nobody has it.
    package init() {}

    /// Returns when it is the caller's turn; `give()` has to follow.
    package func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken {
                    state.waiting.append(continuation)
                    return false
                }
                state.isTaken = true
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    /// Lets the next one in.
    package func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.isTaken = false
            return nil
        }
        next?.resume()
    }
}
