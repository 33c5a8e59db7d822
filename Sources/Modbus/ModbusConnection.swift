import ThreadKit

/// One physical connection to one or more Modbus devices: a TCP connection or a serial line.
///
/// Every device behind it shares this actor, so that no request is ever mixed with another. It opens itself at the
/// first request, and again at the next one after it was lost. A reply counts only if its transaction, its unit and
/// its function are those of the request; anything else is dropped while the wait goes on.
///
/// For example:
///
///     let meter = ModbusConnection(.tcp(host: "192.0.2.7", port: 502), settings: ModbusSettings())
///     let words = try await meter.read(.input, unit: 1, address: 12, count: 2)
///
/// ## Thread Safety
/// The calls block a thread of the connection's own and never the cooperative pool. A call costs a hop to that thread
/// and one back. Who makes many is an actor with the connection's `unownedExecutor` as its own: it lives on that thread,
/// its calls cost no hop, and between them it calls `giveWay()`.
package actor ModbusConnection {
    /// Where it leads.
    package nonisolated let transport: ModbusTransport
    /// How patient it is.
    package nonisolated let settings: ModbusSettings

    private let executor: ThreadExecutor
    private var link: (any Link)?
    private var nextRequest: Deadline?
    private var silentInARow = 0
    private var pace = LinePace()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Makes a connection; nothing is opened before the first request.
    package init(_ transport: ModbusTransport, settings: ModbusSettings = ModbusSettings()) {
        self.transport = transport
        self.settings = settings
        executor = ThreadExecutor(name: "mb \(transport.endpoint.suffix(12))")
    }

    deinit {
        executor.stop()
    }

    /// Whether the connection is open and its other end has not closed it.
    package var isConnected: Bool {
        link?.isOpen ?? false
    }

    /// Closes the connection; the next request opens it again.
    package func close() {
        link = nil
    }

    /// Lets in who waits for the connection; returns at once when nobody does.
    package func giveWay() async {
        if executor.hasWaitingJobs { await Task.yield() }
    }

    /// Reads `count` registers, 1 to 125, from `address` on, counted from zero as on the wire.
    /// - Parameter silence: what happens when the unit does not answer.
    package func read(
        _ kind: RegisterKind, unit: UInt8, address: UInt16, count: Int, atSilence silence: AtSilence = .askAgain
    ) throws(ModbusError) -> [UInt16] {
        let function: ModbusFunction = kind == .holding ? .readHoldingRegisters : .readInputRegisters
        let request = try ModbusRequest.read(function, unit: unit, address: address, count: count)
        return ModbusRequest.words(in: try perform(request, silence))
    }

    /// Reads `count` coils, 1 to 2000.
    package func readCoils(
        unit: UInt8, address: UInt16, count: Int, atSilence silence: AtSilence = .askAgain
    ) throws(ModbusError) -> [Bool] {
        let request = try ModbusRequest.read(.readCoils, unit: unit, address: address, count: count)
        return ModbusRequest.bits(in: try perform(request, silence), count: count)
    }

    /// Reads `count` discrete inputs, 1 to 2000.
    package func readDiscreteInputs(
        unit: UInt8, address: UInt16, count: Int, atSilence silence: AtSilence = .askAgain
    ) throws(ModbusError) -> [Bool] {
        let request = try ModbusRequest.read(.readDiscreteInputs, unit: unit, address: address, count: count)
        return ModbusRequest.bits(in: try perform(request, silence), count: count)
    }

    /// Writes one register (function 6); not repeated once it may have been sent.
    package func write(unit: UInt8, address: UInt16, value: UInt16) throws(ModbusError) {
        _ = try perform(.writeOne(.writeRegister, unit: unit, address: address, value: value))
    }

    /// Writes 1 to 123 registers at once (function 16); not repeated once it may have been sent.
    package func write(unit: UInt8, address: UInt16, values: [UInt16]) throws(ModbusError) {
        _ = try perform(ModbusRequest.write(unit: unit, address: address, values: values))
    }

    /// Switches one coil (function 5); not repeated once it may have been sent.
    package func writeCoil(unit: UInt8, address: UInt16, value: Bool) throws(ModbusError) {
        _ = try perform(.writeOne(.writeCoil, unit: unit, address: address, value: value ? 0xFF00 : 0))
    }
}

// MARK: - Several units on one line

extension ModbusConnection {
    /// What happens when a unit does not answer.
    package enum AtSilence: Sendable {
        /// The request is sent again at once, as often as the settings say.
        case askAgain
        /// The caller is told, also of half an answer, so that others can have the line before it asks again.
        case giveUp
    }

    /// Begins a round of reading a unit.
    ///
    /// A unit that answers at once is then not held up in its midst by those that don't. `endRound(of:)` has to follow,
    /// and who reads lives on the connection's thread.
    package func beginRound(of unit: UInt8) { pace.began(unit) }

    /// Ends a round of reading a unit.
    package func endRound(of unit: UInt8) { pace.ended(unit) }

