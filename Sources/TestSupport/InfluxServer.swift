import Foundation

/// A real InfluxDB server of version 1 of a test's own, on free ports of the loopback interface.
///
/// It ends with the object. There is one user, `offpeak`, which may do everything, and one database, `home`.
package actor InfluxServer {
    /// Whether the server's program is on this machine.
    package static var isInstalled: Bool { ChildProcess.path(of: "influxd").map { access($0, X_OK) == 0 } ?? false }

    /// The user's password.
    package static let password = "correct horse"
    /// The port it answers HTTP at, the same after a restart.
    package nonisolated let port: Int
    private let folder: TemporaryFolder
    private var child: ChildProcess?

    /// Makes a server and starts it.
    /// - Throws: `ChildProcess.Failure`, with the server's own words.
    package init() async throws {
        folder = try TemporaryFolder()
        port = try LoopbackPort.free()
        let configuration = """
            reporting-disabled = true
            bind-address = "127.0.0.1:\(try LoopbackPort.free())"
            [meta]
              dir = "\(folder.path)/meta"
            [data]
              dir = "\(folder.path)/data"
              wal-dir = "\(folder.path)/wal"
            [http]
              bind-address = "127.0.0.1:\(port)"
              auth-enabled = true
            [monitor]
              store-enabled = false
            """
        try folder.write(configuration + "\n", to: "influxdb.conf")
        try await start()
        _ = try await ask("CREATE USER offpeak WITH PASSWORD '\(Self.password)' WITH ALL PRIVILEGES")
        _ = try await ask("CREATE DATABASE home")
    }

    /// Starts the server again on the same port; does nothing while it runs.
    /// - Throws: `ChildProcess.Failure`, with the server's own words.
    package func start() async throws {
        if let child, child.isRunning { return }
        let child = try ChildProcess("influxd", ["run", "-config", folder.file("influxdb.conf").path])
        self.child = child
        try await child.waitForLine(containing: "Listening for signals")
    }

    /// Ends the server properly and waits for its end.
    package func stop() async {
        child?.terminate()
        _ = await child?.waitUntilExit()
    }

    /// The answer to a query, as JSON.
    /// - Throws: as `HTTPClient.send`.
    package func ask(_ query: String) async throws -> JSONValue {
        let text = query.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let user = "u=offpeak&p=\(Self.password.replacing(" ", with: "%20"))"
        return try await HTTPClient(port: port).send("POST", "/query?db=home&\(user)&q=\(text)").json
    }
}
