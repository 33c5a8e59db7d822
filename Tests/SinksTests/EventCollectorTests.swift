import EnergyKit
import Foundation
import HubKit
import MQTT
import PostgreSQL
import Sinks
import TestSupport
import Testing

/// The collector between a real broker and a real database.
@Suite(
    "Load events of many homes into PostgreSQL",
    .enabled(
        if: MosquittoBroker.isInstalled && PostgreSQLServer.isInstalled,
        "the mosquitto broker or the PostgreSQL server is not installed"), .timeLimit(.minutes(3)))
struct EventCollectorTests {
    private func configuration(_ server: PostgreSQLServer) -> PostgreSQLConfiguration {
        PostgreSQLConfiguration(
            host: "127.0.0.1", port: server.port, database: "postgres", user: "offpeak",
            password: PostgreSQLServer.password)
    }

    /// Runs a collector while the body runs, and after its end another one that finds what the first left.
    private func collecting(
        from broker: MosquittoBroker, into server: PostgreSQLServer, _ log: CollectingLog = CollectingLog(),
        _ body: () async throws -> Void
    ) async throws {
        let collector = EventCollector(
            at: [MQTTPlace(host: "127.0.0.1", port: broker.port)], .init(clientID: "collector", filter: "+/events"),
            into: configuration(server), log: log.log)
        let running = Task { await collector.run() }
        defer { running.cancel() }
        try await broker.waitForLog(containing: "Sending SUBACK to collector")
        try await body()
        running.cancel()
        await running.value
    }

    private func rows(_ query: String, _ server: PostgreSQLServer) async throws -> [[String?]] {
        let database = PostgreSQLDatabase(configuration(server))
        defer { Task { await database.close() } }
        return try await database.transaction { try $0.run(query) }
    }

    private func count(_ server: PostgreSQLServer) async throws -> Int {
        try await rows("SELECT count(*) FROM offpeak_fleet_events", server).first?.first?.flatMap { Int($0) } ?? 0
    }

    @Test("an event is a row of its home, once, however often it comes")
    func once() async throws {
        let (broker, server) = try await (ownBroker(), PostgreSQLServer())
        let house = try await SinkHouse(port: broker.port)
        await house.client.start()
        try await house.client.become { $0 == .connected }
        let events = house.session(of: 5)
        try await collecting(from: broker, into: server) {
            for home in ["home-1", "home-2"] {
                let sink = MQTTEventSink(client: house.client, base: home)
                for _ in 1...2 { try await sink.deliver(house.stored(events)) }
            }
            let isThere = await eventually { try await count(server) == 10 }
            #expect(isThere)
        }
        let found = try await rows(
            """
            SELECT home, device_id, kind, state, power_watts, energy_watt_hours, state_of_charge, at
            FROM offpeak_fleet_events WHERE home = 'home-2' ORDER BY at
            """, server)
        #expect(found.count == 5)
        #expect(found[1].prefix(7) == ["home-2", "car", "electricVehicle", "active", "7200", "120", "50"])
        let ids = try await rows("SELECT DISTINCT id FROM offpeak_fleet_events", server).compactMap { $0.first ?? nil }
        #expect(Set(ids) == Set(events.map { $0.id.uuidString.lowercased() }))
    }

    @Test("what is no event is kept apart with its reason, and holds nobody up")
    func noEvent() async throws {
        let (broker, server) = try await (ownBroker(), PostgreSQLServer())
        let house = try await SinkHouse(port: broker.port)
        await house.client.start()
        try await house.client.become { $0 == .connected }
        let rubbish = [
            "", "no JSON", "[]", "{}", #"{"id":"1"}"#, #"{"id":"\u0000"}"#, "\"},{\"home\":\"home-2\"",
            String(repeating: "[", count: 20_000),
        ]
        let bytes: [UInt8] = [0xFF, 0x00, 0x27]
        try await collecting(from: broker, into: server) {
            let events = house.session(of: 3)
            let sink = MQTTEventSink(client: house.client, base: "home-1")
            for text in rubbish { try await house.client.publish(text, to: "home-1/events") }
            try await house.client.publish(MQTTMessage(topic: "home-1/events", payload: bytes))
            try await sink.deliver(house.stored(events))
            let isThere = await eventually { try await count(server) == events.count }
            #expect(isThere)
        }
        let refused = try await rows("SELECT encode(payload, 'hex'), reason FROM offpeak_fleet_refused", server)
        let expected = (rubbish.map { Array($0.utf8) } + [bytes]).map { payload in
            payload.map { String(format: "%02x", $0) }.joined()
        }
        #expect(Set(refused.compactMap { $0.first ?? nil }) == Set(expected))
        #expect(refused.allSatisfy { ($0.last ?? nil)?.isEmpty == false })
    }

    @Test("a database that is away, stopped or killed gets everything when it is back")
    func databaseAway() async throws {
        let (broker, server) = try await (ownBroker(settings: ["max_queued_messages 0"]), PostgreSQLServer())
        let house = try await SinkHouse(port: broker.port)
        await house.client.start()
        try await house.client.become { $0 == .connected }
        var sent = 0
        try await collecting(from: broker, into: server) {
            for round in 1...3 {
                let events = house.session(of: 200)
                sent += events.count
                try await house.sink.deliver(house.stored(Array(events.prefix(100))))
                if round % 2 == 0 { await server.stop() } else { await server.kill() }
                try await house.sink.deliver(house.stored(Array(events.suffix(100))))
                try await server.start()
            }
            let isThere = await eventually { try await count(server) == sent }
            #expect(isThere)
        }
    }
}
