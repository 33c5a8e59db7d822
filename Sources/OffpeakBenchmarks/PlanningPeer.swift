import Foundation

/// A planner of others from PyPI (`scripts/install-packages bench`) that solves a problem in a process of its own.
enum PlanningPeer {
    /// What it finds, where it is installed.
    /// - Parameters:
    ///   - script: the variable of the environment that names the script that runs it.
    ///   - problem: the problem as the script reads it.
    static func plan(_ script: String, _ problem: [String: Any]) throws -> (cost: Double, seconds: Double)? {
        let environment = ProcessInfo.processInfo.environment
        guard let python = environment["OFFPEAK_BENCH_PYTHON"], let script = environment[script],
            FileManager.default.isExecutableFile(atPath: python)
        else { return nil }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("offpeak-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONSerialization.data(withJSONObject: problem).write(to: file)
        let output = try Child.output(python, [script, file.path])
        guard let match = output.firstMatch(of: #/cost (\S+) seconds (\S+)/#), let cost = Double(match.output.1),
            let seconds = Double(match.output.2)
        else { return nil }
        return (cost, seconds)
    }
}
