import Foundation

/// The whole hub with 500 Modbus meters, each at an address of its own and read every second.
enum DeviceBenchmark {
    private static let processes = 4
    private static let devices = processes * MeterProcess.meters
    private static let seconds = 20.0

    static func run() async throws -> [Figure] {
        let folder = EventHouse.folder()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let meters = try (0..<processes).map { try MeterProcess(in: folder, number: $0) }
        defer { for process in meters { process.end() } }
        let file = folder.appendingPathComponent("offpeak.yaml")
        let ports = try await reports(meters).flatMap(\.ports)
        try configuration(ports).write(to: file, atomically: true, encoding: .utf8)
        let hub = try Child(HubBenchmark.hubPath, ["run", "--config", file.path])
        defer { hub.end() }
        try await waitForAll(meters)
        let (before, beganCPU, began) = (try await reports(meters), try hub.processorSeconds(), ContinuousClock.now)
        try await Task.sleep(for: .seconds(seconds))
        let cores = (try hub.processorSeconds() - beganCPU) / ((ContinuousClock.now - began) / .seconds(1))
        // The profile's values come with one read, and all devices are read at about the same moment of a second: one
        // round more or less falls into the time.
        let rates = zip(before, try await reports(meters)).map { before, after in
            Double(after.requests.reduce(0, +) - before.requests.reduce(0, +)) / max(after.at - before.at, 0.001)
        }
        return [
            Figure(
                name: "\(devices) devices read each second", unit: "reads/s", values: [rates.reduce(0, +)],
                bound: Double(devices) * (1 - 1.5 / seconds), wantsAbove: true),
            Figure(name: "processor for \(devices) devices", unit: "cores", values: [cores], bound: 1),
            Figure(
                name: "resident memory with \(devices) devices", unit: "MB", values: [try hub.residentMegabytes()],
                bound: 150),
        ]
    }

    private static func reports(_ meters: [MeterProcess]) async throws -> [MeterProcess.Report] {
        var reports: [MeterProcess.Report] = []
        for process in meters { reports.append(try await process.report()) }
        return reports
    }

    private static func waitForAll(_ meters: [MeterProcess]) async throws {
        let limit = ContinuousClock.now + .seconds(60)
        while try await reports(meters).contains(where: { $0.requests.contains { $0 < 3 } }) {
            guard ContinuousClock.now < limit else {
                throw Child.Failure(description: "the hub did not read every device within a minute")
            }
            try await Task.sleep(for: .milliseconds(200))
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
