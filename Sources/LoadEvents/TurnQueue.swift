/// Lets callers through one after the other, in the order they came; state of the actor that owns it.
struct TurnQueue {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// How many wait.
    var count: Int { waiting.count }

    /// Takes the turn where nobody has it.
    /// - Returns: whether the caller has it now; else it waits with `wait(_:)`.
    mutating func take() -> Bool {
        guard !isTaken else { return false }
        isTaken = true
        return true
    }

    /// Puts a caller at the end of the queue.
    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { waiting.append(continuation) }

    /// Hands the turn to the next caller.
    mutating func pass() {
        guard !waiting.isEmpty else {
            isTaken = false
            return
        }
        waiting.removeFirst().resume()
    }
}
