import Foundation
import MQTT
import TestSupport
import Testing
import ThreadKit

/// A broker that does not let everyone listen to everything, and says so: mosquitto's access list has no such rule, but
/// NATS has.
@Suite(
    "What a broker does not let hear",
    .enabled(if: NATSCluster.isInstalled, "nats-server is not installed"), .timeLimit(.minutes(2)))
struct RefusedSubscriptionTests {
    private let folder: TemporaryFolder
    private let port: Int

    init() throws {
        folder = try TemporaryFolder()
        port = try LoopbackPort.free()
        try folder.write(
            """
            server_name: one
            listen: "127.0.0.1:-1"
            jetstream {store_dir: "\(folder.path)/store"}
            mqtt {listen: "127.0.0.1:\(port)"}
            accounts {A: {jetstream: enabled, users: [
                {user: u, password: p, permissions: {publish: ["open.>"], subscribe: ["open.>", "$MQTT.sub.>"]}}]}}

            """, to: "nats.conf")
    }

    private func server() async throws -> ChildProcess {
        let server = try ChildProcess("nats-server", ["-c", folder.file("nats.conf").path])
        try await server.waitForLine(containing: "Server is ready")
        return server
    }

    @Test(
        "a subscription that is refused is an error, and one that is refused at a new connection is said with its remedy"
    )
    func refused() async throws {
        var server = try await server()
        var settings = configuration(port: port)
        (settings.userName, settings.password) = ("u", "p")
        let lines = Locked<[String]>([])
        let client = try MQTTClient(settings) { line in lines.withLock { $0.append(line) } }
        // Asked for before there is a connection, so nobody waits for the answer.
        let closed = try await client.messages(matching: "closed/#")
        let open = try await client.messages(matching: "open/+")
        await client.start()
        await client.wait { $0 == .connected }
        await #expect(throws: MQTTError.subscriptionRefused("other/a")) {
            _ = try await client.messages(matching: "other/a")
        }
        for round in 1...2 {
            #expect(lines.current.count { $0.contains("refused the subscription to closed/#") } == round)
            // The others are heard all the same.
            try await client.publish("\(round)", to: "open/a")
            let heard = await take(1, from: open)
            #expect(heard.map(\.text) == ["\(round)"])
            guard round == 1 else { break }
            server.kill()
            _ = await server.waitUntilExit()
            await client.wait { $0.failure != nil }
            server = try await self.server()
            await client.wait { $0 == .connected }
        }
        await client.close()
        #expect(await take(1, from: closed).isEmpty)
        server.terminate()
        _ = await server.waitUntilExit()
    }
}
