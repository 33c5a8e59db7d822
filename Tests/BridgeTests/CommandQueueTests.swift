import MQTT
import Testing

@testable import Bridge

/// What becomes of commands that come faster than they can be carried out.
@Suite("The queue of commands") struct CommandQueueTests {
    private func command(_ number: Int, payload: Int = 1) -> MQTTMessage {
        MQTTMessage(topic: "\(number)", payload: Array(repeating: UInt8(ascii: "0"), count: payload))
    }

    /// Everything that is due, in its order: the topics, and whether each is carried out.
    private func all(_ queue: CommandQueue) -> [(topic: String, isCarriedOut: Bool)] {
        var found: [(String, Bool)] = []
        while let due = queue.next() {
            switch due {
            case .carryOut(let message): found.append((message.topic, true))
            case .refuse(let topics): found += topics.map { ($0, false) }
            }
        }
        return found
    }

    @Test(
        "none is lost and none comes twice, in order, and the last ones are carried out",
        arguments: [1, 256, 257, 1000, 5000])
    func order(count: Int) {
        let queue = CommandQueue()
        for number in 0..<count { queue.append(command(number)) }
        let found = all(queue)
        #expect(found.map(\.topic) == (0..<count).map { "\($0)" })
        #expect(found.map(\.isCarriedOut) == (0..<count).map { $0 >= count - CommandQueue.capacity })
        #expect(queue.unanswered == 0)
        #expect(queue.next() == nil)
    }

    @Test("taken meanwhile, as many more fit")
    func interleaved() {
        let queue = CommandQueue()
        var found: [String] = []
        for number in 0..<2000 {
            queue.append(command(number))
            if number % 3 == 0, case .carryOut(let message)? = queue.next() { found.append(message.topic) }
        }
        let rest = all(queue)
        #expect(Set(found).isDisjoint(with: rest.map(\.topic)))
        #expect(rest.last?.topic == "1999" && rest.last?.isCarriedOut == true)
    }

    @Test("a flood keeps no more than it may, and counts what it does not answer")
    func flood() {
        let queue = CommandQueue()
        let count = CommandQueue.capacity + CommandQueue.longestRefusal + 500
        for number in 0..<count { queue.append(command(number)) }
        #expect(queue.unanswered == 500)
        let found = all(queue)
        #expect(found.count == count - 500)
        #expect(found.filter(\.isCarriedOut).count == CommandQueue.capacity)
    }

    @Test("of a huge payload no more is kept than shows that it is too long")
    func huge() {
        let queue = CommandQueue()
        queue.append(command(1, payload: 10_000_000))
        guard case .carryOut(let message)? = queue.next() else {
            Issue.record("there is nothing")
            return
        }
        #expect(message.payload.count == CommandQueue.longestPayload + 1)
    }
}
