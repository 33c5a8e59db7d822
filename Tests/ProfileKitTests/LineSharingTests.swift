import HubKit
import Modbus
import ProfileKit
import Testing
import ThreadKit

/// Several units behind one gateway, of which two are slow or silent (D-3, D-7).
///
/// All readers live on the connection's thread and ask without a pause, so that their order depends on nobody's clock.
@Suite(.timeLimit(.minutes(3))) struct LineSharingTests {
    enum Trouble: CaseIterable {
        case silent, slow, slowRefusal, oneOfEach
    }

    private struct Ask: Sendable {
        let unit: UInt8
        let isAnswered: Bool
    }

    /// A device with three blocks of registers, far apart.
    private static let profile = DeviceProfile(
        name: "box", kind: .meter, vendor: "Acme", transport: ProfileTransport(),
        points: [0, 200, 400].map { address in
            ProfilePoint(name: "at_\(address)", place: RegisterPlace(.holding, address), type: .u16)
        })

    private static let good: UInt8 = 1
    private static let enough = 8

    private static func gateway(_ trouble: Trouble) throws -> ModbusServer {
        let bank = RegisterBank()
        let server: ModbusServer
        switch trouble {
        case .silent: server = try ModbusServer(units: [1: bank], unknownUnit: .silence)
        case .slow: server = try ModbusServer(units: [1: bank, 2: bank, 3: bank])
        case .slowRefusal: server = try ModbusServer(units: [1: bank])
        case .oneOfEach: server = try ModbusServer(units: [1: bank, 2: bank], unknownUnit: .silence)
        }
        for unit in [2, 3] as [UInt8] { server.setReplyDelay(.milliseconds(1100), unit: unit) }
        return server
    }

    private static func line(to server: ModbusServer) -> ModbusConnection {
        ModbusConnection(
            .tcp(host: "127.0.0.1", port: server.port),
            settings: ModbusSettings(responseTimeout: .milliseconds(1500), slowAnswer: .seconds(1)))
    }

    @Test(arguments: Trouble.allCases)
    func aGoodUnitReadsAllThatItWantsBetweenTwoBadTries(trouble: Trouble) async throws {
        let server = try Self.gateway(trouble)
        let line = Self.line(to: server)
        let asked = Locked<[Ask]>([])
        let tap = TrafficTap { exchange in
            guard let registers = exchange.registers else { return }
            asked.withLock { $0.append(Ask(unit: registers.unit, isAnswered: registers.words != nil)) }
        }
        let wires = [Self.good, 2, 3].map { RegisterWire(Self.profile, bus: line, unit: $0, traffic: tap) }
        _ = try await wires[0].read()
        let readers = wires.map { Reader($0, on: line) }
        await withTaskGroup { group in
            for reader in readers {
                group.addTask {
                    await reader.read { asked.withLock { $0.count { $0.unit != Self.good } } >= Self.enough }
                }
            }
        }
        let all = asked.current
        // After that the good unit's reader ends too.
        let bad = all.indices.filter { all[$0].unit != Self.good }.prefix(Self.enough)
        for (one, next) in zip(bad, bad.dropFirst()) {
            let between = all[one + 1..<next]
            // A machine that stands still for seconds makes the good unit a bad one.
            guard between.allSatisfy(\.isAnswered) else { continue }
            #expect(between.count >= 3, "\(all.map(\.unit))")
        }
        #expect(Set(all.map(\.unit)) == [1, 2, 3])
        // No neighbour loses its line to a unit that is off.
        #expect(server.connectionCount == 1)
    }

    @Test func aUnitThatWasSilentIsAskedOnceARoundUntilItAnswers() async throws {
        let bank = RegisterBank()
        let server = try ModbusServer(units: [1: bank], unknownUnit: .silence)
        let line = ModbusConnection(
            .tcp(host: "127.0.0.1", port: server.port), settings: ModbusSettings(responseTimeout: .milliseconds(200)))
        let tries = Locked(0)
        let tap = TrafficTap { exchange in
            if exchange.registers?.unit == 2 { tries.withLock { $0 += 1 } }
        }
        let good = RegisterWire(Self.profile, bus: line, unit: 1)
        let bad = RegisterWire(Self.profile, bus: line, unit: 2, traffic: tap)
        var counts: [Int] = []
        for _ in 0..<4 {
            // A machine that stands still must not make the good unit a silent one.
            while (try? await good.read()) == nil {}
            let before = tries.current
            await #expect(throws: ModbusError.self) { try await bad.read() }
            counts.append(tries.current - before)
        }
        #expect(counts == [2, 1, 1, 1])
        server.update(unit: 2) { $0 = bank }
        while (try? await bad.read()) == nil {}
        #expect(try await bad.read().words.count == 3)
    }

    @Test func aDeviceAloneOnItsLineIsAlwaysAskedTwice() async throws {
        let server = try ModbusServer(units: [:], unknownUnit: .silence)
        let line = ModbusConnection(
            .tcp(host: "127.0.0.1", port: server.port), settings: ModbusSettings(responseTimeout: .milliseconds(50)))
        let wire = RegisterWire(Self.profile, bus: line, unit: 1)
        for round in 1...3 {
            await #expect(throws: ModbusError.self) { try await wire.read() }
            #expect(server.requestCount == 2 * round)
        }
    }
}

/// Reads on and on, on the connection's own thread.
private actor Reader {
    private let wire: RegisterWire
    private let line: ModbusConnection
    nonisolated var unownedExecutor: UnownedSerialExecutor { line.unownedExecutor }

    init(_ wire: RegisterWire, on line: ModbusConnection) {
        self.wire = wire
        self.line = line
    }

    func read(until isEnough: () -> Bool) async {
        while !isEnough() {
            _ = try? await wire.read()
            await Task.yield()
        }
    }
}
