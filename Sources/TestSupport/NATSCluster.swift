import Foundation

/// Three real nodes of a NATS JetStream cluster with MQTT listeners, on free ports of the loopback interface.
///
/// They end with the object.
package actor NATSCluster {
    /// Whether the server's program is on this machine.
    package static var isInstalled: Bool { ChildProcess.path(of: "nats-server") != nil }

    /// The ports of the MQTT listeners, one for each node.
    package nonisolated let ports: [Int]
    private let folder: TemporaryFolder
    private var children: [ChildProcess?] = [nil, nil, nil]

    /// Makes a cluster and waits until it has a leader.
    /// - Parameter settings: the file of the first node, as `etc/nats/fleet.conf`; ports and folders are replaced.
    /// - Throws: `ChildProcess.Failure`, with the server's own words.
    package init(settings: String) async throws {
        folder = try TemporaryFolder()
        ports = try (0..<3).map { _ in try LoopbackPort.free() }
        let routes = try (0..<3).map { _ in try LoopbackPort.free() }
        for node in 0..<3 {
            var text = settings.replacing("server_name: fleet-1", with: "server_name: fleet-\(node + 1)")
                .replacing("listen: 127.0.0.1:4222", with: "listen: 127.0.0.1:\(try LoopbackPort.free())")
                .replacing("/var/lib/nats", with: folder.file("node-\(node)").path)
                .replacing("listen: 0.0.0.0:6222", with: "listen: 127.0.0.1:\(routes[node])")
                .replacing("listen: 0.0.0.0:1883", with: "listen: 127.0.0.1:\(ports[node])")
            for (other, port) in routes.enumerated() {
                text = text.replacing("@fleet-\(other + 1):6222", with: "@127.0.0.1:\(port)")
            }
            try folder.write(text, to: "node-\(node).conf")
        }
        for node in 0..<3 { try start(node) }
        for node in 0..<3 { try await isReady(node) }
        try await hasLeader()
    }

    /// Starts a node again with what is on its disk, and waits until it serves.
    /// - Throws: `ChildProcess.Failure`, with the server's own words.
    package func restart(_ node: Int) async throws {
        try start(node)
        try await isReady(node)
    }

    /// Ends a node as a power cut would and waits for its end.
    package func kill(_ node: Int) async {
        children[node]?.kill()
        _ = await children[node]?.waitUntilExit()
    }

    /// What a node logged since its last start.
    package func log(of node: Int) -> [String] { children[node]?.output ?? [] }

    private func start(_ node: Int) throws {
        children[node] = try ChildProcess("nats-server", ["-c", folder.file("node-\(node).conf").path])
    }

    private func isReady(_ node: Int) async throws {
        try await children[node]?.waitForLine(containing: "Server is ready")
    }

    /// Until then nobody can keep anything.
    private func hasLeader() async throws {
        let hasOne = await eventually(within: .seconds(30)) {
            (0..<3).contains { node in
                log(of: node).contains { $0.contains("new JetStream cluster metadata leader") }
            }
        }
        guard hasOne else {
            throw ChildProcess.Failure.endedWithout("metadata leader", output: log(of: 0))
        }
    }
}
