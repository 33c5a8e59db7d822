import Modbus
import Testing

@Suite("D-2 late and foreign frames") struct LateFrameTests {
    private let units: [UInt8: RegisterBank] = [
        1: RegisterBank(holding: [0: [11, 12]]), 2: RegisterBank(holding: [0: [21, 22]]),
    ]

    @Test(
        "D-2 a reply to something else is dropped and the right one, which follows, is used",
        arguments: [ModbusFault.lateFrame(), .foreignUnit(2), .foreignFunction()])
    func usesTheRightReply(fault: ModbusFault) async throws {
        let server = try ModbusServer(units: units)
        let client = connection(to: server)
        server.inject(fault)
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 2) == [11, 12])
        #expect(try await client.read(.holding, unit: 2, address: 0, count: 2) == [21, 22])
        #expect(server.requestCount == 2, "nothing was repeated")
        #expect(server.connectionCount == 1)
    }

    @Test(
        "D-2 a reply to something else alone is a timeout, not an answer, and the next request is well again",
        arguments: [
            ModbusFault.lateFrame(thenAnswer: false), .foreignUnit(2, thenAnswer: false),
            .foreignFunction(thenAnswer: false),
        ])
    func neverTakesItForTheAnswer(fault: ModbusFault) async throws {
        let server = try ModbusServer(units: units)
        let client = connection(to: server) {
            $0.responseTimeout = .milliseconds(400)
            $0.retries = 0
        }
        server.inject(fault)
        await #expect(throws: ModbusError.timeout(place(of: server, count: 2))) {
            try await client.read(.holding, unit: 1, address: 0, count: 2)
        }
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 2) == [11, 12])
        #expect(server.connectionCount == 1, "one silence does not cost the connection")
    }

    @Test("D-2 an answer that comes after its timeout is not the answer to the next request")
    func dropsTheAnswerThatCameTooLate() async throws {
        let server = try ModbusServer(units: units)
        let client = connection(to: server) {
            $0.responseTimeout = .milliseconds(1600)
            $0.retries = 0
        }
        server.inject(.delay(.milliseconds(2000)))
        server.inject(.delay(.milliseconds(800)))
        await #expect(throws: ModbusError.self) { try await client.read(.holding, unit: 1, address: 0, count: 1) }
        // The reply of unit 1 arrives 400 ms into this request, the reply of unit 2 another 400 ms later.
        #expect(try await client.read(.holding, unit: 2, address: 0, count: 1) == [21])
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 1) == [11])
    }

    @Test("D-2 a late confirmation is not taken for the one of the next write")
    func writesAreConfirmedByTheirOwnReply() async throws {
        let server = try ModbusServer(units: units)
        let client = connection(to: server)
        server.inject(.lateFrame())
        try await client.write(unit: 1, address: 0, value: 5)
        server.inject(.foreignUnit(2))
        try await client.write(unit: 1, address: 0, values: [6, 7])
        #expect(server.words(.holding, unit: 1, address: 0, count: 2) == [6, 7])
        #expect(server.words(.holding, unit: 2, address: 0, count: 2) == [21, 22])
    }

    private func place(of server: ModbusServer, count: Int) -> ModbusPlace {
        ModbusPlace(endpoint: "tcp://127.0.0.1:\(server.port)", unit: 1, function: 3, address: 0, count: count)
    }
}
