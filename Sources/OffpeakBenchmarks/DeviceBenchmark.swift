import Foundation
import Modbus

/// The whole hub with 500 Modbus meters, each at an address of its own and read every second.
enum DeviceBenchmark {
    private static let devices = 500
    private static let seconds = 20.0

    static func run() async throws -> [Figure] {
        let words = [UInt16](repeating: 0x4366, count: 80)
        let servers = try (0..<devices).map { _ in
            try ModbusServer(units: [1: RegisterBank(input: [0: words])])
        }
        defer { for server in servers { server.stop() } }
        let folder = EventHouse.folder()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("offpeak.yaml")
        try configuration(servers.map(\.port)).write(to: file, atomically: true, encoding: .utf8)
        let hub = try Child(HubBenchmark.hubPath, ["run", "--config", file.path])
        defer { hub.end() }
        try await waitForAll(servers)
        let (before, beganCPU, began) = (reads(servers), try hub.processorSeconds(), ContinuousClock.now)
        try await Task.sleep(for: .seconds(seconds))
        let taken = (ContinuousClock.now - began) / .seconds(1)
        let cores = (try hub.processorSeconds() - beganCPU) / taken
        // The profile's values come with one read.
        let rate = Double(reads(servers) - before) / taken
        return [
            Figure(
                name: "\(devices) devices read each second", unit: "reads/s", values: [rate],
                bound: Double(devices) * 0.98, wantsAbove: true),
            Figure(name: "processor for \(devices) devices", unit: "cores", values: [cores], bound: 1),
            Figure(
                name: "resident memory with \(devices) devices", unit: "MB", values: [try hub.residentMegabytes()],
                bound: 150),
        ]
    }

    private static func reads(_ servers: [ModbusServer]) -> Int { servers.map(\.requestCount).reduce(0, +) }

    private static func waitForAll(_ servers: [ModbusServer]) async throws {
        let limit = ContinuousClock.now + .seconds(60)
        while servers.contains(where: { $0.requestCount < 3 }) {
            guard ContinuousClock.now < limit else {
                throw Child.Failure(description: "the hub did not read every device within a minute")
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private static func configuration(_ ports: [UInt16]) -> String {
        let head = """
            data: data
            http: {listen: "127.0.0.1:0"}
            venues: [{name: Home, time_zone: Europe/Berlin, currency: EUR, rate_plan: {flat: 0.30}}]
            devices:

            """
        let lines = ports.enumerated().map { number, port in
            "  - {id: d\(number), driver: meter, profile: eastron-sdm630, role: load, poll_seconds: 1, "
                + "connection: {host: 127.0.0.1, port: \(port)}}"
        }
        return head + lines.joined(separator: "\n") + "\n"
    }
}
