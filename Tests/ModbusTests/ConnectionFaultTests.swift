import Modbus
import Testing

@Suite("D-7 requests lost, devices busy, connections closed") struct ConnectionFaultTests {
    private let units: [UInt8: RegisterBank] = [1: RegisterBank(holding: [0: [11, 12]])]

    @Test(
        "D-7 a lost request, a busy device or a spoilt stream costs a read nothing but time",
        arguments: [
            [ModbusFault.drop], [.exception(.deviceBusy), .exception(.deviceBusy)],
            [.babble([0xFF, 0x00, 0xAA, 7, 7, 7, 7])],
            [.close], [.exception(.acknowledge)], [.exception(.deviceBusy), .close, .drop],
        ])
    func readsSucceedInTheEnd(faults: [ModbusFault]) async throws {
        let server = try ModbusServer(units: units)
        let client = connection(to: server) { $0.responseTimeout = .milliseconds(500) }
        for fault in faults { server.inject(fault) }
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 2) == [11, 12])
        #expect(server.requestCount == faults.count + 1)
    }

    @Test("D-7 a connection that was closed while idle is opened again, for a write too")
    func reopensWhatWasClosedWhileIdle() async throws {
        let server = try ModbusServer(units: units)
        let client = connection(to: server) { $0.retries = 0 }
        _ = try await client.read(.holding, unit: 1, address: 0, count: 1)
        server.closeConnections()
        #expect(await !client.isConnected)
        try await client.write(unit: 1, address: 0, value: 9)
        #expect(server.words(.holding, unit: 1, address: 0, count: 1) == [9])
        server.closeConnections()
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 1) == [9])
        #expect(server.connectionCount == 3)
    }

    @Test("D-7 a device that closes after every request is read without an error")
    func livesWithOneRequestAConnection() async throws {
        let server = try ModbusServer(units: units)
        server.closeConnections(afterRequests: 1)
        let client = connection(to: server) { $0.retries = 0 }
        for _ in 0..<5 { #expect(try await client.read(.holding, unit: 1, address: 0, count: 1) == [11]) }
        #expect(server.connectionCount == 5)
    }

    @Test(
        "D-7 a write whose confirmation is missing is reported and never repeated",
        arguments: [ModbusFault.drop, .close, .exception(.deviceBusy), .babble(Array(repeating: 0xEE, count: 40))])
    func neverRepeatsAWrite(fault: ModbusFault) async throws {
        let server = try ModbusServer(units: units)
        let client = connection(to: server) {
            $0.responseTimeout = .milliseconds(400)
            $0.retries = 5
        }
        server.inject(fault, times: nil)
        await #expect(throws: ModbusError.self) { try await client.write(unit: 1, address: 0, value: 1) }
        #expect(server.requestCount == 1)
        server.clearFaults()
        try await client.write(unit: 1, address: 0, value: 2)
        #expect(server.words(.holding, unit: 1, address: 0, count: 1) == [2])
    }

    @Test("D-7 the settle time after connecting and the pause between requests are kept")
    func keepsItsPauses() async throws {
        let server = try ModbusServer(units: units)
        let client = connection(to: server) {
            $0.connectDelay = .milliseconds(120)
            $0.requestDelay = .milliseconds(40)
        }
        let first = try await duration { _ = try await client.read(.holding, unit: 1, address: 0, count: 1) }
        #expect(first >= .milliseconds(120))
        let three = try await duration {
            for _ in 0..<3 { _ = try await client.read(.holding, unit: 1, address: 0, count: 1) }
        }
        // The pause after the very first read may be over before the clock starts; the two between these are not.
        #expect(three >= .milliseconds(80))
    }

    @Test("D-7 a device that stays busy is reported as busy within about one timeout")
    func givesUpOnABusyDevice() async throws {
        let server = try ModbusServer(units: units)
        server.inject(.exception(.deviceBusy), times: nil)
        let client = connection(to: server) { $0.responseTimeout = .milliseconds(300) }
        let (result, taken) = await timedRead(client)
        #expect(result == .failure(.exception(.deviceBusy)))
        // The pauses double, so that even an endless wait would show in the count; a busy machine asks less often.
        #expect(taken < .seconds(10))
        #expect((2...6).contains(server.requestCount))
    }

    @Test func secondSilenceOpensTheConnectionAnew() async throws {
        let server = try ModbusServer(units: units)
        server.inject(.drop, times: 2)
        let client = connection(to: server) { $0.responseTimeout = .milliseconds(400) }
        await #expect(throws: ModbusError.self) { try await client.read(.holding, unit: 1, address: 0, count: 1) }
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 1) == [11])
        #expect(server.connectionCount == 2)
    }

    @Test func refusedConnectionNamesTheEndpointAndIsOpenedWhenTheDeviceIsBack() async throws {
        let server = try ModbusServer(units: units)
        server.refuseConnections(true)
        let client = connection(to: server)
        let endpoint = "tcp://127.0.0.1:\(server.port)"
        await #expect(throws: ModbusError.cannotConnect(endpoint: endpoint, reason: "Connection refused")) {
            try await client.read(.holding, unit: 1, address: 0, count: 1)
        }
        server.refuseConnections(false)
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 1) == [11])
    }

    @Test(
        "bytes that are no frame, or a part of one, do not spoil the next request",
        arguments: [[0, 1, 0, 0, 0, 200, 1, 3], [0, 1, 0], Array(repeating: 0xFF, count: 300)] as [[UInt8]])
    func recoversFromBabble(bytes: [UInt8]) async throws {
        let server = try ModbusServer(units: units)
        let client = connection(to: server) {
            $0.responseTimeout = .milliseconds(400)
            $0.retries = 0
        }
        server.inject(.babble(bytes))
        let error = await #expect(throws: ModbusError.self) {
            try await client.read(.holding, unit: 1, address: 0, count: 1)
        }
        guard case .badReply(let reason) = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(reason.contains("tcp://127.0.0.1:\(server.port)") && reason.contains("holding register 0 of unit 1"))
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 1) == [11])
    }
}

/// How long `body` takes by the monotonic clock.
func duration(_ body: () async throws -> Void) async rethrows -> Duration {
    try await ContinuousClock().measure { try await body() }
}

/// Reads holding register 0 of unit 1 and tells how long it took, measured on the connection's own thread: how busy the
/// other tests keep the shared threads does not count.
func timedRead(_ line: isolated ModbusConnection, times: Int = 1) -> (Result<[UInt16], ModbusError>, Duration) {
    var result: Result<[UInt16], ModbusError> = .success([])
    let taken = ContinuousClock().measure {
        for _ in 0..<times {
            result = Result { () throws(ModbusError) in try line.read(.holding, unit: 1, address: 0, count: 1) }
        }
    }
    return (result, taken)
}
