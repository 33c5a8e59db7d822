import ThreadKit

/// What becomes of a message that was handed over: whoever has the ticket waits for it where he is.
///
/// A continuation inside the client's actor would be resumed on another thread first and come back to the actor's own
/// before its caller hears of it; so nobody waits in there.
///
/// ## Thread Safety
/// All members may be called from anywhere; the first outcome stands.
final class DeliveryTicket: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<MQTTDelivery, any Error>)
        case settled(Result<MQTTDelivery, any Error>)
    }

    private let state = Locked(State.open)

    /// Whether nobody waits any more.
    var isSettled: Bool { state.withLock { if case .settled = $0 { true } else { false } } }

    /// Settles it, where it is not settled yet.
    func settle(_ outcome: Result<MQTTDelivery, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<MQTTDelivery, any Error>? in
            switch state {
            case .settled: return nil
            case .open:
                state = .settled(outcome)
                return nil
            case .awaited(let waiter):
                state = .settled(outcome)
                return waiter
            }
        }
        waiter?.resume(with: outcome)
    }

    /// Begins what has the outcome, and waits for it; to be called once.
    /// - Throws: the failure, or `CancellationError` as soon as the task is cancelled.
    nonisolated func outcome(of begin: () -> Void) async throws -> MQTTDelivery {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                let known = state.withLock { state -> Result<MQTTDelivery, any Error>? in
                    if case .settled(let outcome) = state { return outcome }
                    state = .awaited(waiter)
                    return nil
                }
                if let known { waiter.resume(with: known) } else { begin() }
            }
        } onCancel: {
            settle(.failure(CancellationError()))
        }
    }
}