    /// Returns when a unit may be asked: at once where it answered at once the last time, otherwise after all those who
    /// wait, and the rounds of units that answer at once.
    /// - Returns: how often a silent unit may be asked again; one that shares its line and was silent before is not.
    package func turn(of unit: UInt8) async -> Int {
        while pace.mayDelay(unit) {
            let before = pace.delays
            await Task.yield()
            // One that held up the line meanwhile comes between those who wait and their turn.
            if pace.delays == before, !pace.hasQuickRound { break }
        }
        return pace.isSilent(unit) && pace.hasOther(than: unit) ? 0 : settings.retries
    }

    /// How long the answer of a unit is waited for: the whole time of the settings, or less where it was silent while
    /// others answer.
    package func patience(with unit: UInt8) -> Duration {
        pace.patience(with: unit, whole: settings.responseTimeout)
    }
}

extension ModbusConnection {
    /// Carries a request out, with the repetitions that do no harm.
    private func perform(
        _ request: ModbusRequest, _ silence: AtSilence = .askAgain
    ) throws(ModbusError) -> [UInt8] {
        if case .rtu = transport, request.function.isRead, request.unit == 0 {
            throw .invalidRequest(reason: "unit 0 is all devices of a serial line, which cannot be read")
        }
        var allowance = Allowance(request, settings)
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            let link = try openLink()
            if let pause = nextRequest { blockThread(until: pause) }
            let start = ContinuousClock.now
            let patience = patience(with: request.unit)
            do {
                let reply = try link.exchange(request, timeout: patience)
                finishExchange()
                let duration = ContinuousClock.now - start
                pace.heard(request.unit, after: duration, isSlow: duration >= settings.slowAnswer)
                guard reply[0] & 0x80 != 0 else { return reply }
                let exception = ModbusException(code: reply[1], place: request.place(transport.endpoint))
                guard let pause = allowance.pauseAfter(exception) else { throw ModbusError.exception(exception) }
                blockThread(until: Deadline(after: pause))
            } catch let failure as LinkFailure {
                handle(failure, of: request.unit, patience, since: start)
                if silence == .giveUp, failure.maySpendTime { throw error(for: failure, request) }
                guard allowance.mayRepeat(after: failure) else { throw error(for: failure, request) }
            } catch let error as ModbusError {
                throw error
            } catch {
                throw .badReply(reason: "\(error)")
            }
        }
    }

    private func finishExchange() {
        silentInARow = 0
        if settings.requestDelay > .zero { nextRequest = Deadline(after: settings.requestDelay) }
    }

    /// Gives up the line where it cannot be trusted any more.
    ///
    /// A device that is merely slow, or one of several behind a gateway that is off, keeps the line: its late replies
    /// are recognised. After the second silence in a row it is opened anew, because some devices forget a connection.
    private func handle(
        _ failure: LinkFailure, of unit: UInt8, _ patience: Duration, since start: ContinuousClock.Instant
    ) {
        if settings.requestDelay > .zero { nextRequest = Deadline(after: settings.requestDelay) }
        let wasSilent = pace.isSilent(unit)
        if failure.maySpendTime {
            // Half an answer holds up the line as much as none, where it was waited for.
            let isSilence = if case .silent = failure { true } else { false }
            if isSilence || ContinuousClock.now - start >= min(patience, settings.slowAnswer) {
                pace.missed(unit, wasCutShort: patience < settings.responseTimeout)
            }
        }
        switch failure {
        case .notSent, .lost, .garbled: link = nil
        case .silent(let isReachable):
            // That a unit behind a gateway is off says nothing of the line, while others answer over it.
            if !wasSilent || !pace.hasOther(than: unit) { silentInARow += 1 }
            if !isReachable || (silentInARow >= 2 && transport.isNetwork) { link = nil }
        case .malformed: break
        }
    }

    private func openLink() throws(ModbusError) -> any Link {
        if let link { return link }
        let opened = try open()
        link = opened
        silentInARow = 0
        if settings.connectDelay > .zero { blockThread(until: Deadline(after: settings.connectDelay)) }
        return opened
    }

    private func open() throws(ModbusError) -> any Link {
        do {
            switch transport {
            case .tcp(let host, let port):
                return TCPLink(
                    socket: try TCPDial(host: host, port: port, timeout: settings.connectTimeout).open())
            case .rtu(let path, let baud, let parity, let dataBits, let stopBits):
                return try RTULink(path: path, baud: baud, parity: parity, dataBits: dataBits, stopBits: stopBits)
            }
        } catch {
            throw .cannotConnect(endpoint: transport.endpoint, reason: error.reason)
        }
    }

    private func error(for failure: LinkFailure, _ request: ModbusRequest) -> ModbusError {
        let place = request.place(transport.endpoint)
        switch failure {
        case .notSent, .lost: return .disconnected(place)
        case .silent: return .timeout(place)
        case .garbled(let what), .malformed(let what):
            return .badReply(reason: "\(place.endpoint) to \(place.request): \(what)")
        }
    }
}

extension ModbusTransport {
    /// Whether the connection is one over a network, which can be opened anew at no risk to other devices.
    fileprivate var isNetwork: Bool {
        if case .tcp = self { true } else { false }
    }
}
