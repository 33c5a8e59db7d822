import Foundation
import PostgreSQL

/// The tables in which the events of many homes meet, in numbered steps; a step that was released is never changed.
///
/// `offpeak_fleet_events` has each event once for each home, however often it came. `offpeak_fleet_refused` has what is no
/// event, as it came, so that it holds nobody up and nothing is lost.
struct FleetTables: Sendable {
    /// The schema that they are in; letters, digits and `_`, since it stands in statements.
    let schema: String

    private static let steps = [
        """
        CREATE TABLE IF NOT EXISTS $SCHEMA.offpeak_fleet_events (
            home text NOT NULL,
            id uuid NOT NULL,
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
            stored_at timestamptz NOT NULL DEFAULT now(),
            PRIMARY KEY (home, id)
        )
        """,
        "CREATE INDEX IF NOT EXISTS offpeak_fleet_events_at ON $SCHEMA.offpeak_fleet_events (home, at)",
        """
        CREATE TABLE IF NOT EXISTS $SCHEMA.offpeak_fleet_refused (
            home text NOT NULL,
            payload bytea NOT NULL,
            reason text NOT NULL,
            stored_at timestamptz NOT NULL DEFAULT now()
        )
        """,
    ]

    /// Makes what is missing.
    func prepare(_ transaction: borrowing PostgreSQLTransaction) throws(PostgreSQLError) {
        // Asked each time: one quick row, and tables that someone dropped come back.
        let there = try transaction.run(
            "SELECT count(to_regclass(name)) FROM unnest(ARRAY[$1, $2]) AS names (name)",
            ["\(schema).offpeak_fleet_events", "\(schema).offpeak_fleet_refused"])
        if there.first?.first == "2" { return }
        // Two collectors may begin at the same time; the second waits here and then finds everything done.
        try transaction.run("SELECT pg_advisory_xact_lock(7165061, 2)")
        if try transaction.run("SELECT to_regnamespace($1)", [schema]).first?.first == .some(nil) {
            try transaction.run("CREATE SCHEMA \(schema)")
        }
        for step in Self.steps { try transaction.run(step.replacing("$SCHEMA", with: schema)) }
    }

    /// Writes all events of one JSON array of `{home, event}`, `$1`; those that are there already stay as they are.
    ///
    /// Each event is a text inside the array, so that what is no JSON can't pass for a part of it.
    var insertion: String {
        """
        INSERT INTO \(schema).offpeak_fleet_events (home, id, device_id, kind, session_id, state, at, direction,
            power_watts, energy_watt_hours, energy_estimated, state_of_charge, stage, was_following_guidance,
            guidance_token, event)
        SELECT item ->> 'home', (e ->> 'id')::uuid, e ->> 'deviceID',
            CASE WHEN m ? 'stage' THEN 'hvac' WHEN s IS NULL THEN 'electricVehicleStatus' ELSE 'electricVehicle' END,
            coalesce(s ->> 'id', e ->> 'sessionIdentifier')::uuid, s ->> 'state', (e ->> 'timestamp')::timestamptz,
            m ->> 'direction', (m ->> 'powerWatts')::double precision,
            coalesce(m ->> 'energyWattHours', e ->> 'energyWattHours')::double precision,
            coalesce((m ->> 'energyEstimated')::boolean, false),
            coalesce(m ->> 'stateOfCharge', e ->> 'stateOfCharge')::smallint, (m ->> 'stage')::smallint,
            (s -> 'guidanceState' ->> 'wasFollowingGuidance')::boolean,
            (s -> 'guidanceState' ->> 'guidanceToken')::uuid, e
        FROM jsonb_array_elements($1::jsonb) AS items (item),
            LATERAL (SELECT (item ->> 'event')::jsonb AS e) AS whole,
            LATERAL (SELECT e -> 'measurement' AS m, e -> 'session' AS s) AS parts
        ON CONFLICT (home, id) DO NOTHING
        """
    }

    /// Keeps what is no event: home, payload in hexadecimal digits, and why.
    var refusal: String {
        "INSERT INTO \(schema).offpeak_fleet_refused (home, payload, reason) VALUES ($1, decode($2, 'hex'), $3)"
    }
}
