package import Foundation

/// The real program `offpeak` as a child process: a hub or the demo, killed and started again as a test likes.
package actor HubProcess {
    /// Why a hub is not there.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        /// Says why.
        package init(description: String) { self.description = description }
    }

    /// The program, beside the tests in the build folder.
    package static let executable: String = {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        return URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("offpeak").path
    }()

    private let arguments: [String]
    private let limits: String?
    private let environment: [String: String]
    private(set) package var child: ChildProcess
    /// Where it answers; nil as long as it does not.
    private(set) package var port: Int?
    /// The access token of the demo's link.
    private(set) package var token: String?

    private init(_ arguments: [String], environment: [String: String], limits: String?) throws {
        self.arguments = arguments
        self.environment = environment
        self.limits = limits
        child = try HubProcess.spawn(arguments, environment, limits)
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String: String], _ limits: String?
    ) throws -> ChildProcess {
        guard let limits else { return try ChildProcess(executable, arguments, environment: environment) }
        // The shell becomes the program, so signals reach it.
        let words = ["-c", "\(limits); exec \"$0\" \"$@\"", executable] + arguments
        return try ChildProcess("/bin/sh", words, environment: environment)
    }

    /// Starts a subcommand that serves, and waits until it answers.
    /// - Parameters:
    ///   - arguments: the subcommand with its options.
    ///   - environment: added to the test's own.
    ///   - limits: what a shell is to do before it becomes the program, such as `ulimit -f 100`.
    /// - Throws: `Failure` with what the program said, when it did not get ready.
    package static func start(
        _ arguments: [String], environment: [String: String] = [:], limits: String? = nil
    ) async throws -> HubProcess {
        let hub = try HubProcess(arguments, environment: environment, limits: limits)
        try await hub.untilReady()
        return hub
    }

    /// Starts a subcommand and waits for nothing.
    /// - Throws: `ChildProcess.Failure`.
    package static func launch(_ arguments: [String], environment: [String: String] = [:]) throws -> HubProcess {
        try HubProcess(arguments, environment: environment, limits: nil)
    }

    /// Starts a demo on a free port.
    /// - Parameters:
    ///   - data: where it keeps everything; a folder that it deletes itself when nil.
    ///   - speed: seconds of the house for each real one.
    ///   - start: where the house begins.
    ///   - more: further options.
    /// - Throws: as `start(_:environment:)`.
    package static func demo(data: URL?, speed: Double, start: String? = nil, more: [String] = []) async throws
        -> HubProcess
    {
        var arguments = ["demo", "--port", "0", "--speed", String(speed)]
        if let data { arguments += ["--data", data.path] }
        if let start { arguments += ["--start", start] }
        return try await HubProcess.start(arguments + more)
    }

    /// Starts a hub on a configuration.
    /// - Throws: as `start(_:environment:)`.
    package static func run(_ configuration: URL, environment: [String: String] = [:]) async throws -> HubProcess {
        try await HubProcess.start(["run", "--config", configuration.path], environment: environment)
    }

    /// Runs a subcommand to its end.
    /// - Throws: `ChildProcess.Failure.cannotStart`.
    package static func offpeak(_ arguments: String..., environment: [String: String] = [:]) async throws
        -> ChildProcess.Outcome
    {
        try await ChildProcess.run(executable, arguments, environment: environment)
    }

    /// A client of this hub, with the demo's token where there is one.
    /// - Throws: `Failure` when it does not answer.
    package func client() throws -> HTTPClient {
        guard let port else { throw Failure(description: "the hub does not answer") }
        return HTTPClient(port: port, token: token)
    }

    /// Ends it as a power cut would and waits for its end.
    package func kill() async {
        child.kill()
        _ = await child.waitUntilExit()
    }

    /// Asks it to end and waits for that.
    /// - Parameters:
    ///   - number: the signal to ask with.
    ///   - limit: how long it may take; after that it is killed.
    /// - Returns: the exit status and how long it took.
    package func terminate(with number: Int32 = SIGTERM, within limit: Duration = .seconds(30)) async -> (
        status: Int32, took: Duration
    ) {
        let began = ContinuousClock.now
        let child = child
        let killer = Task {
            if (try? await Task.sleep(for: limit)) != nil { child.kill() }
        }
        child.signal(number)
        let status = await child.waitUntilExit()
        killer.cancel()
        return (status, ContinuousClock.now - began)
    }

    /// Starts the same program with the same arguments again and waits until it answers.
    /// - Throws: as `start(_:environment:)`.
    package func restart() async throws {
        child.kill()
        _ = await child.waitUntilExit()
        port = nil
        child = try HubProcess.spawn(arguments, environment, limits)
        try await untilReady()
    }

    /// Everything it said since its last start.
    package var output: [String] { child.output }

    /// Waits for a line that it says.
    /// - Throws: `ChildProcess.Failure`.
    @discardableResult
    package func said(_ text: String, within limit: Duration = .seconds(60)) async throws -> String {
        try await child.waitForLine(containing: text, timeout: limit)
    }

    /// Waits until it has said where it listens, and answers there.
    /// - Throws: `Failure` with what it said instead.
    package func untilReady() async throws {
        do {
            let isDemo = arguments.first == "demo"
            let line = try await said(isDemo ? "Page:" : "listening at http://", within: .seconds(60))
            guard let place = line.firstRange(of: "http://127.0.0.1:"),
                let port = Int(line[place.upperBound...].prefix { $0.isNumber })
            else { throw Failure(description: "the line '\(line)' names no port") }
            self.port = port
            if let mark = line.firstRange(of: "#token=") {
                token = line[mark.upperBound...].trimmingCharacters(in: .whitespaces)
            }
        } catch {
            throw Failure(description: "\(arguments): \(error)")
        }
        let client = try client()
        guard await eventually(within: .seconds(60), { try await client.get("/readyz").status == 200 }) else {
            throw Failure(description: "\(arguments): not ready: \(child.output.joined(separator: "\n"))")
        }
    }
}
