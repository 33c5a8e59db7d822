import Foundation
package import HubKit
package import MQTT
package import PostgreSQL

/// Takes the load events of many homes from a broker, or a cluster of them, into a PostgreSQL database.
///
/// A message is acknowledged when the transaction that holds its event is committed, and not before; what was not
/// acknowledged comes again and finds itself there already. So a collector, a broker or a database that ends at any
/// moment loses no event and doubles none.
package struct EventCollector: Sendable {
    private let places: [MQTTPlace]
    private let reader: MQTTReader
    private let database: PostgreSQLDatabase
    private let tables: FleetTables
    private let log: HubLog

    /// How many messages go into one transaction at most.
    static let batchSize = 500
    /// The waits after failures.
    private static let backoff = MQTTBackoff(initial: .milliseconds(250), maximum: .seconds(10))

    /// Makes a collector.
    /// - Parameters:
    ///   - places: the brokers, of which it is at one at a time; not empty.
    ///   - subscription: its name there, and the topics; the levels before `/events` are an event's home.
    ///   - tls: the files for encrypted connections to the brokers; nil for plain ones.
    ///   - database: where events go.
    ///   - schema: the schema that the tables are in; letters, digits and `_`, since it stands in statements.
    ///   - log: gets a line for each change.
    package init(
        at places: [MQTTPlace], _ subscription: MQTTReader.Subscription, tls: MQTTConfiguration.TLS? = nil,
        into database: PostgreSQLConfiguration,
        schema: String = "public", log: HubLog
    ) {
        self.places = places
        reader = MQTTReader(subscription, over: tls.map(EncryptedReading.connector))
        self.database = PostgreSQLDatabase(database)
        tables = FleetTables(schema: schema)
        self.log = log.labelled("collector")
    }

    /// Collects until the task is cancelled.
    package func run() async {
        var failures = 0
        var turn = 0
        var told: Set<String> = []
        while !Task.isCancelled {
            let place = places[turn % places.count]
            do {
                try await database.transaction { [tables] in try tables.prepare($0) }
                try await reader.connect(to: place)
                log.notice("collects at \(place)")
                (failures, told) = (0, [])
                while true { try await collect() }
            } catch is CancellationError {
                break
            } catch {
                // Another broker may have what this one has not.
                if error is MQTTError { turn += 1 }
                failures += 1
                // Once for each kind, as long as nothing is collected: the same fault has other words from try to try.
                if told.insert(Self.kind(of: error)).inserted {
                    let text = "\(error is MQTTError ? "\(place)" : "the database"): \(plainWords(of: error))"
                    log.warning(
                        "does not collect: \(text); it is tried again at least every \(Self.backoff.maximum.components.seconds) s"
                    )
                }
                await reader.disconnect()
                guard (try? await Task.sleep(for: Self.backoff.wait(afterFailures: failures))) != nil else { break }
            }
        }
        await reader.disconnect()
        await database.close()
    }

    /// What decides whether a fault is another one than before: where it is, and who has to mend it.
    private static func kind(of error: any Error) -> String {
        switch error {
        case MQTTError.encryption, MQTTError.encryptionBroken: "trust"
        case MQTTError.refused, MQTTError.subscriptionRefused: "refusal"
        case is MQTTError: "broker"
        default: "database"
        }
    }

    /// One batch: read, committed, acknowledged.
    private func collect() async throws {
        let arrivals = try await reader.next(atMost: Self.batchSize, within: .seconds(5))
        guard !arrivals.isEmpty else { return }
        do {
            try await store(arrivals)
        } catch let error as PostgreSQLError where error.retryClass == .permanent {
            // One of them is no event; the others are not to suffer for it.
            for arrival in arrivals { try await storeAlone(arrival) }
        }
        try await reader.acknowledge(arrivals)
    }

    private func store(_ arrivals: [MQTTArrival]) async throws {
        let items = arrivals.map {
            ["home": Self.home($0.topic), "event": String(decoding: $0.payload, as: UTF8.self)]
        }
        let body = String(decoding: try JSONEncoder().encode(items), as: UTF8.self)
        try await database.transaction { [tables] in try $0.run(tables.insertion, [body]) }
    }

    private func storeAlone(_ arrival: MQTTArrival) async throws {
        do {
            try await store([arrival])
        } catch let error as PostgreSQLError where error.retryClass == .permanent {
            let home = Self.home(arrival.topic)
            let digits = arrival.payload.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            try await database.transaction { [tables] in
                try $0.run(tables.refusal, [home, digits, plainWords(of: error)])
            }
            log.warning("a message on \(arrival.topic) is no event; kept in offpeak_fleet_refused")
        }
    }

    /// What stands before `/events` in a topic.
    static func home(_ topic: String) -> String {
        topic.hasSuffix("/events") ? String(topic.dropLast("/events".count)) : topic
    }
}
