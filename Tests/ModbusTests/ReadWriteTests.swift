import Modbus
import Testing

@Suite struct ReadWriteTests {
    @Test func readsWhatTheServerHolds() async throws {
        let server = try ModbusServer(units: [
            1: RegisterBank(
                holding: [100: [1, 2, 3]], input: [100: [7, 8]], coils: [0: [true, false, true]],
                discreteInputs: [9: [false, true]])
        ])
        let client = connection(to: server)
        #expect(try await client.read(.holding, unit: 1, address: 100, count: 3) == [1, 2, 3])
        #expect(try await client.read(.input, unit: 1, address: 100, count: 2) == [7, 8])
        #expect(try await client.readCoils(unit: 1, address: 0, count: 3) == [true, false, true])
        #expect(try await client.readDiscreteInputs(unit: 1, address: 9, count: 2) == [false, true])
    }

    @Test(arguments: [1, 2, 124, 125]) func readsUpToTheLimit(count: Int) async throws {
        let words = (0..<count).map { UInt16($0 * 521 % 65536) }
        let server = try ModbusServer(units: [7: RegisterBank(holding: [65411: words])])
        let client = connection(to: server)
        #expect(try await client.read(.holding, unit: 7, address: 65411, count: count) == words)
    }

    @Test(arguments: [1, 7, 8, 9, 2000]) func readsCoilsUpToTheLimit(count: Int) async throws {
        let coils = (0..<count).map { $0 % 3 == 0 }
        let server = try ModbusServer(units: [7: RegisterBank(coils: [5: coils])])
        let client = connection(to: server)
        #expect(try await client.readCoils(unit: 7, address: 5, count: count) == coils)
    }

    @Test func writesReachTheBankAndTheStream() async throws {
        let server = try ModbusServer(units: [1: RegisterBank()])
        let client = connection(to: server)
        try await client.write(unit: 1, address: 5004, value: 16)
        try await client.write(unit: 1, address: 10, values: [0xDEAD, 0xBEEF])
        try await client.writeCoil(unit: 1, address: 400, value: true)
        try await client.writeCoil(unit: 1, address: 400, value: false)
        #expect(server.words(.holding, unit: 1, address: 5004, count: 1) == [16])
        #expect(server.words(.holding, unit: 1, address: 10, count: 2) == [0xDEAD, 0xBEEF])
        #expect(server.coils(unit: 1, address: 400, count: 1) == [false])
        server.stop()
        var seen: [ModbusWrite] = []
        for await write in server.writes { seen.append(write) }
        #expect(
            seen == [
                ModbusWrite(unit: 1, function: 6, address: 5004, change: .registers([16])),
                ModbusWrite(unit: 1, function: 16, address: 10, change: .registers([0xDEAD, 0xBEEF])),
                ModbusWrite(unit: 1, function: 5, address: 400, change: .coils([true])),
                ModbusWrite(unit: 1, function: 5, address: 400, change: .coils([false])),
            ])
    }

    @Test func writesTheLongestBlock() async throws {
        let server = try ModbusServer(units: [1: RegisterBank()])
        let client = connection(to: server)
        let values = (0..<123).map { UInt16($0) }
        try await client.write(unit: 1, address: 0, values: values)
        #expect(server.words(.holding, unit: 1, address: 0, count: 123) == values)
    }

    @Test func handlerRefusesAWriteWithItsException() async throws {
        let server = try ModbusServer(units: [1: RegisterBank(holding: [0: [6]])])
        server.onWrite { write in (write.values.first ?? 0) > 32 ? .illegalDataValue : nil }
        let client = connection(to: server)
        try await client.write(unit: 1, address: 0, value: 32)
        await #expect(throws: ModbusError.exception(.illegalDataValue)) {
            try await client.write(unit: 1, address: 0, value: 33)
        }
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 1) == [32])
        #expect(server.connectionCount == 1, "an exception keeps the connection")
    }

    @Test func handlerMaySetOtherRegistersOfItsServer() async throws {
        let server = try ModbusServer(units: [1: RegisterBank()])
        server.onWrite { [weak server] write in
            server?.set(.input, unit: 1, address: 0, words: write.values)
            return nil
        }
        let client = connection(to: server)
        try await client.write(unit: 1, address: 9, value: 77)
        #expect(try await client.read(.input, unit: 1, address: 0, count: 1) == [77])
    }

    @Test func sixtyFourBitsOverFourRegistersAreNeverTorn() async throws {
        let server = try ModbusServer(units: [1: RegisterBank(holding: [20480: [0, 0, 0, 0]])])
        let client = connection(to: server)
        let writer = Task.detached {
            var value: UInt16 = 0
            while !Task.isCancelled {
                value &+= 1
                server.set(.holding, unit: 1, address: 20480, words: Array(repeating: value, count: 4))
                await Task.yield()
            }
        }
        for _ in 0..<200 {
            let words = try await client.read(.holding, unit: 1, address: 20480, count: 4)
            #expect(Set(words).count == 1)
        }
        writer.cancel()
        await writer.value
        server.set(.holding, unit: 1, address: 20480, words: [0x0123, 0x4567, 0x89AB, 0xCDEF])
        let words = try await client.read(.holding, unit: 1, address: 20480, count: 4)
        #expect(words.reduce(UInt64(0)) { $0 << 16 | UInt64($1) } == 0x0123_4567_89AB_CDEF)
    }
}

/// A client of a server in this process; impatient, so that faults cost little time.
func connection(
    to server: ModbusServer, _ change: (inout ModbusSettings) -> Void = { _ in }
) -> ModbusConnection {
    var settings = ModbusSettings(responseTimeout: .seconds(2))
    change(&settings)
    return ModbusConnection(.tcp(host: server.host, port: server.port), settings: settings)
}
