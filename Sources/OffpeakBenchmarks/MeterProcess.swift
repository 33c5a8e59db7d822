import Foundation
import Modbus

/// Many virtual meters in a process of their own, since libmodbus takes no descriptor above 1023.
struct MeterProcess {
    /// How many meters one process has.
    static let meters = 125
    private let child: Child
    private let file: URL

    /// What one process tells: where its meters listen, and how often they were asked until when.
    struct Report: Codable {
        var ports: [UInt16]
        var requests: [Int]
        /// Seconds of a clock that all processes share.
        var at: Double
    }

    /// Starts a process of meters.
    init(in folder: URL, number: Int) throws {
        file = folder.appendingPathComponent("meters-\(number).json")
        child = try Child(CommandLine.arguments[0], ["--meters", file.path])
    }

    func end() { child.end() }

    /// The newest report.
    func report() async throws -> Report {
        let limit = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < limit {
            if let data = try? Data(contentsOf: file), let report = try? JSONDecoder().decode(Report.self, from: data) {
                return report
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw Child.Failure(description: "the virtual meters did not start")
    }

    /// What the process of meters does until it is ended, or whoever started it is gone.
    static func run(_ path: String) async throws {
        let words = [UInt16](repeating: 0x4366, count: 80)
        let servers = try (0..<meters).map { _ in try ModbusServer(units: [1: RegisterBank(input: [0: words])]) }
        let parent = getppid()
        while getppid() == parent {
            let report = Report(
                ports: servers.map(\.port), requests: servers.map(\.requestCount),
                at: ProcessInfo.processInfo.systemUptime)
            try JSONEncoder().encode(report).write(to: URL(fileURLWithPath: path), options: .atomic)
            try await Task.sleep(for: .milliseconds(200))
        }
    }
}
