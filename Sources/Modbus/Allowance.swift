/// What one request may still try before its failure is reported.
struct Allowance {
    private let isRead: Bool
    private var repetitions: Int
    private var reconnects = 1
    private var busyPause: Duration = .milliseconds(20)
    private var busyTime: Duration

    /// What a fresh request may try: reads are repeated as often as the settings say, writes are not.
    init(_ request: ModbusRequest, _ settings: ModbusSettings) {
        isRead = request.function.isRead
        repetitions = isRead ? max(0, settings.retries) : 0
        busyTime = isRead && settings.retries > 0 ? settings.responseTimeout : .zero
    }

    /// Whether to send the request again after a failure.
    mutating func mayRepeat(after failure: LinkFailure) -> Bool {
        switch failure {
        // Nothing has left, so this is as safe for a write as for a read.
        case .notSent: takeReconnect()
        case .lost: isRead && (takeReconnect() || takeRepetition())
        case .silent, .garbled, .malformed: takeRepetition()
        }
    }

    /// How long to wait before asking a busy device again: twice as long each time, in all about one response timeout.
    mutating func pauseAfter(_ exception: ModbusException) -> Duration? {
        guard exception == .deviceBusy || exception == .acknowledge, busyPause <= busyTime else { return nil }
        defer {
            busyTime -= busyPause
            busyPause *= 2
        }
        return busyPause
    }

    private mutating func takeReconnect() -> Bool {
        guard reconnects > 0 else { return false }
        reconnects -= 1
        return true
    }

    private mutating func takeRepetition() -> Bool {
        guard repetitions > 0 else { return false }
        repetitions -= 1
        return true
    }
}
