import Glibc
import Modbus
import Testing

@Suite struct SharingTests {
    @Test func fiftyTasksOnOneConnectionEachGetTheirOwnAnswer() async throws {
        let server = try ModbusServer(units: [1: RegisterBank(holding: [0: Array(0..<200)])])
        let client = connection(to: server)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<50 {
                group.addTask {
                    for round in 0..<20 {
                        let address = UInt16(task * 3 + round)
                        let words = try await client.read(.holding, unit: 1, address: address, count: 3)
                        #expect(words == [address, address + 1, address + 2])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requestCount == 1000)
        #expect(server.connectionCount == 1)
    }

    @Test func twoClientsWriteAndReadSideBySide() async throws {
        let server = try ModbusServer(units: [1: RegisterBank(), 2: RegisterBank()])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for unit in [1, 2] as [UInt8] {
                let client = connection(to: server)
                group.addTask {
                    for value in 0..<100 as Range<UInt16> {
                        let word = value * 2 + UInt16(unit)
                        try await client.write(unit: unit, address: 7, value: word)
                        #expect(try await client.read(.holding, unit: unit, address: 7, count: 1) == [word])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.connectionCount == 2)
    }

    @Test func whoLivesOnTheConnectionsThreadLetsOthersIn() async throws {
        let server = try ModbusServer(units: [1: RegisterBank(holding: [0: [5]])])
        let client = connection(to: server)
        let poller = Poller(client)
        async let rounds = poller.poll(atMost: 200_000)
        while await poller.rounds == 0 { await Task.yield() }
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 1) == [5])
        await poller.stop()
        #expect(try await rounds < 200_000)
        #expect(server.connectionCount == 1)
    }

    @Test func cancelledTaskSendsNothingMore() async throws {
        let server = try ModbusServer(units: [1: RegisterBank()])
        let client = connection(to: server)
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            _ = try await client.read(.holding, unit: 1, address: 0, count: 1)
        }
        task.cancel()
        await #expect(throws: ModbusError.cancelled) { try await task.value }
        #expect(server.requestCount == 0)
    }

    @Test(
        "a request outside the protocol's limits is not sent",
        arguments: [(0, 0), (0, 126), (0, -1), (65535, 2), (65500, 60)] as [(UInt16, Int)])
    func refusesImpossibleReads(address: UInt16, count: Int) async throws {
        let server = try ModbusServer(units: [1: RegisterBank()])
        let client = connection(to: server)
        let error = await #expect(throws: ModbusError.self) {
            try await client.read(.holding, unit: 1, address: address, count: count)
        }
        guard case .invalidRequest = error else { return #expect(Bool(false), "\(String(describing: error))") }
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: [0, 124]) func refusesImpossibleWrites(count: Int) async throws {
        let server = try ModbusServer(units: [1: RegisterBank()])
        let error = await #expect(throws: ModbusError.self) {
            let values = Array(repeating: UInt16(1), count: count)
            try await connection(to: server).write(unit: 1, address: 0, values: values)
        }
        guard case .invalidRequest = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test func nameWithSeveralAddressesIsTriedInTurn() async throws {
        let server = try ModbusServer(units: [1: RegisterBank(holding: [0: [3]])])
        let client = ModbusConnection(.tcp(host: "localhost", port: server.port))
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 1) == [3])
    }

    @Test func closeEndsTheConnectionAndTheNextRequestOpensIt() async throws {
        let server = try ModbusServer(units: [1: RegisterBank()])
        let client = connection(to: server)
        #expect(await !client.isConnected)
        _ = try await client.read(.holding, unit: 1, address: 0, count: 1)
        #expect(await client.isConnected)
        await client.close()
        #expect(await !client.isConnected)
        _ = try await client.read(.holding, unit: 1, address: 0, count: 1)
        #expect(server.connectionCount == 2)
    }

    @Test func isolatedFunctionMakesSeveralRequestsInOneGo() async throws {
        let server = try ModbusServer(units: [1: RegisterBank(holding: [0: [1, 2]], input: [0: [3]])])
        func poll(_ line: isolated ModbusConnection) throws(ModbusError) -> [UInt16] {
            try line.read(.holding, unit: 1, address: 0, count: 2) + line.read(.input, unit: 1, address: 0, count: 1)
        }
        #expect(try await poll(connection(to: server)) == [1, 2, 3])
    }

    @Test func threadAndSocketsEndWithTheirOwners() async throws {
        var server: ModbusServer? = try ModbusServer(units: [1: RegisterBank()])
        let port = try #require(server?.port)
        let name = "mb \(ModbusTransport.tcp(host: "127.0.0.1", port: port).endpoint.suffix(12))"
        var client: ModbusConnection? = ModbusConnection(.tcp(host: "127.0.0.1", port: port))
        _ = try await client?.read(.holding, unit: 1, address: 0, count: 1)
        #expect(threadNames().contains(name))
        client = nil
        for _ in 0..<2000 where threadNames().contains(name) { try await Task.sleep(for: .milliseconds(1)) }
        #expect(!threadNames().contains(name))
        server = nil
        let again = try ModbusServer(port: port, units: [:])
        #expect(again.port == port, "the port is free again at once")
    }

    @Test func stoppedServerRefusesAndEndsItsStream() async throws {
        let server = try ModbusServer(units: [1: RegisterBank()])
        let client = connection(to: server)
        _ = try await client.read(.holding, unit: 1, address: 0, count: 1)
        server.stop()
        server.stop()
        server.closeConnections()
        for await _ in server.writes {}
        await #expect(throws: ModbusError.self) { try await client.read(.holding, unit: 1, address: 0, count: 1) }
    }

    @Test func portInUseIsAnError() throws {
        let server = try ModbusServer(units: [:])
        #expect(throws: ModbusServer.StartFailure.self) { try ModbusServer(port: server.port, units: [:]) }
        #expect(throws: ModbusServer.StartFailure.self) { try ModbusServer(host: "nowhere", units: [:]) }
    }

    private func threadNames() -> [String] {
        guard let folder = opendir("/proc/self/task") else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let number = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let file = fopen("/proc/self/task/\(number)/comm", "r") else { continue }
            defer { fclose(file) }
            var line = [UInt8](repeating: 0, count: 32)
            let count = fread(&line, 1, line.count, file)
            names.append(String(decoding: line.prefix(count).prefix { $0 != 10 }, as: UTF8.self))
        }
        return names
    }
}

/// Reads on and on, on the connection's own thread.
private actor Poller {
    private let connection: ModbusConnection
    private var isStopped = false
    private(set) var rounds = 0
    nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

    init(_ connection: ModbusConnection) {
        self.connection = connection
    }

    func stop() { isStopped = true }

    func poll(atMost limit: Int) async throws -> Int {
        while !isStopped, rounds < limit {
            #expect(try await connection.read(.holding, unit: 1, address: 0, count: 1) == [5])
            rounds += 1
            await connection.giveWay()
        }
        return rounds
    }
}
