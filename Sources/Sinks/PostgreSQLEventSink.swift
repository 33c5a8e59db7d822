import HubKit
import LoadEvents
package import PostgreSQL
package import Storage

/// Keeps load events in a table of a PostgreSQL database, such as one that is central to many homes.
///
/// A batch is one statement in one transaction: all of it is there or nothing. An event that is there already is
/// written again with the same content, so a repeat is harmless.
package struct PostgreSQLEventSink: EventSink {
    package let name: String
    package let wantsHistory: Bool
    private let database: PostgreSQLDatabase
    private let schema: PostgreSQLSchema

    /// Makes a sink; its first delivery connects and makes the table where it is missing.
    /// - Parameters:
    ///   - configuration: the database.
    ///   - schema: the schema that the tables are in; letters, digits and `_`, since it stands in statements.
    ///   - name: the name in the store and in metrics.
    ///   - wantsHistory: whether a new sink gets all events of the past.
    package init(
        _ configuration: PostgreSQLConfiguration, schema: String = "public",
        name: String = "postgresql",
        wantsHistory: Bool = false
    ) {
        self.name = name
        self.wantsHistory = wantsHistory
        database = PostgreSQLDatabase(configuration)
        self.schema = PostgreSQLSchema(name: schema)
    }

    package func deliver(_ events: [StoredEvent]) async throws {
        let body = try EventEnvelope.json(events)
        do {
            try await database.transaction { [schema] transaction in
                // Asked each time: quick rows, and a table that someone dropped comes back.
                try schema.prepare(transaction)
                try transaction.run(schema.insertion, [body])
            }
        } catch let error as PostgreSQLError {
            throw HubError(
                .connection, "PostgreSQL did not take load events: \(plainWords(of: error))", retry: error.retryClass)
        }
    }

    package func close() async { await database.close() }
}

extension PostgreSQLError {
    /// What to do about events that were not taken.
    var retryClass: RetryClass {
        // Data that does not fit, breaks a rule or is too much; an account, a right or a table that is not as it should.
        if isAny(of: "22", "23", "54") { return .permanent }
        if refusesAccess || isAny(of: "28", "3D", "3F", "42") { return .needsPerson }
        return .transient
    }
}

/// The tables in a PostgreSQL database, in numbered steps; a step that was released is never changed.
struct PostgreSQLSchema: Sendable {
    let name: String

    private static let steps = [
        """
        CREATE TABLE IF NOT EXISTS $SCHEMA.offpeak_events (
            id uuid PRIMARY KEY,
            sequence bigint NOT NULL,
            venue_id uuid NOT NULL,
            device_id text NOT NULL,
            kind text NOT NULL,
            session_id uuid,
            state text,
            at timestamptz NOT NULL,
            direction text,
            power_watts double precision,
            energy_watt_hours double precision,
            energy_estimated boolean NOT NULL,
            state_of_charge smallint,
            stage smallint,
            was_following_guidance boolean,
            guidance_token uuid,
            event jsonb NOT NULL,
            stored_at timestamptz NOT NULL DEFAULT now()
        )
        """,
        "CREATE INDEX IF NOT EXISTS offpeak_events_device ON $SCHEMA.offpeak_events (device_id, at)",
        "CREATE INDEX IF NOT EXISTS offpeak_events_session ON $SCHEMA.offpeak_events (session_id, at)",
    ]

    /// Brings the tables to the newest step.
    func prepare(_ transaction: borrowing PostgreSQLTransaction) throws(PostgreSQLError) {
        guard try version(transaction) < Self.steps.count else { return }
        // Several hubs may share the database; the second waits here and then finds everything done.
        try transaction.run("SELECT pg_advisory_xact_lock(7165061, 1)")
        if try transaction.run("SELECT to_regnamespace($1)", [name]).first?.first == .some(nil) {
            try transaction.run("CREATE SCHEMA \(name)")
        }
        // What was made belongs to a table that someone has dropped since.
        if try isThere("offpeak_schema", transaction), try !isThere("offpeak_events", transaction) {
            try transaction.run("DELETE FROM \(name).offpeak_schema")
        }
        try transaction.run(
            """
            CREATE TABLE IF NOT EXISTS \(name).offpeak_schema (
                version integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())
            """)
        for (index, step) in Self.steps.enumerated().dropFirst(try version(transaction)) {
            try transaction.run(step.replacing("$SCHEMA", with: name))
            try transaction.run(
                "INSERT INTO \(name).offpeak_schema (version) VALUES ($1)", [String(index + 1)])
        }
    }

    private func version(_ transaction: borrowing PostgreSQLTransaction) throws(PostgreSQLError)
        -> Int
    {
        guard try isThere("offpeak_schema", transaction), try isThere("offpeak_events", transaction) else { return 0 }
        let rows = try transaction.run("SELECT coalesce(max(version), 0) FROM \(name).offpeak_schema")
        return rows.first?.first?.flatMap { Int($0) } ?? 0
    }

    private func isThere(
        _ table: String, _ transaction: borrowing PostgreSQLTransaction
    ) throws(PostgreSQLError) -> Bool {
        let found = try transaction.run("SELECT to_regclass($1)", ["\(name).\(table)"])
        return found.first?.first?.map { !$0.isEmpty } == true
    }

    /// Writes all events of one JSON array, `$1`; those that are there already are written anew.
    var insertion: String {
        let columns = Self.columns.map(\.name)
        let updates = columns.dropFirst().map { "\($0) = excluded.\($0)" }
        return """
            INSERT INTO \(name).offpeak_events (\(columns.joined(separator: ", ")))
            SELECT \(Self.columns.map(\.value).joined(separator: ", "))
            FROM jsonb_array_elements($1::jsonb) AS items (item),
                LATERAL (SELECT item -> 'event' AS e, item -> 'event' -> 'measurement' AS m,
                    item -> 'event' -> 'session' AS s) AS parts
            ON CONFLICT (id) DO UPDATE SET \(updates.joined(separator: ", "))
            """
    }

    /// Each column with where its value stands in an item.
    private static let columns: [(name: String, value: String)] = [
        ("id", "(e ->> 'id')::uuid"), ("sequence", "(item ->> 'sequence')::bigint"),
        ("venue_id", "(item ->> 'venueID')::uuid"), ("device_id", "e ->> 'deviceID'"),
        ("kind", "item ->> 'kind'"),
        ("session_id", "coalesce(s ->> 'id', e ->> 'sessionIdentifier')::uuid"),
        ("state", "s ->> 'state'"),
        ("at", "(e ->> 'timestamp')::timestamptz"), ("direction", "m ->> 'direction'"),
        ("power_watts", "(m ->> 'powerWatts')::double precision"),
        (
            "energy_watt_hours",
            "coalesce(m ->> 'energyWattHours', e ->> 'energyWattHours')::double precision"
        ),
        ("energy_estimated", "coalesce((m ->> 'energyEstimated')::boolean, false)"),
        ("state_of_charge", "coalesce(m ->> 'stateOfCharge', e ->> 'stateOfCharge')::smallint"),
        ("stage", "(m ->> 'stage')::smallint"),
        ("was_following_guidance", "(s -> 'guidanceState' ->> 'wasFollowingGuidance')::boolean"),
        ("guidance_token", "(s -> 'guidanceState' ->> 'guidanceToken')::uuid"), ("event", "e"),
    ]
}
