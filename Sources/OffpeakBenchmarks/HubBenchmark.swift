import Foundation

/// The whole hub with the demo house: how fast it starts and how much memory it keeps.
enum HubBenchmark {
    static func run() async throws -> [Figure] {
        var starts: [Double] = []
        var resident: [Double] = []
        for round in 0..<3 {
            let port = 18_700 + round
            let began = ContinuousClock.now
            let hub = try Child(hubPath, ["demo", "--port", String(port), "--speed", "60"])
            defer { hub.end() }
            starts.append(try await firstGuidance(port, since: began))
            // Long enough for every device to be read and every service to have run.
            try await Task.sleep(for: .seconds(8))
            resident.append(try hub.residentMegabytes())
        }
        return [
            Figure(name: "start to first guidance over HTTP", unit: "s", values: starts, bound: 0.5),
            Figure(name: "resident memory with the demo house", unit: "MB", values: resident, bound: 60),
        ]
    }

    /// The program beside this one.
    static var hubPath: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("offpeak")
            .path
    }

    private static func firstGuidance(_ port: Int, since began: ContinuousClock.Instant) async throws -> Double {
        while ContinuousClock.now - began < .seconds(20) {
            if let venues = Child.httpGet(port, "/api/v1/venues"),
                let id = venues.firstMatch(of: #/"id":"([0-9A-F-]{36})"/#)?.output.1,
                Child.httpGet(port, "/api/v1/venues/\(id)/guidance")?.contains("guidanceToken") == true
            {
                return (ContinuousClock.now - began) / .seconds(1)
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw Child.Failure(description: "the hub gave no guidance within 20 s")
    }
}
