/// An open line to one or more devices, used by one thread at a time.
protocol Link: AnyObject {
    /// Whether the other end has not been seen to close the line.
    var isOpen: Bool { get }

    /// Sends a request and waits for its answer; replies to anything else are dropped on the way.
    /// - Returns: the protocol data unit of the answer, or of the device's refusal.
    func exchange(_ request: ModbusRequest, timeout: Duration) throws(LinkFailure) -> [UInt8]
}

/// How an exchange failed, told apart by what may be done next.
enum LinkFailure: Error, Equatable {
    /// The line was found dead before any byte of the request left: it may be sent again on a new line.
    case notSent(String)
    /// The line died after the request had left.
    case lost(String)
    /// No answer in time. `isReachable` tells whether the other machine at least received the request.
    case silent(isReachable: Bool)
    /// The stream makes no sense any more.
    case garbled(String)
    /// The answer came and is wrong in itself; the line is sound.
    case malformed(String)

    /// Whether the line may have been waited on for nothing.
    var maySpendTime: Bool {
        switch self {
        case .silent, .garbled, .malformed: true
        case .notSent, .lost: false
        }
    }
}
