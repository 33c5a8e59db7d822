import MQTT
import ThreadKit

/// Commands that wait to be carried out, in the order in which they came.
///
/// A command takes the time of a write to the disk and of an answer, so a burst comes faster than it can be carried out.
/// Of more than `capacity` the oldest are passed over: of those only the topic is kept, so that each is still answered in
/// its turn.
///
/// ## Thread Safety
/// Any one may append; one reader takes.
final class CommandQueue: Sendable {
    /// What is to be done next.
    enum Due: Sendable, Equatable {
        case carryOut(MQTTMessage)
        /// The topics of commands that are not carried out.
        case refuse([String])
    }

    private struct State {
        /// The topics of those passed over, all older than what waits.
        var passedOver: [String] = []
        var waiting: [MQTTMessage] = []
        var head = 0
        var unanswered = 0
    }

    /// How many commands may wait.
    static let capacity = 256
    /// How many of those passed over may wait for their answer.
    static let longestRefusal = 10_000
    /// The longest payload of a command.
    static let longestPayload = 4096
    /// How many refusals are answered at a time.
    private static let batch = 64

    private let state = Locked(State())
    private let signal = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))

    /// Something came; ends with `finish()`.
    var arrivals: AsyncStream<Void> { signal.stream }

    /// How many got no answer, because too many waited for one.
    var unanswered: Int { state.withLock { $0.unanswered } }

    /// Adds a command; of a payload that is too long only enough is kept to see that.
    func append(_ message: MQTTMessage) {
        var message = message
        if message.payload.count > Self.longestPayload {
            message.payload = Array(message.payload.prefix(Self.longestPayload + 1))
        }
        state.withLock { state in
            state.waiting.append(message)
            guard state.waiting.count - state.head > Self.capacity else { return }
            if state.passedOver.count < Self.longestRefusal {
                state.passedOver.append(state.waiting[state.head].topic)
            } else {
                state.unanswered += 1
            }
            Self.dropHead(&state)
        }
        signal.continuation.yield()
    }

    /// No more will come.
    func finish() { signal.continuation.finish() }

    /// Takes what is due, oldest first.
    func next() -> Due? {
        state.withLock { state in
            if !state.passedOver.isEmpty {
                let topics = Array(state.passedOver.prefix(Self.batch))
                state.passedOver.removeFirst(topics.count)
                return .refuse(topics)
            }
            guard state.head < state.waiting.count else { return nil }
            let message = state.waiting[state.head]
            Self.dropHead(&state)
            return .carryOut(message)
        }
    }

    private static func dropHead(_ state: inout State) {
        state.head += 1
        // Moved together now and then, so that neither each command nor the memory costs much.
        guard state.head >= capacity || state.head == state.waiting.count else { return }
        state.waiting.removeFirst(state.head)
        state.head = 0
    }
}
