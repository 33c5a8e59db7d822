import Modbus
import Testing
import ThreadKit

@Suite struct SerialLineTests {
    private func line(
        to device: SerialDevice, timeout: Duration = .seconds(2), retries: Int = 0
    ) -> ModbusConnection {
        ModbusConnection(
            .rtu(path: device.path, baud: 19200, parity: .even, dataBits: 8, stopBits: 1),
            settings: ModbusSettings(responseTimeout: timeout, retries: retries))
    }

    @Test func checkSumIsTheOneOfTheSpecification() {
        #expect(SerialDevice.frame([1, 3, 2, 0, 0]) == [1, 3, 2, 0, 0, 0xB8, 0x44])
    }

    @Test func readsAndWrites() async throws {
        let device = try #require(SerialDevice(unit: 1))
        let client = line(to: device)
        #expect(try await client.read(.holding, unit: 1, address: 10, count: 3) == [10, 11, 12])
        #expect(try await client.read(.input, unit: 1, address: 0, count: 125) == Array(0..<125))
        try await client.write(unit: 1, address: 5, value: 500)
        try await client.write(unit: 1, address: 6, values: [600, 700])
        #expect(try await client.read(.holding, unit: 1, address: 5, count: 3) == [500, 600, 700])
        try await client.writeCoil(unit: 1, address: 2, value: true)
        #expect(try await client.readCoils(unit: 1, address: 0, count: 4) == [false, false, true, false])
        #expect(try await client.readDiscreteInputs(unit: 1, address: 0, count: 3) == [false, false, false])
    }

    @Test func exceptionKeepsTheLine() async throws {
        let device = try #require(SerialDevice(unit: 1))
        let client = line(to: device, timeout: .seconds(2))
        await #expect(throws: ModbusError.exception(.illegalDataAddress)) {
            try await client.read(.holding, unit: 1, address: 199, count: 2)
        }
        #expect(await client.isConnected)
        #expect(try await client.read(.holding, unit: 1, address: 0, count: 2) == [0, 1])
    }

    @Test(
        "D-2 on a serial line a reply of another unit, another function or another length is not the answer",
        arguments: [[2, 3, 2, 0xAA, 0xAA], [1, 4, 2, 0xAA, 0xAA], [1, 3, 4, 0xAA, 0xAA, 0xBB, 0xBB]] as [[UInt8]])
    func dropsForeignReplies(bytes: [UInt8]) async throws {
        let device = try #require(SerialDevice(unit: 1))
        let client = line(to: device)
        device.behaviour.withLock { $0.prelude = SerialDevice.frame(bytes) }
        #expect(try await client.read(.holding, unit: 1, address: 7, count: 1) == [7])
        #expect(try await client.read(.holding, unit: 1, address: 8, count: 1) == [8])
    }

    @Test("D-2 a reply that comes after its timeout is not the answer to the next request on a serial line")
    func dropsTheLateReply() async throws {
        let device = try #require(SerialDevice(unit: 1))
        let client = line(to: device, timeout: .milliseconds(600))
        device.behaviour.withLock {
            $0.drops = 1
            // Arrives in place of the answer, from a device that has the wrong unit number: waits in the buffer.
            $0.prelude = SerialDevice.frame([9, 3, 2, 0xAA, 0xAA])
        }
        await #expect(throws: ModbusError.self) { try await client.read(.holding, unit: 1, address: 7, count: 1) }
        #expect(try await client.read(.holding, unit: 1, address: 8, count: 1) == [8])
    }

    @Test func spoiltFrameIsAnErrorAndIsReadAgain() async throws {
        let device = try #require(SerialDevice(unit: 1))
        device.behaviour.withLock {
            $0.drops = 1
            $0.prelude = [1, 3, 2, 0, 7, 0xDE, 0xAD]
        }
        #expect(
            try await line(to: device, timeout: .milliseconds(900), retries: 1)
                .read(.holding, unit: 1, address: 7, count: 1) == [7])
        device.behaviour.withLock {
            $0.drops = 1
            $0.prelude = [1, 3, 2, 0, 7, 0xDE, 0xAD]
        }
        let error = await #expect(throws: ModbusError.self) {
            try await line(to: device, timeout: .milliseconds(900)).read(.holding, unit: 1, address: 7, count: 1)
        }
        guard case .badReply = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test func silentDeviceTimesOutAndReadsAreRepeated() async throws {
        let device = try #require(SerialDevice(unit: 1))
        let client = line(to: device, timeout: .milliseconds(900), retries: 1)
        device.behaviour.withLock { $0.drops = 2 }
        let place = ModbusPlace(endpoint: device.path, unit: 1, function: 3, address: 0, count: 1)
        await #expect(throws: ModbusError.timeout(place)) {
            try await client.read(.holding, unit: 1, address: 0, count: 1)
        }
        device.behaviour.withLock { $0.drops = 1 }
        #expect(try await client.read(.holding, unit: 1, address: 4, count: 1) == [4])
    }

    @Test func unitZeroIsWrittenToAllAndNeverRead() async throws {
        let device = try #require(SerialDevice(unit: 1))
        let client = line(to: device)
        try await client.write(unit: 0, address: 3, value: 33)
        #expect(try await client.read(.holding, unit: 1, address: 3, count: 1) == [33])
        let error = await #expect(throws: ModbusError.self) {
            try await client.read(.holding, unit: 0, address: 3, count: 1)
        }
        guard case .invalidRequest = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }

    @Test func missingDeviceFileIsNamed() async throws {
        let client = ModbusConnection(
            .rtu(path: "/dev/offpeak-missing", baud: 9600, parity: .none, dataBits: 8, stopBits: 1))
        await #expect(
            throws: ModbusError.cannotConnect(endpoint: "/dev/offpeak-missing", reason: "No such file or directory")
        ) {
            try await client.read(.holding, unit: 1, address: 0, count: 1)
        }
    }
}
