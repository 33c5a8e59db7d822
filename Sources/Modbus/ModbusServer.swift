import Glibc
import ThreadKit

/// A virtual Modbus TCP device, or a gateway with several, on libmodbus's server side.
///
/// It serves any number of clients from one thread of its own. Registers may be read and set from Swift at any time;
/// a client never sees half of a block that was set in one call.
///
/// For example:
///
///     let server = try ModbusServer(units: [1: RegisterBank(input: [12: [0x43E6, 0x0000]])])
///     server.set(.input, unit: 1, address: 12, words: [0x43E7, 0x8000])
///
/// ## Thread Safety
/// Every member may be used from any thread, `stop()` also from within the write handler.
package final class ModbusServer: Sendable {
    /// What is answered to a unit number that has no bank.
    package enum UnknownUnit: Sendable {
        /// Exception 11, as a gateway does.
        case gatewayException
        /// Nothing, as a serial line does.
        case silence
    }

    /// Why a server could not start.
    package struct StartFailure: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The address it listens at.
    package let host: String
    /// The port it listens at.
    package let port: UInt16
    /// The writes of clients that were carried out, in their order; the newest 1024 are kept for a slow reader.
    package let writes: AsyncStream<ModbusWrite>

    private let shared: ServerState
    private let loop: ServerThread

    /// Starts a server.
    /// - Parameters:
    ///   - host: the IPv4 address to listen at, in digits.
    ///   - port: the port; 0 takes a free one.
    ///   - units: the banks by unit number.
    ///   - unknownUnit: the answer to any other unit number.
    ///   - onWrite: see `onWrite(_:)`.
    package init(
        host: String = "127.0.0.1", port: UInt16 = 0, units: [UInt8: RegisterBank],
        unknownUnit: UnknownUnit = .gatewayException,
        onWrite: (@Sendable (ModbusWrite) -> ModbusException?)? = nil
    ) throws(StartFailure) {
        let listener = try Listener.open(host: host, port: port)
        let (stream, continuation) = AsyncStream.makeStream(
            of: ModbusWrite.self, bufferingPolicy: .bufferingNewest(1024))
        self.host = host
        self.port = Listener.port(of: listener)
        writes = stream
        shared = ServerState(units: units, unknownUnit: unknownUnit, writes: continuation, onWrite: onWrite)
        do {
            loop = try ServerThread(listener: listener, host: host, port: self.port, state: shared)
        } catch {
            close(listener)
            throw error
        }
    }

    deinit {
        stop()
    }

    /// Closes every connection and the port, and ends the thread; returns when that is done.
    package func stop() {
        loop.stop()
        shared.finishWrites()
    }

    /// How many connections were accepted so far.
    package var connectionCount: Int { shared.value { $0.connectionCount } }

    /// How many requests arrived so far, those included that a fault befell.
    package var requestCount: Int { shared.value { $0.requestCount } }

    /// Decides about writes of clients.
    ///
    /// The handler runs on the server's thread before the write is carried out, and
    /// an exception that it returns is what the client gets instead. It may read and set registers.
    package func onWrite(_ handler: (@Sendable (ModbusWrite) -> ModbusException?)?) {
        shared.update { $0.onWrite = handler }
    }
}

// MARK: - Registers

extension ModbusServer {
    /// Sets registers of a unit from `address` on, all at once; a unit that does not exist yet comes into being.
    package func set(_ kind: RegisterKind, unit: UInt8, address: UInt16, words: [UInt16]) {
        shared.update { $0.units[unit, default: RegisterBank()].set(kind, address: address, words: words) }
    }

    /// The registers of a unit from `address` on, or nil where a client would get an exception.
    package func words(_ kind: RegisterKind, unit: UInt8, address: UInt16, count: Int) -> [UInt16]? {
        shared.value { $0.units[unit]?.words(kind, address: address, count: count) }
    }

    /// Sets coils of a unit from `address` on, all at once.
    package func setCoils(unit: UInt8, address: UInt16, values: [Bool]) {
        shared.update { $0.units[unit, default: RegisterBank()].setCoils(address: address, values: values) }
    }

    /// The coils of a unit from `address` on, or nil where a client would get an exception.
    package func coils(unit: UInt8, address: UInt16, count: Int) -> [Bool]? {
        shared.value { $0.units[unit]?.coils(address: address, count: count) }
    }

    /// Sets discrete inputs of a unit from `address` on, all at once.
    package func setDiscreteInputs(unit: UInt8, address: UInt16, values: [Bool]) {
        shared.update { $0.units[unit, default: RegisterBank()].setDiscreteInputs(address: address, values: values) }
    }

    /// Changes a unit's bank in one step that no client sees half of.
    package func update(unit: UInt8, _ change: @Sendable (inout RegisterBank) -> Void) {
        shared.update { change(&$0.units[unit, default: RegisterBank()]) }
    }

    /// Removes a unit, as if it had been switched off behind a gateway.
    package func remove(unit: UInt8) {
        shared.update { $0.units[unit] = nil }
    }
}

// MARK: - Faults

extension ModbusServer {
    /// Plans a fault for the next `times` requests after those already planned; nil means all that follow.
    package func inject(_ fault: ModbusFault, times: Int? = 1) {
        shared.update { $0.faults.add(fault, times: times) }
    }

    /// Hears of every request by its unit number, and decides what goes wrong with its reply, where nothing is planned.
    ///
    /// The handler runs on the server's thread; while it blocks, every unit waits, as behind a gateway that asks one unit
    /// after the other.
    package func onRequest(_ handler: (@Sendable (_ unit: UInt8) -> ModbusFault?)?) {
        shared.update { $0.onRequest = handler }
    }

    /// Answers reads of registers that do not exist with that exception, as some devices do, and not with 2.
    package func setAbsence(_ exception: ModbusException) {
        shared.update { $0.absence = exception }
    }

    /// Makes every reply come that much later.
    package func setReplyDelay(_ delay: Duration) {
        shared.update { $0.faults.replyDelay = delay }
    }

    /// Makes every reply of one unit come that much later.
    package func setReplyDelay(_ delay: Duration, unit: UInt8) {
        shared.update { $0.faults.unitDelays[unit] = delay }
    }

    /// Closes each connection after that many replies; nil for never.
    package func closeConnections(afterRequests count: Int?) {
        shared.update { $0.faults.closesAfter = count }
    }

    /// Forgets every planned fault.
    package func clearFaults() {
        shared.update { $0.faults = FaultPlan() }
    }

    /// Closes every connection that is open now.
    package func closeConnections() {
        loop.perform(.closeClients)
    }

    /// Refuses new connections, or accepts them again; connections that are open stay so.
    package func refuseConnections(_ refuses: Bool) {
        loop.perform(refuses ? .stopListening : .listen)
    }
}
