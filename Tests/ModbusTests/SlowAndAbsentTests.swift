import Glibc
import Modbus
import Testing
import ThreadKit

@Suite struct SlowAndAbsentTests {
    private let units: [UInt8: RegisterBank] = [
        1: RegisterBank(refusesUndefined: true, holding: [0: [11, 12]], input: [5: [7]], coils: [3: [true]])
    ]

    @Test("D-3 a device that answers after 1.2 s within its 3 s is read at the first attempt")
    func waitsForASlowDevice() async throws {
        let server = try ModbusServer(units: units)
        server.inject(.delay(.milliseconds(1200)))
        let client = connection(to: server) { $0.responseTimeout = .seconds(3) }
        var words: [UInt16] = []
        let taken = try await duration { words = try await client.read(.holding, unit: 1, address: 0, count: 2) }
        #expect(words == [11, 12])
        #expect(taken >= .milliseconds(1200))
        #expect(server.requestCount == 1)
    }

    @Test("D-3 an unreachable device costs the time to connect and delays no other connection")
    func boundsTheTimeToConnect() async throws {
        let server = try ModbusServer(units: units)
        let silent = try #require(DeafPort())
        let lost = ModbusConnection(
            .tcp(host: "127.0.0.1", port: silent.port),
            settings: ModbusSettings(connectTimeout: .milliseconds(2500), retries: 3))
        let isLost = Locked(false)
        async let failure = {
            let outcome = await timedRead(lost)
            isLost.withLock { $0 = true }
            return outcome
        }()
        let (words, _) = await timedRead(connection(to: server), times: 20)
        // In order and not by the clock: a busy machine is slow at both.
        #expect(!isLost.current, "twenty reads of another device waited for the one that is away")
        let (error, taken) = await failure
        #expect(
            error
                == .failure(
                    .cannotConnect(endpoint: "tcp://127.0.0.1:\(silent.port)", reason: "no answer within 2.500 s")))
        #expect(taken >= .milliseconds(2490))
        #expect(words == .success([11]))
    }

    @Test("D-3 one client's slow reply does not hold up another client of the same server")
    func servesOthersMeanwhile() async throws {
        let server = try ModbusServer(units: units)
        let (slow, quick) = (connection(to: server), connection(to: server))
        _ = try await slow.read(.holding, unit: 1, address: 0, count: 1)
        server.inject(.delay(.milliseconds(1500)))
        let isAnswered = Locked(false)
        async let late = {
            let words = try await slow.read(.holding, unit: 1, address: 0, count: 1)
            isAnswered.withLock { $0 = true }
            return words
        }()
        while server.requestCount < 2 { await Task.yield() }
        let (words, _) = await timedRead(quick)
        #expect(words == .success([11]))
        #expect(!isAnswered.current, "the quick client waited for the slow one")
        #expect(try await late == [11])
    }

    @Test("D-6 an absent register answers exception 2 at once; the others live on over the same connection")
    func absentRegisterHarmsNoOther() async throws {
        let server = try ModbusServer(units: units)
        let client = connection(to: server)
        for _ in 0..<3 {
            await #expect(throws: ModbusError.exception(.illegalDataAddress)) {
                try await client.read(.holding, unit: 1, address: 2, count: 1)
            }
            #expect(try await client.read(.holding, unit: 1, address: 0, count: 2) == [11, 12])
        }
        #expect(server.requestCount == 6, "what is absent is not asked for twice")
        #expect(server.connectionCount == 1)
    }

    @Test("D-6 a block that reaches past what is defined is refused whole, reading and writing")
    func refusesWhatIsPartlyAbsent() async throws {
        let server = try ModbusServer(units: units)
        let client = connection(to: server)
        let refusal = ModbusError.exception(.illegalDataAddress)
        await #expect(throws: refusal) { try await client.read(.holding, unit: 1, address: 1, count: 2) }
        await #expect(throws: refusal) { try await client.read(.input, unit: 1, address: 0, count: 6) }
        await #expect(throws: refusal) { try await client.write(unit: 1, address: 1, values: [1, 2]) }
        await #expect(throws: refusal) { try await client.writeCoil(unit: 1, address: 4, value: true) }
        #expect(server.words(.holding, unit: 1, address: 0, count: 2) == [11, 12])
        #expect(server.words(.holding, unit: 1, address: 0, count: 3) == nil)
        #expect(try await client.readCoils(unit: 1, address: 3, count: 1) == [true])
    }

    @Test func unknownUnitAnswersAsAGatewayOrNotAtAll() async throws {
        let gateway = try ModbusServer(units: units)
        await #expect(throws: ModbusError.exception(.gatewayTargetFailed)) {
            try await connection(to: gateway).read(.holding, unit: 9, address: 0, count: 1)
        }
        let line = try ModbusServer(units: units, unknownUnit: .silence)
        let client = connection(to: line) {
            $0.responseTimeout = .milliseconds(300)
            $0.retries = 0
        }
        let place = ModbusPlace(endpoint: "tcp://127.0.0.1:\(line.port)", unit: 9, function: 3, address: 0, count: 1)
        await #expect(throws: ModbusError.timeout(place)) {
            try await client.read(.holding, unit: 9, address: 0, count: 1)
        }
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 1) == [11])
    }

    @Test(arguments: [0, 1, 2, 4, 11, 77] as [UInt8]) func reportsTheExceptionThatCame(code: UInt8) async throws {
        let server = try ModbusServer(units: units)
        server.inject(.exception(ModbusException(code: code)), times: nil)
        await #expect(throws: ModbusError.exception(ModbusException(code: code))) {
            try await connection(to: server).read(.holding, unit: 1, address: 0, count: 1)
        }
    }
}

/// A port whose queue of waiting connections is full, so that whoever connects gets no answer at all.
final class DeafPort {
    let port: UInt16
    private let sockets: [Int32]

    init?() {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let listener = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let fillers = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> [Int32] in
                guard bind(listener, generic, length) == 0, listen(listener, 0) == 0,
                    getsockname(listener, generic, &length) == 0
                else { return [] }
                return (0..<4).map { _ in
                    let filler = socket(AF_INET, kind, 0)
                    _ = connect(filler, generic, length)
                    return filler
                }
            }
        }
        sockets = [listener] + fillers
        port = UInt16(bigEndian: address.sin_port)
        guard !fillers.isEmpty else { return nil }
    }

    deinit {
        for socket in sockets { close(socket) }
    }
}
