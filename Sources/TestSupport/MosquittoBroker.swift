import Foundation

/// A real mosquitto broker of a test's own, on a free port of the loopback interface.
///
/// It ends with the object. Access is open to everyone unless `users` are given.
package actor MosquittoBroker {
    /// Whether the broker's program is on this machine.
    package static var isInstalled: Bool { ChildProcess.path(of: "mosquitto").map { access($0, X_OK) == 0 } ?? false }

    /// The host to connect to.
    package nonisolated let host = "127.0.0.1"
    /// The port it listens on, the same after a restart.
    package nonisolated let port: Int
    private let folder: TemporaryFolder
    private var child: ChildProcess?

    /// Makes a broker and starts it.
    /// - Parameters:
    ///   - users: passwords by user name; when not empty, a client without them is refused.
    ///   - isOpen: whether those without a user come in; by default where there are no users.
    ///   - isPersistent: whether retained messages and sessions survive a `stop()` (never a `kill()`).
    ///   - settings: further lines of `mosquitto.conf`, such as `cafile …` or `max_inflight_messages 1`.
    /// - Throws: `ChildProcess.Failure`, with the broker's own words.
    package init(
        users: [String: String] = [:], isOpen: Bool? = nil, isPersistent: Bool = false, settings: [String] = []
    ) async throws {
        folder = try TemporaryFolder()
        port = try LoopbackPort.free()
        var lines = [
            "listener \(port) 127.0.0.1",
            // As root it would otherwise become a user that cannot read the folder; for others the line has no effect.
            "user root",
            "log_dest stderr",
            "log_type all",
            "allow_anonymous \(isOpen ?? users.isEmpty)",
            "persistence \(isPersistent)",
            "persistence_location \(folder.path)/",
        ]
        if !users.isEmpty {
            let file = try await Self.passwordFile(users, in: folder)
            lines.append("password_file \(file.path)")
        }
        try folder.write((lines + settings).joined(separator: "\n") + "\n", to: "mosquitto.conf")
        try await start()
    }

    private static func passwordFile(_ users: [String: String], in folder: TemporaryFolder) async throws -> URL {
        let file = try folder.write(users.map { "\($0.key):\($0.value)\n" }.joined(), to: "passwords")
        let outcome = try await ChildProcess.run("mosquitto_passwd", ["-U", file.path])
        guard outcome.status == 0 else {
            throw ChildProcess.Failure.cannotStart("mosquitto_passwd", reason: outcome.standardError)
        }
        return file
    }

    /// Starts the broker again on the same port; does nothing while it runs.
    /// - Throws: `ChildProcess.Failure`, with the broker's own words.
    package func start() async throws {
        if let child, child.isRunning { return }
        let child = try ChildProcess("mosquitto", ["-c", folder.file("mosquitto.conf").path])
        self.child = child
        try await child.waitForLine(containing: " running")
    }

    /// Ends the broker properly and waits for its end.
    package func stop() async {
        guard let child else { return }
        // A broker that has only just said that it runs may forget the first request to end.
        let asking = Task {
            while child.isRunning {
                child.terminate()
                try await Task.sleep(for: .milliseconds(200))
            }
        }
        _ = await child.waitUntilExit()
        asking.cancel()
    }

    /// Ends the broker as a power cut would and waits for its end.
    package func kill() async {
        child?.kill()
        _ = await child?.waitUntilExit()
    }

    /// Halts the broker: its connections stay open, but nothing answers until `resume()`.
    package func suspend() {
        child?.signal(SIGSTOP)
    }

    /// Lets a halted broker go on.
    package func resume() {
        child?.signal(SIGCONT)
    }

    /// Stops the broker and starts it again; without persistence it has then forgotten everything.
    package func restart() async throws {
        await stop()
        try await start()
    }

    /// Waits for a line of the broker's log, also among those already written since its last start.
    @discardableResult
    package func waitForLog(containing text: String) async throws -> String {
        guard let child else { throw ChildProcess.Failure.endedWithout(text, output: []) }
        return try await child.waitForLine(containing: text)
    }

    /// What the broker logged since its last start.
    package var log: [String] { child?.output ?? [] }
}
