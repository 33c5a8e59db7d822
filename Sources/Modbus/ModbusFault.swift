/// Something that goes wrong with the reply to one request, for tests and demonstrations.
///
/// A reply that must not be taken for the answer carries the right number of words, all bits of them inverted, so that
/// a client that takes it reports values that are plainly wrong.
package enum ModbusFault: Equatable, Sendable {
    /// The reply comes that much later; meanwhile the server goes on serving.
    case delay(Duration)
    /// No reply.
    case drop
    /// A reply with the transaction number of the request before it, then the answer if wanted.
    case lateFrame(thenAnswer: Bool = true)
    /// A reply in the name of another unit, then the answer if wanted.
    case foreignUnit(UInt8, thenAnswer: Bool = true)
    /// A reply to another function (reading holding and input registers swapped), then the answer if wanted.
    case foreignFunction(thenAnswer: Bool = true)
    /// That exception instead of the answer.
    case exception(ModbusException)
    /// Those bytes, whatever they are, instead of the answer.
    case babble([UInt8])
    /// The connection is closed instead of an answer.
    case close
}

/// The faults that are to come, in their order.
struct FaultPlan: Sendable {
    private var queue: [(fault: ModbusFault, times: Int?)] = []
    /// How much later every reply comes.
    var replyDelay: Duration = .zero
    /// How much later the replies of single units come.
    var unitDelays: [UInt8: Duration] = [:]
    /// After how many replies each connection is closed.
    var closesAfter: Int?

    /// Adds a fault that befalls the next `times` requests after those planned so far; nil is all that follow.
    mutating func add(_ fault: ModbusFault, times: Int?) {
        guard times ?? 1 > 0 else { return }
        queue.append((fault, times))
    }

    /// The fault for the request that just came.
    mutating func next() -> ModbusFault? {
        guard let (fault, times) = queue.first else { return nil }
        guard let times else { return fault }
        if times == 1 { queue.removeFirst() } else { queue[0].times = times - 1 }
        return fault
    }
}
