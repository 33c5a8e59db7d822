import EnergyKit
import Foundation
import HubKit
import LoadEvents
import PostgreSQL
import Sinks
import Storage
import TestSupport
import Testing

/// Load events in a real PostgreSQL database.
///
/// Without a PostgreSQL server on the machine nothing here can be tried.
@Suite(
    "Load events to PostgreSQL",
    .enabled(if: PostgreSQLServer.isInstalled, "the PostgreSQL server is not installed"),
    .timeLimit(.minutes(3)))
struct PostgreSQLEventSinkTests {
    private func configuration(
        _ server: PostgreSQLServer, user: String = "offpeak", password: String? = nil
    )
        -> PostgreSQLConfiguration
    {
        PostgreSQLConfiguration(
            host: "127.0.0.1", port: server.port, database: "postgres", user: user,
            password: password ?? PostgreSQLServer.password)
    }

    private func rows(_ server: PostgreSQLServer, _ sql: String) async throws -> [[String?]] {
        let database = PostgreSQLDatabase(configuration(server))
        return try await database.transaction { try $0.run(sql) }
    }

    @Test(
        "each event is a row with what it says in columns, and a repeat changes nothing",
        arguments: ["public", "home"])
    func delivers(schema: String) async throws {
        let server = try await PostgreSQLServer()
        let house = try await EventStore()
        let events = house.stored(house.session(estimated: true) + house.others)
        let sink = PostgreSQLEventSink(configuration(server), schema: schema)
        for _ in 0..<2 { try await sink.deliver(events) }
        // Another hub finds everything there.
        try await PostgreSQLEventSink(configuration(server), schema: schema).deliver(
            Array(events.prefix(1)))

        let found = try await rows(
            server,
            """
            SELECT id, sequence, venue_id, device_id, kind, state, direction, power_watts, energy_watt_hours,
                energy_estimated, state_of_charge, stage, was_following_guidance, extract(epoch FROM at)::bigint
            FROM \(schema).offpeak_events ORDER BY sequence
            """)
        let seconds = String(Int(house.clock.now.timeIntervalSince1970))
        let venue = house.venue.id.uuidString.lowercased()
        func row(_ index: Int, _ rest: [String?]) -> [String?] {
            [events[index].event.id.uuidString.lowercased(), String(index + 1), venue] + rest
        }
        #expect(found.count == 5)
        #expect(
            found[0]
                == row(
                    0,
                    ["car", "electricVehicle", "begin", "imported", "0", "0", "t", "50", nil, "t", seconds]))
        #expect(found[1][7] == "7200" && found[1][8] == "120.5")
        #expect(
            found[3]
                == row(3, ["pump, =1", "hvac", "active", nil, nil, nil, "f", nil, "40", "f", seconds]))
        #expect(
            found[4]
                == row(
                    4, ["car", "electricVehicleStatus", nil, nil, nil, "30000", "f", "61", nil, nil, seconds])
        )
        let bodies = try await rows(
            server, "SELECT event::text FROM \(schema).offpeak_events ORDER BY sequence")
        for (body, event) in zip(bodies, events) {
            #expect(try EnergyKitJSON.loadEvent(from: try #require(body[0])) == event.event)
        }
        await sink.close()
    }

    @Test("what PostgreSQL can't hold is set aside, and all others arrive")
    func poison() async throws {
        let server = try await PostgreSQLServer()
        let house = try await EventStore()
        let sink = PostgreSQLEventSink(configuration(server))
        let events = house.session(of: 20) + house.session(device: "nul\u{0}") + house.session(of: 7)
        try await house.delivering(to: sink) { submitter in
            try await house.submit(events, submitter)
            #expect(await house.untilEmpty(sink.name))
            let dead = try await house.store.deadLetters(sink: sink.name, limit: 100)
            #expect(Set(dead.map(\.event.event.id)) == Set(events[20..<23].map(\.id)))
            #expect(dead.allSatisfy { $0.reason.contains("SQLSTATE 22") }, "\(dead.map(\.reason))")
        }
        #expect(try await rows(server, "SELECT count(*) FROM offpeak_events") == [["27"]])
    }

    @Test("through stops and kills of the server nothing is lost and nothing doubled")
    func outages() async throws {
        let server = try await PostgreSQLServer()
        let house = try await EventStore()
        let sink = PostgreSQLEventSink(configuration(server))
        var events: [AnyLoadEvent] = []
        try await house.delivering(to: sink) { submitter in
            for round in 0..<3 {
                let before = house.session(of: 300)
                try await house.submit(before, submitter)
                if round == 1 { await server.kill() } else { await server.stop() }
                let during = house.session(of: 40)
                try await house.submit(during, submitter)
                events += before + during
                try await server.start()
                // Not to wait for the backoff.
                try await submitter.retry(sink: sink.name)
            }
            let isDone = await eventually {
                try await submitter.retry(sink: sink.name)
                return try await house.store.depth(sink: sink.name).waiting == 0
            }
            #expect(isDone)
            #expect(await submitter.sinkStatuses().map(\.deadLetters) == [0])
        }
        let ids = try await rows(server, "SELECT id FROM offpeak_events ORDER BY sequence").map {
            $0[0] ?? ""
        }
        #expect(ids == events.map(\.id.uuidString).map { $0.lowercased() })
    }

    @Test(
        "wrong credentials, missing rights and a column of another name need a person, and no event is refused"
    )
    func rights() async throws {
        let server = try await PostgreSQLServer()
        let house = try await EventStore()
        let events = house.stored(house.session())
        let wrong = PostgreSQLEventSink(configuration(server, password: "hunter2"))
        let refused = await failure(of: wrong, events)
        #expect(refused?.retryClass == .needsPerson && refused?.message.contains("hunter2") == false)

        _ = try await rows(server, "CREATE ROLE guest LOGIN PASSWORD 'guest'")
        let guest = PostgreSQLEventSink(
            configuration(server, user: "guest", password: "guest"), schema: "elsewhere")
        #expect(await failure(of: guest, events)?.retryClass == .needsPerson)

        let sink = PostgreSQLEventSink(configuration(server))
        try await sink.deliver(events)
        _ = try await rows(server, "ALTER TABLE offpeak_events RENAME COLUMN stage TO level")
        #expect(await failure(of: sink, events)?.retryClass == .needsPerson)
    }

    @Test(
        "a table, an index, a schema or a record of versions that someone dropped is made anew, while the hub runs",
        arguments: [
            "DROP TABLE home.offpeak_events", "DROP TABLE home.offpeak_events, home.offpeak_schema",
            "DROP TABLE home.offpeak_schema", "DROP SCHEMA home CASCADE", "DELETE FROM home.offpeak_schema",
            "ALTER TABLE home.offpeak_events RENAME TO offpeak_events_old",
        ])
    func dropped(statement: String) async throws {
        let server = try await PostgreSQLServer()
        let house = try await EventStore()
        let sink = PostgreSQLEventSink(configuration(server), schema: "home")
        try await sink.deliver(house.stored(house.session()))
        _ = try await rows(server, statement)
        let events = house.session(of: 5)
        try await house.delivering(to: sink) { submitter in
            try await house.submit(events, submitter)
            #expect(await house.untilEmpty(sink.name))
            #expect(await submitter.sinkStatuses().map(\.deadLetters) == [0])
        }
        let ids = try await rows(server, "SELECT id FROM home.offpeak_events").compactMap { $0[0]?.uppercased() }
        #expect(Set(ids).isSuperset(of: events.map(\.id.uuidString)))
        #expect(try await rows(server, "SELECT max(version), count(*) FROM home.offpeak_schema") == [["3", "3"]])
        await sink.close()
    }

    @Test("two hubs that come to an empty database at once both get through")
    func together() async throws {
        let server = try await PostgreSQLServer()
        let house = try await EventStore()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                let events = house.stored(house.session(device: "car-\(number)"))
                let sink = PostgreSQLEventSink(configuration(server), schema: "shared")
                group.addTask { try await sink.deliver(events) }
            }
            try await group.waitForAll()
        }
        #expect(try await rows(server, "SELECT count(*) FROM shared.offpeak_events") == [["12"]])
    }
}
