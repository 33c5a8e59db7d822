import Foundation
import TestSupport

/// A real hub with one home at a flat price, and programs that talk to it.
struct ExampleHouse {
    let folder: TemporaryFolder
    let hub: HubProcess
    let token: String
    private let port: Int

    init(role: String = "operator") async throws {
        folder = try TemporaryFolder()
        port = Int(try LoopbackPort.free())
        let configuration = try folder.write(
            """
            data: data
            http: {listen: "127.0.0.1:\(port)"}
            venues:
              - {name: Home, time_zone: Europe/Berlin, currency: EUR, rate_plan: {flat: 0.30}}

            """, to: "offpeak.yaml")
        let outcome = try await HubProcess.offpeak(
            "token", "create", "--role", role, "--config", configuration.path)
        guard outcome.status == 0, let token = outcome.standardOutput.split(separator: "\n").last else {
            throw HubProcess.Failure(description: "no token: \(outcome)")
        }
        self.token = String(token)
        hub = try await HubProcess.run(configuration)
    }

    /// What tells a program where its hub is.
    var environment: [String: String] {
        ["OFFPEAK_URL": "http://127.0.0.1:\(port)", "OFFPEAK_TOKEN": token]
    }

    /// Starts an example.
    func start(_ example: Example, _ arguments: String...) throws -> ChildProcess {
        try ChildProcess(example.program, arguments, environment: environment)
    }

    /// Runs an example to its end.
    func run(_ example: Example, _ arguments: String..., token: String? = nil) async throws -> ChildProcess.Outcome {
        var environment = environment
        if let token { environment["OFFPEAK_TOKEN"] = token }
        return try await ChildProcess.run(example.program, arguments, environment: environment)
    }

    /// A device's events as the hub has them, in order.
    func events(of device: String) async throws -> [JSONValue] {
        try await client().get("/api/v1/events?device=\(device)&limit=1000").json["events"].array
    }

    /// The sessions of the hub's book, once there are as many.
    func sessions(_ count: Int) async throws -> [JSONValue] {
        let client = client()
        _ = await eventually(within: .seconds(20)) {
            try await client.get("/api/v1/sessions").json["sessions"].array.filter { $0["ended"] != .null }.count
                >= count
        }
        return try await client.get("/api/v1/sessions").json["sessions"].array
    }

    /// A client of the hub with the token.
    func client() -> HTTPClient { HTTPClient(port: port, token: token) }
}
