import ThreadKit

/// What the server's thread and the rest of the program share.
final class ServerState: Sendable {
    /// The values behind the lock.
    struct Values: Sendable {
        var units: [UInt8: RegisterBank]
        var faults = FaultPlan()
        /// What is answered where a register does not exist.
        var absence = ModbusException.illegalDataAddress
        var onWrite: (@Sendable (ModbusWrite) -> ModbusException?)?
        var onRequest: (@Sendable (UInt8) -> ModbusFault?)?
        var connectionCount = 0
        var requestCount = 0
    }

    /// What is answered to a unit number that has no bank.
    let unknownUnit: ModbusServer.UnknownUnit
    private let values: Locked<Values>
    private let writes: AsyncStream<ModbusWrite>.Continuation

    init(
        units: [UInt8: RegisterBank], unknownUnit: ModbusServer.UnknownUnit,
        writes: AsyncStream<ModbusWrite>.Continuation, onWrite: (@Sendable (ModbusWrite) -> ModbusException?)?
    ) {
        values = Locked(Values(units: units, onWrite: onWrite))
        self.unknownUnit = unknownUnit
        self.writes = writes
    }

    /// Looks at the values under the lock.
    func value<Result: Sendable>(_ body: (Values) -> Result) -> Result {
        values.withLock { body($0) }
    }

    /// Changes the values under the lock.
    func update(_ body: (inout Values) -> Void) {
        values.withLock { body(&$0) }
    }

    /// Counts a request to a unit and takes the fault planned for it, or what the handler wants.
    func takeFault(for unit: UInt8) -> (fault: ModbusFault?, delay: Duration) {
        let (planned, delay, handler) = values.withLock { values in
            values.requestCount += 1
            let delay = values.faults.replyDelay + (values.faults.unitDelays[unit] ?? .zero)
            return (values.faults.next(), delay, values.onRequest)
        }
        // Outside the lock, because it may set registers itself.
        let wanted = handler?(unit)
        return (planned ?? wanted, delay)
    }

    /// Asks the handler, then carries a write out and reports it.
    /// - Returns: the exception to answer, or nil when it was carried out.
    func apply(_ write: ModbusWrite) -> ModbusException? {
        // The handler runs outside the lock because it may set registers itself.
        if let refusal = value({ $0.onWrite })?(write) { return refusal }
        update { values in
            switch write.change {
            case .registers(let words):
                values.units[write.unit]?.set(.holding, address: write.address, words: words)
            case .coils(let coils):
                values.units[write.unit]?.setCoils(address: write.address, values: coils)
            }
        }
        writes.yield(write)
        return nil
    }

    /// Ends the stream of writes.
    func finishWrites() {
        writes.finish()
    }
}
