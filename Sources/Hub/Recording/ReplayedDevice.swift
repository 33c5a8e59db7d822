import Foundation
import HubKit
import MQTT
import Modbus
import ProfileKit
import ThreadKit
import WebServer

/// A virtual device that answers from a recording, on the protocol that was recorded.
///
/// Values change when they did; before that and after the end they stay what they were first and last.
protocol ReplayedDevice: Sendable {
    /// The keys of a connection that reaches it, with their values.
    var connection: [(key: String, value: String)] { get async }

    /// Goes on until the task is cancelled.
    /// - Parameter speed: seconds of the recording for each real second.
    func run(speed: Double) async throws
}

/// Registers of a recording at a Modbus TCP server.
final class ReplayedRegisters: ReplayedDevice {
    private let exchanges: [RecordedExchange]
    private let server: ModbusServer
    private let unit: UInt8

    /// Listens; every register that was ever read has its first value.
    /// - Throws: `HubError` where the port can't be listened at.
    init(_ recording: DeviceRecording, port: UInt16) throws(HubError) {
        exchanges = recording.exchanges.filter { $0.registers != nil && $0.registers?.isWrite != true }
        unit = recording.head.unit ?? exchanges.first?.registers?.unit ?? 1
        // What was never read is refused, as the device would.
        var banks: [UInt8: RegisterBank] = [unit: RegisterBank(refusesUndefined: true)]
        for exchange in exchanges.reversed() {
            guard let registers = exchange.registers, let words = registers.values else { continue }
            banks[registers.unit, default: RegisterBank(refusesUndefined: true)].show(registers, words)
        }
        do {
            server = try ModbusServer(port: port, units: banks)
        } catch {
            throw HubError(.inUse, "the virtual device can't listen at port \(port): \(error.description)")
        }
    }

    deinit { server.stop() }

    var connection: [(key: String, value: String)] {
        [("host", "127.0.0.1"), ("port", "\(server.port)"), ("unit", "\(unit)")]
    }

    func run(speed: Double) async throws {
        let began = ContinuousClock.now
        for exchange in exchanges {
            guard let registers = exchange.registers else { continue }
            try await Task.sleep(until: began + .seconds(exchange.after / speed), clock: .continuous)
            if let words = registers.values {
                server.update(unit: registers.unit) { $0.show(registers, words) }
            } else if let code = registers.exception {
                // A register that is not there is refused by itself.
                if code != 2 { server.inject(.exception(ModbusException(code: code))) }
            } else {
                server.inject(.drop)
            }
        }
        try await Task.sleep(until: .now + .seconds(1e8), clock: .continuous)
    }
}

extension RegisterBank {
    /// Takes up what was read.
    fileprivate mutating func show(_ registers: RecordedExchange.Registers, _ words: [UInt16]) {
        switch RegisterPlace.Table(rawValue: registers.table) {
        case .holding: set(.holding, address: registers.address, words: words)
        case .input: set(.input, address: registers.address, words: words)
        case .coil: setCoils(address: registers.address, values: words.map { $0 != 0 })
        case .discrete: setDiscreteInputs(address: registers.address, values: words.map { $0 != 0 })
        case nil: break
        }
    }
}

/// Answers of a recording at an HTTP server.
final class ReplayedAnswers: ReplayedDevice {
    private struct State {
        var began = ContinuousClock.now
        var speed = 1.0
    }

    private let server: WebServer
    private let state: Locked<State>
    private let port: Int
    private let login: ProfileLogin

    /// Listens.
    /// - Throws: `HubError` where the port can't be listened at.
    init(_ recording: DeviceRecording, _ profile: DeviceProfile, port: UInt16) async throws(HubError) {
        let state = Locked(State())
        self.state = state
        login = if case .http(let requests) = profile.link { requests.logins.first ?? .none } else { .none }
        let exchanges = recording.exchanges.filter { $0.request != nil }
        server = WebServer(configuration: WebServerConfiguration(port: Int(port))) { request in
            let now = state.current
            let seconds = (ContinuousClock.now - now.began) / .seconds(1) * now.speed
            let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
            let target = request.path + (query.isEmpty ? "" : "?" + query)
            let fitting = exchanges.filter { $0.request?.fits(request.method, target) == true }
            let answer = fitting.last { $0.after <= seconds } ?? fitting.first
            guard let recorded = answer?.request else { return .notFound }
            guard let status = recorded.status else { return .status(503) }
            let type = recorded.type.flatMap { $0.isEmpty ? nil : $0 } ?? "application/json"
            return .bytes(Array((recorded.answer ?? "").utf8), contentType: type, status: status)
        }
        do {
            try await server.start()
        } catch {
            throw HubError(.inUse, "the virtual device can't listen at port \(port): \(plainWords(of: error))")
        }
        self.port = await server.boundPort ?? 0
    }

    var connection: [(key: String, value: String)] {
        // Any login is right; a profile may insist on one.
        let words =
            login.takesToken
            ? [("token", "any")] : login.takesPassword ? [("username", "any"), ("password", "any")] : []
        return [("url", "\"http://127.0.0.1:\(port)\"")] + words
    }

    func run(speed: Double) async throws {
        state.withLock { $0 = State(speed: speed) }
        try await Task.sleep(until: .now + .seconds(1e8), clock: .continuous)
    }
}

extension RecordedExchange.Request {
    fileprivate func fits(_ method: String, _ target: String) -> Bool {
        self.method == method && (path == target || path.removingPercentEncoding == target)
    }
}
