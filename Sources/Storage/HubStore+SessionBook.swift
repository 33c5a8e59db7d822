package import Foundation
import HubKit
import SQLite

/// What the store knows of a session that is to be summed up anew.
package struct SessionMaterial: Sendable {
    /// Its events of which there was no copy at hand, by time; without those that were.
    package var events: [StoredEvent]
    /// The places of all its events, by time.
    package var order: [Int64]
    /// Its summary so far.
    package var summary: SessionSummary?
    /// Other sessions of the device that had not ended when this one began.
    package var overlapping: [SessionSummary]
}

extension HubStore {
    /// What is needed to sum up sessions from their first event on.
    /// - Parameters:
    ///   - sessions: the sessions.
    ///   - known: events that the caller has already, by their place.
    package func material(for sessions: [UUID], besides known: Set<Int64>) async throws -> [UUID: SessionMaterial] {
        guard !sessions.isEmpty else { return [:] }
        return try await read { connection in
            var found: [UUID: SessionMaterial] = [:]
            for session in sessions { found[session] = try HubStore.material(session, known, connection) }
            return found
        }
    }

    private static func material(
        _ session: UUID, _ known: Set<Int64>, _ connection: borrowing Connection
    ) throws -> SessionMaterial {
        let key = SQLiteValue(session)
        let places = try connection.query(
            "SELECT sequence, at, device FROM events WHERE session = ? AND state IS NOT NULL ORDER BY at, sequence",
            [key]
        ) { (try $0.int64(0), try $0.double(1), try $0.text(2)) }
        var events: [StoredEvent] = []
        for place in places where !known.contains(place.0) {
            let row = try connection.first(
                "SELECT sequence, venue, body FROM events WHERE sequence = ?", [.integer(place.0)]
            ) { (try $0.int64(0), try $0.uuid(1), try $0.text(2)) }
            if let row { events.append(try storedEvent(row)) }
        }
        let summary = try connection.scalarText("SELECT body FROM sessions WHERE id = ?", [key]).map { try read($0) }
        var overlapping: [SessionSummary] = []
        if let first = places.first {
            // Only the last few can reach so far; what has the open end of a session that never ended is among them.
            overlapping = try connection.query(
                """
                SELECT body FROM (
                    SELECT id, ended, body FROM sessions WHERE device = ?1 AND began < ?2 ORDER BY began DESC LIMIT 8)
                WHERE id <> ?3 AND (ended IS NULL OR ended > ?2)
                """, [.text(first.2), .real(first.1), key]
            ) { try read(try $0.text(0)) }
        }
        return SessionMaterial(events: events, order: places.map(\.0), summary: summary, overlapping: overlapping)
    }

    private static func read(_ body: String) throws -> SessionSummary {
        try JSONDecoder().decode(SessionSummary.self, from: Data(body.utf8))
    }
}
