import EnergyKit
import Foundation
import HubKit
import LoadEvents
import MQTT
import PostgreSQL
import Sinks
import Storage
import TestSupport
import Testing
import ThreadKit

/// Many homes' load events through a cluster of three NATS nodes, of which one is killed under load, into PostgreSQL.
///
/// The cluster has exactly the file of `etc/nats`, with other ports and folders.
@Suite(
    "A fleet",
    .enabled(
        if: NATSCluster.isInstalled && PostgreSQLServer.isInstalled,
        "nats-server or the PostgreSQL server is not installed"), .timeLimit(.minutes(5)))
struct FleetTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("etc/nats/fleet.conf")

    /// A home with a store, an outbox and a client that knows all nodes.
    private struct Home {
        let name: String
        let house: SinkHouse
        let client: MQTTClient
        let sink: MQTTEventSink
        let events: [UUID]

        init(_ name: String, password: String, firstNode: Int, _ cluster: NATSCluster, count: Int) async throws {
            self.name = name
            let nodes = (0..<3).map { cluster.ports[(firstNode + $0) % 3] }
            var configuration = quick(port: nodes[0])
            configuration.others = nodes.dropFirst().map { MQTTPlace(host: "127.0.0.1", port: $0) }
            configuration.userName = name
            configuration.password = password
            configuration.acknowledgementTimeout = .seconds(10)
            client = try MQTTClient(configuration)
            sink = MQTTEventSink(client: client, base: name)
            house = try await SinkHouse(port: nodes[0])
            let events = (0..<count / 50).flatMap { [house] _ in house.session(of: 50, device: name) }
            self.events = events.map(\.id)
            let submitter = EventSubmitter(
                store: house.store, venues: VenueRegistry([house.venue]), sinks: [sink], clock: house.clock,
                log: .silent)
            try await submitter.start()
            try await submitter.record(events, at: house.venue.id, device: DeviceID(name) ?? "car", recorder: nil)
            await client.start()
        }

        /// Delivers until everything is, over all failures.
        func deliver() async throws {
            let delivery = SinkDelivery(sink, store: house.store, clock: house.clock, log: .silent) { _ in
                try await Task.sleep(for: .milliseconds(100))
            }
            let running = Task { await delivery.run() }
            let isEmpty = await eventually(within: .seconds(240)) {
                try await house.store.depth(sink: sink.name).waiting == 0
            }
            #expect(isEmpty)
            running.cancel()
            await running.value
            let dead = try await house.store.depth(sink: sink.name).dead
            #expect(dead == 0)
        }
    }

    private func ids(_ database: PostgreSQLDatabase, home: String) async throws -> [String] {
        try await database.transaction {
            try $0.run("SELECT id FROM offpeak_fleet_events WHERE home = $1", [home])
        }.compactMap { $0.first ?? nil }
    }

    @Test("a node that is killed under load, and a collector too, lose no event and double none")
    func killedUnderLoad() async throws {
        let cluster = try await NATSCluster(settings: String(contentsOf: Self.file, encoding: .utf8))
        let server = try await PostgreSQLServer()
        let configuration = PostgreSQLConfiguration(
            host: "127.0.0.1", port: server.port, database: "postgres", user: "offpeak",
            password: PostgreSQLServer.password)
        let database = PostgreSQLDatabase(configuration)
        let log = CollectingLog()
        func collector() -> Task<Void, Never> {
            let collector = EventCollector(
                at: cluster.ports.map { MQTTPlace(host: "127.0.0.1", port: $0) },
                .init(
                    clientID: "offpeak-collector", filter: "+/events", user: "collector", password: "change-this-four"),
                into: configuration, log: log.log)
            return Task { await collector.run() }
        }
        // It has to be known before the first event: what nobody has asked for is not kept.
        var collecting = collector()
        defer { collecting.cancel() }
        let isCollecting = await eventually { log.texts().contains { $0.contains("collects at") } }
        try #require(isCollecting, "\(log.texts())")

        let homes = [
            try await Home("home-1", password: "change-this-two", firstNode: 0, cluster, count: 1000),
            try await Home("home-2", password: "change-this-three", firstNode: 1, cluster, count: 1000),
        ]
        let delivering = homes.map { home in Task { try await home.deliver() } }
        // The collector and the first home are at the first node: it goes in the middle of both.
        func arrived(_ count: Int) async -> Bool {
            await eventually { try await ids(database, home: "home-1").count >= count }
        }
        let isFirst = await arrived(200)
        #expect(isFirst)
        await cluster.kill(0)
        let isSecond = await arrived(500)
        #expect(isSecond, "\(log.texts())")
        try await cluster.restart(0)
        collecting.cancel()
        await collecting.value
        collecting = collector()
        for task in delivering { try await task.value }
        for home in homes {
            let name = home.name
            let expected = Set(home.events.map { $0.uuidString.lowercased() })
            let isWhole = await eventually { try await Set(ids(database, home: name)) == expected }
            #expect(isWhole)
            let count = try await ids(database, home: name).count
            #expect(count == expected.count)
        }
        collecting.cancel()
        await collecting.value
        await database.close()
    }
}
