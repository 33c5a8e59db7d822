import Foundation

/// A real PostgreSQL server of a test's own, on a free port of the loopback interface.
///
/// It ends with the object. There is one role, `offpeak`, which may do everything and needs its password. The server
/// refuses to run as root, so for root it runs as Debian's user `postgres`.
package actor PostgreSQLServer {
    /// Whether the server's programs are on this machine.
    package static var isInstalled: Bool { folderOfPrograms != nil }

    /// The role's password.
    package static let password = "correct horse"
    /// The port it listens on, the same after a restart.
    package nonisolated let port: Int
    private let folder: TemporaryFolder
    private var child: ChildProcess?

    /// Makes a server with an empty database `postgres`, and starts it.
    /// - Throws: `ChildProcess.Failure`, with the server's own words.
    package init() async throws {
        folder = try TemporaryFolder()
        port = try LoopbackPort.free()
        let secret = try folder.write(Self.password + "\n", to: "password")
        if geteuid() == 0 {
            let owned = try await ChildProcess.run("chown", ["-R", "postgres", folder.path])
            guard owned.status == 0 else {
                throw ChildProcess.Failure.cannotStart("chown", reason: owned.standardError)
            }
        }
        let command = Self.command(
            "initdb",
            [
                "--pgdata", folder.file("data").path, "--username", "offpeak", "--pwfile", secret.path, "--auth",
                "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync",
            ])
        let made = try await ChildProcess.run(command.first ?? "", Array(command.dropFirst()))
        guard made.status == 0 else { throw ChildProcess.Failure.cannotStart("initdb", reason: made.standardError) }
        try await start()
    }

    /// The newest version's programs: Debian keeps them apart from the others'.
    private static var folderOfPrograms: String? {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.sorted { (Double($0) ?? 0) > (Double($1) ?? 0) }.map { "\(root)/\($0)/bin" }
            .first { access("\($0)/initdb", X_OK) == 0 && access("\($0)/postgres", X_OK) == 0 }
    }

    private static func command(_ program: String, _ arguments: [String]) -> [String] {
        let path = "\(folderOfPrograms ?? "")/\(program)"
        guard geteuid() == 0 else { return [path] + arguments }
        return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--", path] + arguments
    }

    /// Starts the server again on the same port; does nothing while it runs.
    /// - Throws: `ChildProcess.Failure`, with the server's own words.
    package func start() async throws {
        if let child, child.isRunning { return }
        let command = Self.command(
            "postgres",
            [
                "-D", folder.file("data").path, "-p", String(port), "-k", folder.path, "-c",
                "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "shared_buffers=16MB", "-c",
                "max_connections=20",
            ])
        for attempt in 1... {
            let child = try ChildProcess(command.first ?? "", Array(command.dropFirst()))
            self.child = child
            do {
                try await child.waitForLine(containing: "ready to accept connections")
                return
            } catch let error as ChildProcess.Failure where attempt < 20 {
                // After a kill the processes it left behind hold its memory for a moment.
                guard case .endedWithout(_, let output) = error,
                    output.contains(where: { $0.contains("still in use") || $0.contains("lock file") })
                else { throw error }
                try await Task.sleep(for: .milliseconds(250))
            }
        }
    }

    /// Ends the server properly: clients are cut off, everything is written.
    package func stop() async {
        child?.signal(SIGINT)
        _ = await child?.waitUntilExit()
    }

    /// Ends the server as a power cut would.
    package func kill() async {
        child?.kill()
        _ = await child?.waitUntilExit()
    }

    /// Halts the server: its connections stay open, but no new one is answered until `resume()`.
    package func suspend() { child?.signal(SIGSTOP) }

    /// Lets a halted server go on.
    package func resume() { child?.signal(SIGCONT) }
}
