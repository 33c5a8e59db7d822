/// The messages that wait for a free slot, while there is a connection.
///
/// Each entry gives one message in its turn, so that a single message need not wait for all of a large batch.
struct PublishQueue {
    private enum Entry {
        case one(MQTTMessage, DeliveryTicket)
        case many(DeliveryBatch, next: Int)
    }

    /// A message that is due, and who waits for it.
    typealias Due = (message: MQTTMessage, waiter: DeliveryWaiter)

    private var entries: [Entry] = []
    private var head = 0

    var isEmpty: Bool { entries.isEmpty }

    /// How many single messages and batches wait.
    var count: Int { entries.count - head }

    mutating func append(_ message: MQTTMessage, _ ticket: DeliveryTicket) { entries.append(.one(message, ticket)) }

    mutating func append(_ batch: DeliveryBatch) {
        if !batch.messages.isEmpty { entries.append(.many(batch, next: 0)) }
    }

    /// Takes the next message that somebody still waits for.
    mutating func pop() -> Due? {
        while head < entries.count {
            switch entries[head] {
            case .one(let message, let ticket):
                dropHead()
                if !ticket.isSettled { return (message, .one(ticket)) }
            case .many(let batch, let index):
                let following = index + 1
                if following == batch.messages.count {
                    dropHead()
                } else if entries.count - head == 1 {
                    entries[head] = .many(batch, next: following)
                } else {
                    dropHead()
                    entries.append(.many(batch, next: following))
                }
                if !batch.isSettled(index) { return (batch.messages[index], .many(batch, index: index)) }
            }
        }
        return nil
    }

    private mutating func dropHead() {
        head += 1
        // Moved together now and then, so that neither each turn nor the memory costs much.
        guard head == entries.count || head >= 64 else { return }
        entries.removeFirst(head)
        head = 0
    }
}
