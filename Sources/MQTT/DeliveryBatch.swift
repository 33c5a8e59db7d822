import ThreadKit

/// Messages that were handed over together, and what becomes of each: whoever handed them over waits for all at once.
///
/// One wait for many messages costs one change of thread instead of one for each.
///
/// ## Thread Safety
/// All members may be called from anywhere; the first outcome of each message stands.
final class DeliveryBatch: Sendable {
    typealias Outcome = Result<MQTTDelivery, any Error>

    private struct State {
        var outcomes: [Outcome?]
        var open: Int
        var waiter: CheckedContinuation<Void, Never>?
    }

    let messages: [MQTTMessage]
    private let state: Locked<State>

    init(_ messages: [MQTTMessage]) {
        self.messages = messages
        state = Locked(State(outcomes: Array(repeating: nil, count: messages.count), open: messages.count))
    }

    /// Settles one message, where it is not settled yet.
    func settle(_ index: Int, _ outcome: Outcome) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.outcomes[index] == nil else { return nil }
            state.outcomes[index] = outcome
            state.open -= 1
            guard state.open == 0 else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Whether nobody waits for a message any more.
    func isSettled(_ index: Int) -> Bool { state.withLock { $0.outcomes[index] != nil } }

    /// Begins what settles the messages, and waits until all are, which those of a cancelled task are at once; to be called
    /// once.
    nonisolated func outcomes(of begin: () -> Void) async -> [Outcome] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isOver = state.withLock { state in
                    if state.open > 0 { state.waiter = waiter }
                    return state.open == 0
                }
                if isOver { waiter.resume() } else { begin() }
            }
        } onCancel: {
            for index in messages.indices { settle(index, .failure(CancellationError())) }
        }
        return state.withLock { $0.outcomes.map { $0 ?? .failure(CancellationError()) } }
    }
}

/// Who waits for one message.
enum DeliveryWaiter: Sendable {
    case one(DeliveryTicket)
    case many(DeliveryBatch, index: Int)

    func settle(_ outcome: Result<MQTTDelivery, any Error>) {
        switch self {
        case .one(let ticket): ticket.settle(outcome)
        case .many(let batch, let index): batch.settle(index, outcome)
        }
    }
}
