import Foundation
import Modbus

/// Reads through the wrapper against a C client of libmodbus, turn by turn against the same server.
enum ModbusBenchmark {
    private static let reads = 4000
    private static let registers = 20

    /// Reads as the drivers do: on the connection's own thread, letting others in after each request.
    private actor Poller {
        private let connection: ModbusConnection
        nonisolated var unownedExecutor: UnownedSerialExecutor { connection.unownedExecutor }

        init(_ connection: ModbusConnection) {
            self.connection = connection
        }

        func read(_ count: Int) async throws {
            for _ in 0..<count {
                blackHole(try await connection.read(.holding, unit: 1, address: 0, count: registers))
                await connection.giveWay()
            }
        }
    }

    static func run() async throws -> [Figure] {
        let server = try ModbusServer(units: [1: RegisterBank(holding: [0: Array(repeating: 7, count: 120)])])
        defer { server.stop() }
        var single: [Double] = []
        var ours: [Double] = []
        var peers: [Double] = []
        for _ in 0..<5 {
            single.append(try await measureSingle(server.port))
            ours.append(try await measurePolls(server.port))
            if let peer = try measurePeer(server.port) { peers.append(peer) }
        }
        var figures = [
            Figure(
                name: "Modbus TCP reads of \(registers) registers, asked from another thread", unit: "reads/s",
                values: single),
            Figure(name: "Modbus TCP reads of \(registers) registers, as drivers do", unit: "reads/s", values: ours),
        ]
        if peers.count == ours.count {
            figures.append(Figure(name: "Modbus TCP reads, C client of libmodbus", unit: "reads/s", values: peers))
            figures.append(
                Figure(
                    name: "wrapper against C client", unit: "×", values: zip(ours, peers).map { $0 / $1 }, bound: 0.8,
                    wantsAbove: true))
        } else {
            print("  the C client was not built; run scripts/bench, which builds it")
        }
        return figures
    }

    @concurrent private static func measureSingle(_ port: UInt16) async throws -> Double {
        try await measure(port) { connection in
            for _ in 0..<reads { blackHole(try await connection.read(.holding, unit: 1, address: 0, count: registers)) }
        }
    }

    private static func measurePolls(_ port: UInt16) async throws -> Double {
        try await measure(port) { try await Poller($0).read(reads) }
    }

    @concurrent private static func measure(
        _ port: UInt16, _ work: @concurrent (ModbusConnection) async throws -> Void
    ) async throws -> Double {
        let connection = ModbusConnection(.tcp(host: "127.0.0.1", port: port), settings: ModbusSettings())
        _ = try await connection.read(.holding, unit: 1, address: 0, count: registers)
        let began = ContinuousClock.now
        try await work(connection)
        let taken = (ContinuousClock.now - began) / .seconds(1)
        await connection.close()
        return Double(reads) / taken
    }

    private static func measurePeer(_ port: UInt16) throws -> Double? {
        guard let folder = ProcessInfo.processInfo.environment["OFFPEAK_BENCH_PEERS"] else { return nil }
        let output = try Child.output(
            "\(folder)/modbus_client", ["127.0.0.1", String(port), "1", "0", String(registers), String(reads)])
        return output.split(whereSeparator: { !"0123456789.".contains($0) }).compactMap { Double($0) }.max()
    }
}
